//! `lozenge infer`: the shapes and loop nests of a program, and why axes are contracted.

use std::fmt::Write;

use lozenge_vocabulary::Verdict;
use serde_json::{Value, json};

use crate::args::{self, Format};
use crate::axon;
use crate::execution::schedule;
use crate::json::ShapeData;
use crate::json::program::{InferAnswer, NoteData, OperationData, TensorData};
use crate::loaded::{Inferred, Loaded, shape_text};
use crate::models;
use crate::report::{self, Problem, Report};

/// Runs the command.
pub fn infer(args: &args::Infer, format: Format) -> Result<Report, Problem> {
    if axon::is_axon(&args.file) {
        return axon::infer(args);
    }
    axon::refuse_flags(args)?;
    let mut loaded = models::program(&args.file, &args.outside, args.limits.programs)?;
    loaded.why = args.limits.why;
    let inferred = match loaded.infer(args.by, &args.limits.options(), args.limits.rules) {
        Err(refusal) => return Ok(refusal),
        Ok(inferred) => inferred,
    };
    // Only the requested form is built, since either can be large.
    let text = match (format, args.shapes, args.schedule) {
        (Format::Text, _, true) => schedule::text(&loaded, &inferred, args)?,
        (Format::Text, true, _) => shapes(&loaded, &inferred),
        (Format::Text, false, false) => text(&loaded, &inferred),
        _ => String::new(),
    };
    let mut answer = Value::Null;
    if format != Format::Text {
        answer = json(&loaded, &inferred);
        if args.schedule {
            answer["schedule"] = schedule::json(&loaded, &inferred, args)?;
        }
    }
    Ok(Report::judged(Verdict::Sat, text, answer).with_errors(loaded.messages(&inferred.warnings)))
}

/// Returns the shape of each tensor that the program names, one on each line, in a form that can be pasted into a
/// program. Warnings go to the standard error.
fn shapes(loaded: &Loaded, inferred: &Inferred) -> String {
    report::to_stderr(&loaded.rendered(&inferred.warnings));
    let tensors = loaded.program.tensors.iter().zip(inferred.shapes.iter());
    let named = tensors.filter(|(tensor, _)| is_name(&tensor.name));
    let lines = named.map(|(tensor, shape)| format!("{} : {}\n", tensor.name, shape_text(shape)));
    lines.collect()
}

/// Says whether a tensor is named by the program. A part of an expression is called `name'1`, and a number by its
/// digits.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_') && !name.contains('\'')
}

/// Returns the shapes, then each operation with its loop nest and the axes that it contracts.
pub fn text(loaded: &Loaded, inferred: &Inferred) -> String {
    let program = &loaded.program;
    let mut out = loaded.rendered(&inferred.warnings);
    if !out.is_empty() {
        out.push('\n');
    }
    let notes = lozenge::notes(program, &loaded.source.text, &inferred.shapes);
    for note in &notes {
        let (line, _) = loaded.place(&note.span);
        let _ = writeln!(out, "note (line {line}): {}", note.message);
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    out.push_str("shapes (batch|input->output)\n");
    let names = program
        .tensors
        .iter()
        .map(|tensor| tensor.name.chars().count());
    let width = names.max().unwrap_or(0);
    for (tensor, shape) in program.tensors.iter().zip(inferred.shapes.iter()) {
        let name = &tensor.name;
        let _ = writeln!(out, "  {name:width$}  {}", shape_text(shape));
    }
    out.push_str(&loaded.notes(inferred));
    for (at, nest) in inferred.nests.iter().enumerate() {
        let step = &program.steps[at];
        let (line, _) = loaded.place(&step.span);
        let written = &program[step.operation.slots[0]].name;
        let _ = writeln!(out, "\n{written} (line {line}, {})", step.logic.word());
        for contracted in &inferred.contracted[at] {
            let _ = writeln!(out, "  # {contracted}");
        }
        let nest = lozenge::nest_text(step, nest);
        // The reasons for loops given here replace the ones in the text of the nest.
        let own = inferred.contracted[at].is_empty();
        for line in nest.lines().filter(|line| own || !line.starts_with("# ")) {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

fn json(loaded: &Loaded, inferred: &Inferred) -> Value {
    let program = &loaded.program;
    let tensors = program.tensors.iter().zip(inferred.shapes.iter());
    let tensors = tensors.map(|(tensor, shape)| TensorData {
        name: tensor.name.to_string(),
        shape: ShapeData::from(shape),
        tag: tensor.tag,
    });
    let steps = program.steps.iter().enumerate();
    let operations = steps.map(|(at, step)| OperationData {
        result: program[step.operation.slots[0]].name.to_string(),
        family: step.logic.word(),
        text: lozenge::nest_text(step, &inferred.nests[at]),
        loop_nest: inferred.nests[at].clone(),
        contracted: inferred.contracted[at].clone(),
    });
    json!(InferAnswer {
        tensors: tensors.collect(),
        operations: operations.collect(),
        notes: loaded.grown_data(inferred),
        taken_together: taken_together(loaded, inferred),
        ..InferAnswer::default()
    })
}

/// Lists notes on functions of the prelude that take several axes together, with their places.
fn taken_together(loaded: &Loaded, inferred: &Inferred) -> Vec<NoteData> {
    let notes = lozenge::notes(&loaded.program, &loaded.source.text, &inferred.shapes);
    let notes = notes.into_iter().map(|note| {
        let (line, column) = loaded.place(&note.span);
        NoteData {
            line,
            column,
            message: note.message,
        }
    });
    notes.collect()
}
