//! R1: a result has an axis longer than 1 that no operand has, because a later line needs it.

use lozenge_lang::Diagnostic;
use lozenge_vocabulary::Row;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Kind, Shape};
use lozenge_vocabulary::program::{Assignment, Family, Program};

use super::Operation;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;
use crate::infer::{infer_shapes, shape_text};
use crate::options::Options;

pub(crate) fn check(
    operation: &Operation<'_>,
    text: Text<'_>,
    options: &Options,
) -> Option<Proposed> {
    let (kind, dim) = stray(operation)?;
    let step = operation.step;
    let result = &text.program[step.operation.slots[0]].name;
    let asked =
        asking(text.program, operation.at, options).filter(|asking| *asking != operation.at);
    let shape = shape_text(operation.shapes[0]);
    let made = text.at(step.span.clone());
    let made: String = made.chars().take(40).collect();
    let named = match result.split_once('\'') {
        Some(_) => format!("`{made}`"),
        None => format!("`{result}`"),
    };
    let headline = format!("{named} gets {}: no operand has one of {dim}", axis(kind));
    let Some(asking) = asked else {
        let diagnostic = Diagnostic::new(step.span.clone(), headline, format!("`{shape}`"));
        let target = step.operation.slots[0];
        let written = text.written_shape(target);
        let removed = written.map(|shape| lozenge_lang::Edit {
            span: text.program[target].span.end..shape.end,
            text: String::new(),
        });
        let help = "a written shape adds no axis: leave it out, or give the axis to an operand";
        return Some(Proposed::from(diagnostic).or(help, removed.into_iter().collect()));
    };
    let later = &text.program.steps[asking];
    let headline = match later.logic {
        Family::Compose => format!(
            "`{}` contracts {} of {named} that no operand of {named} has",
            text.at(later.span.clone()),
            axis(kind)
        ),
        _ => headline,
    };
    let mut diagnostic = Diagnostic::new(
        later.span.clone(),
        headline,
        format!("needs {named} to be `{shape}`"),
    );
    for (slot, span) in step.slot_spans.iter().enumerate().skip(1) {
        let shape = shape_text(operation.shapes[slot]);
        diagnostic = diagnostic.other(
            span.clone(),
            format!("made from `{}`, which is `{shape}`", text.name(step, slot)),
        );
    }
    let mut proposed = Proposed::from(diagnostic);
    if let Some(star) = text
        .operator(later, "*")
        .filter(|_| later.logic == Family::Compose)
    {
        let [left, right] = [1, 2].map(|slot| text.as_written(later, slot));
        let scale = vec![lozenge_lang::Edit {
            span: star,
            text: "*.".into(),
        }];
        proposed = proposed
            .or(format!("cell by cell is `{left} *. {right}`"), scale)
            .or(
                format!("the other way round it fits: `{right} * {left}`"),
                text.exchanged(later),
            );
    }
    Some(proposed)
}

fn axis(kind: Kind) -> &'static str {
    match kind {
        Kind::Batch => "a batch axis",
        Kind::Input => "an input",
        Kind::Output => "an output",
    }
}

/// Returns the first axis of the result, longer than 1, that faces no axis of an operand of its size.
fn stray(operation: &Operation<'_>) -> Option<(Kind, Dim)> {
    if !operation.broadcasts() {
        return None;
    }
    Kind::ALL.into_iter().find_map(|kind| {
        let operands = operation.operands(kind);
        let row = operation.shapes[0].row(kind);
        let leading = row.leading.iter().enumerate().find(|(place, dim)| {
            dim.size() > 1
                && !operands
                    .iter()
                    .any(|operand| operand.leading.get(*place) == Some(*dim))
        });
        let trailing = row.trailing.iter().rev().enumerate().find(|(place, dim)| {
            let facing = |operand: &&Row| operand.trailing.iter().rev().nth(*place) == Some(*dim);
            dim.size() > 1 && !operands.iter().any(facing)
        });
        leading.or(trailing).map(|(_, dim)| (kind, dim.clone()))
    })
}

/// Returns the operation with which the axis first appears, found over prefixes of the program: twice as many further
/// operations each time, since it is mostly the next one that reads the result, and then by bisection.
fn asking(program: &Program, at: usize, options: &Options) -> Option<usize> {
    let appears = |last: usize| {
        let before = Program {
            tensors: program.tensors.clone(),
            steps: program.steps[..=last].to_vec(),
            checks: program.checks.clone(),
            ..Program::default()
        };
        let Ok(inference) = infer_shapes(&before, options) else {
            return false;
        };
        let step: &Assignment = &program.steps[at];
        let shapes: Vec<&Shape<Row>> = step
            .operation
            .slots
            .iter()
            .map(|slot| &inference.shapes[slot.0])
            .collect();
        stray(&Operation {
            program,
            at,
            step,
            shapes: &shapes,
        })
        .is_some()
    };
    let last = program.steps.len() - 1;
    let (mut low, mut high) = (at, at);
    while high < last && !appears(high) {
        low = high + 1;
        high = last.min(at + 2 * (high - at) + 1);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match appears(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Some(low)
}
