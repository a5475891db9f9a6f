//! The kernels of a program: what `infer --schedule` prints.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::inference::{Inferred, Loaded};
use crate::json::program::PartData;
#[cfg(feature = "opencl")]
use crate::json::program::{KernelData, PlannedData};
use crate::report::Problem;

/// The parts of a program with their kernels.
#[cfg(feature = "opencl")]
fn parts(loaded: &Loaded, inferred: &Inferred) -> Result<Vec<PartData>, Problem> {
    use lozenge_backend::{Limits, Numerics};
    let settings = lozenge::Settings {
        keep: Some(loaded.seen(&[])),
        ..Default::default()
    };
    let planned = lozenge::schedule(
        &loaded.program,
        &inferred.shapes,
        &inferred.nests,
        &settings,
        Limits::default(),
        Numerics::Fast,
    );
    let planned = planned.map_err(|error| Problem::new(error.to_string()))?;
    let kernel = |kernel: lozenge::PlannedKernel| KernelData {
        operations: kernel
            .operations
            .into_iter()
            .map(|operation| PlannedData {
                result: operation.result,
                operands: operation.operands,
                points: operation.points,
            })
            .collect(),
        schedule: kernel.schedule,
    };
    let part = |part: lozenge::PlannedPart| PartData {
        line: part.section.map(|number| {
            let section = &loaded.program.sections[number];
            loaded.place(&section.span).0
        }),
        kernels: part.kernels.into_iter().map(kernel).collect(),
    };
    Ok(planned.into_iter().map(part).collect())
}

#[cfg(not(feature = "opencl"))]
fn parts(_: &Loaded, _: &Inferred) -> Result<Vec<PartData>, Problem> {
    Err(Problem::new(
        "--schedule: this lozenge was built without OpenCL (the feature `opencl`)",
    ))
}

/// The kernels as text.
pub fn text(loaded: &Loaded, inferred: &Inferred) -> Result<String, Problem> {
    let mut out = loaded.rendered(&inferred.warnings);
    for part in parts(loaded, inferred)? {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&match part.line {
            Some(line) => format!("kernels of the section in line {line}\n"),
            None => "kernels of the lines outside of sections\n".to_string(),
        });
        for (number, kernel) in part.kernels.iter().enumerate() {
            for (at, operation) in kernel.operations.iter().enumerate() {
                let head = match at {
                    0 => format!("{:>3}.", number + 1),
                    _ => "    ".to_string(),
                };
                let points = match operation.points {
                    Some(1) => "1 point".to_string(),
                    Some(points) => format!("{points} points"),
                    None => "more than 2^64 points".to_string(),
                };
                let operands = operation.operands.join(", ");
                let from = if operands.is_empty() { "" } else { " from " };
                let _ = writeln!(out, "{head} {}{from}{operands}: {points}", operation.result);
            }
            for line in &kernel.schedule {
                let _ = writeln!(out, "       {line}");
            }
        }
    }
    Ok(out)
}

/// The same as data.
pub fn json(loaded: &Loaded, inferred: &Inferred) -> Result<Value, Problem> {
    Ok(json!(parts(loaded, inferred)?))
}
