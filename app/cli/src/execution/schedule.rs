//! The kernels of a program: what `infer --schedule` prints.

use std::fmt::Write;

#[cfg(feature = "opencl")]
use lozenge_backend::opencl::Rounding;
use serde_json::{Value, json};

use crate::args;
#[cfg(feature = "opencl")]
use crate::execution::pins::Pinned;
#[cfg(feature = "opencl")]
use crate::files::distinct_files::{Named, distinct};
#[cfg(feature = "opencl")]
use crate::files::output_file::OutputFile;
use crate::json::program::PartData;
#[cfg(feature = "opencl")]
use crate::json::program::{KernelData, PlannedData};
use crate::loaded::{Inferred, Loaded};
use crate::report::Problem;

/// Returns the parts of a program with their kernels.
#[cfg(feature = "opencl")]
fn parts(
    loaded: &Loaded,
    inferred: &Inferred,
    args: &args::Infer,
) -> Result<(Vec<PartData>, String), Problem> {
    use lozenge_backend::Limits;
    use lozenge_backend::opencl::Planner;
    let mut files = loaded.files();
    files.extend(Named::flag("--pins", args.pins.as_deref()));
    distinct(
        &files,
        &Vec::from_iter(Named::flag("--save-pins", args.save_pins.as_deref())),
    )?;
    let pinned = args.pins.as_deref().map(Pinned::read).transpose()?;
    let pins = pinned.as_ref().map(|pinned| pinned.pins.clone());
    let settings = lozenge::Settings {
        keep: Some(loaded.seen(&inferred.shapes, &[])),
        ..Default::default()
    };
    let planner = Planner::new(Limits::default(), args.arithmetic());
    let planner = planner.planned_for(args.kernels_for.into());
    let planned = lozenge::schedule(
        &loaded.program,
        &inferred.shapes,
        &inferred.nests,
        &settings,
        planner.pinned(pins.unwrap_or_default()),
    );
    let planned = planned.map_err(|error| Problem::new(error.to_string()))?;
    if let Some(file) = OutputFile::open(args.save_pins.as_deref())? {
        file.write(&pins_text(&planned))?;
    }
    let note = pinned.map_or_else(String::new, |pinned| pinned.note());
    let kernel = |kernel: lozenge::PlannedKernel| KernelData {
        rounding: rounding(&kernel).map(Into::into),
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
    Ok((planned.into_iter().map(part).collect(), note))
}

/// Returns the largest error of the sums of a kernel.
#[cfg(feature = "opencl")]
fn rounding(kernel: &lozenge::PlannedKernel) -> Option<Rounding> {
    let all = kernel.plans.iter().filter_map(|plan| plan.rounding());
    all.max_by(|one, other| one.relative().total_cmp(&other.relative()))
}

/// Describes the computation of a kernel in words.
#[cfg(feature = "opencl")]
pub fn computes(kernel: &lozenge::PlannedKernel) -> String {
    let operations = kernel.operations.iter();
    let operations = operations.map(|operation| match operation.operands.as_slice() {
        [] => operation.result.clone(),
        operands => format!("{} from {}", operation.result, operands.join(", ")),
    });
    operations.collect::<Vec<_>>().join("; ")
}

/// Returns the plans of all kernels, each once, with what it computes in front.
#[cfg(feature = "opencl")]
fn pins_text(parts: &[lozenge::PlannedPart]) -> String {
    let kernels = parts.iter().flat_map(|part| &part.kernels);
    let plans = kernels.flat_map(|kernel| {
        let named = computes(kernel);
        kernel.plans.iter().map(move |plan| (named.clone(), plan))
    });
    lozenge_backend::opencl::pins_file(plans)
}

#[cfg(not(feature = "opencl"))]
fn parts(_: &Loaded, _: &Inferred, _: &args::Infer) -> Result<(Vec<PartData>, String), Problem> {
    Err(Problem::new(
        "--schedule: this lozenge was built without OpenCL (the feature `opencl`)",
    ))
}

/// Returns the kernels as text.
pub fn text(loaded: &Loaded, inferred: &Inferred, args: &args::Infer) -> Result<String, Problem> {
    let mut out = loaded.rendered(&inferred.warnings);
    let (parts, note) = parts(loaded, inferred, args)?;
    out.push_str(&note);
    for part in parts {
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
            if let Some(rounding) = &kernel.rounding {
                let _ = writeln!(out, "       {}", rounding.text());
            }
        }
    }
    Ok(out)
}

/// Returns the same as data.
pub fn json(loaded: &Loaded, inferred: &Inferred, args: &args::Infer) -> Result<Value, Problem> {
    Ok(json!(parts(loaded, inferred, args)?.0))
}
