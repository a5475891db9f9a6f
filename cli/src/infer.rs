//! `lozenge infer`: the shapes and loop nests of a program, and why axes are contracted.

use std::fmt::Write;

use lozenge_spec::elaboration::kind_of_axis;
use lozenge_vocabulary::projection_language::AxisId;
use serde_json::{Value, json};

use crate::args;
use crate::inference::{self, Inferred, Loaded, shape_text};
use crate::json::ShapeData;
use crate::report::{Problem, Report, Status};

/// Runs the command.
pub fn infer(args: &args::Infer) -> Result<Report, Problem> {
    let loaded = inference::program(&args.file)?;
    Ok(match loaded.infer() {
        Err(refusal) => refusal,
        Ok(inferred) => Report {
            text: text(&loaded, &inferred),
            json: json(&loaded, &inferred),
            status: Status::Good,
        },
    })
}

/// The shapes, then each operation with its loop nest and the axes that it contracts.
pub fn text(loaded: &Loaded, inferred: &Inferred) -> String {
    let program = &loaded.program;
    let mut out = String::from("shapes (batch|input->output)\n");
    let width = program
        .tensors
        .iter()
        .map(|t| t.name.chars().count())
        .max()
        .unwrap_or(0);
    for (tensor, shape) in program.tensors.iter().zip(&inferred.shapes) {
        let name = &tensor.name;
        let _ = writeln!(out, "  {name:width$}  {}", shape_text(shape));
    }
    for (at, nest) in inferred.nests.iter().enumerate() {
        let step = &program.steps[at];
        let (line, _) = loaded.place(&step.span);
        let written = program.tensor(step.operation.slots[0]);
        let _ = writeln!(
            out,
            "\n{} (line {line}, {})",
            written.name,
            step.logic.word()
        );
        for contracted in contracted(loaded, inferred, at) {
            let _ = writeln!(out, "  # {contracted}");
        }
        for line in nest
            .to_string()
            .lines()
            .filter(|line| !line.starts_with("# "))
        {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// For each reduced factor: the axes that it drives, and that the written tensor has none of them.
fn contracted(loaded: &Loaded, inferred: &Inferred, at: usize) -> Vec<String> {
    let (nest, classes) = (&inferred.nests[at], &inferred.solved[at].classes);
    let written = &loaded
        .program
        .tensor(loaded.program.steps[at].operation.slots[0])
        .name;
    let reduced = nest
        .factors()
        .iter()
        .zip(classes)
        .filter(|(factor, _)| factor.reduced);
    reduced
        .map(|(factor, class)| {
            let axes: Vec<String> = class
                .iter()
                .map(|id| axis_words(loaded, inferred, at, *id))
                .collect();
            format!(
                "{} is contracted: it drives {}, and no axis of {written}",
                factor.name,
                axes.join(" and ")
            )
        })
        .collect()
}

/// An axis in words: the tensor, the row, and the place in it.
fn axis_words(loaded: &Loaded, inferred: &Inferred, at: usize, id: AxisId) -> String {
    let tensor = loaded.program.steps[at].operation.slots[id.slot];
    let name = &loaded.program.tensor(tensor).name;
    match kind_of_axis(&inferred.shapes[tensor.0], id.axis) {
        Some((kind, place)) => format!("{} axis {place} of {name}", kind.word()),
        None => format!("axis {} of {name}", id.axis),
    }
}

fn json(loaded: &Loaded, inferred: &Inferred) -> Value {
    let program = &loaded.program;
    let tensors: Vec<Value> = program
        .tensors
        .iter()
        .zip(&inferred.shapes)
        .map(|(tensor, shape)| {
            json!({"name": tensor.name, "shape": ShapeData::from(shape), "tag": tensor.tag})
        })
        .collect();
    let operations: Vec<Value> = (0..program.steps.len())
        .map(|at| {
            let nest = &inferred.nests[at];
            json!({
                "result": program.tensor(program.steps[at].operation.slots[0]).name,
                "family": program.steps[at].logic.word(),
                "loop_nest": nest,
                "text": nest.to_string(),
                "contracted": contracted(loaded, inferred, at),
            })
        })
        .collect();
    json!({"verdict": "sat", "tensors": tensors, "operations": operations})
}
