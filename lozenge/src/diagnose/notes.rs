//! Notes: what functions of the prelude do with several axes of their argument, where people often mean only the last
//! of them.

use std::collections::BTreeSet;

use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Combine, Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Predefined, Program, Span};

use crate::diagnose::words::axes::row_text;
use crate::infer::Shapes;

/// A fact about a program that is accepted, which a reader may not expect. It is no warning: the program may well mean
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The place in the program.
    pub span: Span,
    /// The fact, in one line.
    pub message: String,
}

/// Returns the notes about a program with these shapes, in the order of the text, each once. A program or shapes that
/// do not belong together have none.
pub fn notes(program: &Program, source: &str, shapes: &Shapes) -> Vec<Note> {
    if program.check().is_err() || shapes.len() != program.tensors.len() {
        return Vec::new();
    }
    let told = program.predefined.iter().filter_map(|call| {
        let message = several_axes(program, source, shapes, call)?;
        Some((call.span.start, call.span.end, message))
    });
    let told: BTreeSet<(usize, usize, String)> = told.collect();
    let notes = told.into_iter().map(|(start, end, message)| Note {
        span: start..end,
        message,
    });
    notes.collect()
}

/// Returns the note that a call takes several output axes of its argument together.
fn several_axes(
    program: &Program,
    source: &str,
    shapes: &Shapes,
    call: &Predefined,
) -> Option<String> {
    let (argument, place) = call.arguments.first()?;
    let shape = &shapes[argument.0];
    let outputs = &shape.output;
    if outputs.rank() < 2 {
        return None;
    }
    let steps = &program.steps[call.steps.clone()];
    // A pointwise result with the outputs of the argument counts as the argument.
    let mut alike = BTreeSet::from([*argument]);
    let (mut contracts, mut reduces, mut pairs) = (false, false, false);
    for step in steps.iter().filter(|step| step.record.is_none()) {
        let slots = &step.operation.slots;
        let reads = slots[1..].iter().any(|slot| alike.contains(slot));
        contracts |= step.logic == Family::Compose && alike.contains(&slots[2]);
        reduces |= reads && is_over_outputs(step, shapes);
        pairs |= step.logic == Family::Einsum && is_batch_made_output(shapes, step);
        if step.logic == Family::Pointwise && reads && shapes[slots[0].0].output == *outputs {
            alike.insert(slots[0]);
        }
    }
    let function = &call.function;
    let written = source.get(place.clone()).unwrap_or_default();
    let name = match *place == call.span || written.is_empty() {
        true => "its argument".to_string(),
        false => format!("`{written}`"),
    };
    let count = outputs.rank();
    let sizes = row_text(outputs);
    let fact = match (contracts, reduces) {
        (true, _) => {
            format!("`{function}` contracts {count} output axes of {name} together, {sizes}")
        }
        (_, true) => {
            format!("`{function}` is over {count} output axes of {name} together, {sizes}")
        }
        (false, false) => return None,
    };
    let positions = match pairs {
        true => format!(
            ", and its positions are the last batch axis, {}",
            last(&shape.batch)
        ),
        false => String::new(),
    };
    Some(format!(
        "{fact}{positions}; over the last alone it is of `map({}, \"{}\")`",
        match name.as_str() {
            "its argument" => "x",
            _ => written,
        },
        others_to_batch(shapes, *argument)
    ))
}

/// Returns the size of the last axis of a row, in words.
fn last(row: &Row) -> String {
    match row.axes().last() {
        Some(dim) => dim.to_string(),
        None => "of which there is none".to_string(),
    }
}

/// Returns the spec that moves all output axes but the last behind the batch axes.
fn others_to_batch(shapes: &Shapes, tensor: TensorId) -> String {
    let shape = &shapes[tensor.0];
    let moved: Vec<String> = (1..shape.output.rank())
        .map(|axis| format!("a{axis}"))
        .collect();
    let moved = moved.join(", ");
    let inputs = match shape.input.rank() {
        0 => "",
        _ => "... ",
    };
    format!("...|{inputs}->{moved}, c => ..., {moved}|{inputs}->c")
}

/// Tells whether an operation reduces all output axes of an operand to none and keeps its batch axes.
fn is_over_outputs(step: &Assignment, shapes: &Shapes) -> bool {
    let slots = &step.operation.slots;
    let combines = step.operation.accumulator.combine != Combine::Replace;
    let [result, operand] = [0, 1].map(|slot| &shapes[slots[slot].0]);
    step.logic == Family::Einsum
        && combines
        && result.output.rank() == 0
        && operand.output.rank() > 0
        && result.batch == operand.batch
}

/// Tells whether an operation makes the last batch axis of an operand an output of its result, as attention does with
/// its positions.
fn is_batch_made_output(shapes: &Shapes, step: &Assignment) -> bool {
    let slots = &step.operation.slots;
    let [Some(result), Some(left), Some(right)] = [0, 1, 2].map(|slot| slots.get(slot)) else {
        return false;
    };
    let row = |id: &TensorId, kind: Kind| shapes[id.0].row(kind);
    let is_pair = row(left, Kind::Batch) == row(right, Kind::Batch);
    let last = row(right, Kind::Batch).axes().last();
    is_pair
        && last.is_some()
        && row(result, Kind::Output).rank() == 1
        && row(result, Kind::Output).axes().last() == last
}
