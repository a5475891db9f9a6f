//! The conflicts of a program: each operation that contradicts those before it, with the message about it.
//!
//! The operations are asserted one by one. One that contradicts those before it is reported and left out, so that the
//! next conflict is one of its own. The message is the first that fits: the makers of messages are asked from the most
//! special one to [`general`], which is about every refusal.

use lozenge_lang::{Diagnostic, Label};
use lozenge_solver::Refusal as SolverRefusal;
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Family, Origin, Program};

use super::general::{general, why};
use super::{einsum, parts, reversed, rows, unmet, unsized_labels, windows, written_shape};
use crate::diagnose::fix::proposed::{Proposed, Stage, at, called, once};
use crate::diagnose::known::mismatch::mismatch;
use crate::diagnose::known::reach::Retracted;
use crate::diagnose::known::{Kept, Known, is_on_batches};
use crate::diagnose::words::text::Text;
use crate::options::{MAX_FOUND, MAX_REFUSALS};

/// Returns the conflicts of operations with those before them, the operations that were left out, and what is known of
/// the others.
pub(crate) fn contradictions<'p>(
    program: &'p Program,
    text: Text<'_>,
) -> (Known<'p>, Vec<Retracted>, Vec<Proposed>) {
    let mut known = Known::new(program);
    let (mut retracted, mut problems, mut found) = (Vec::new(), Vec::new(), 0);
    let mut left_out: Vec<Retracted> = Vec::new();
    let is_enough =
        |found: usize, problems: &[_]| found == MAX_FOUND || problems.len() == MAX_REFUSALS;
    for step in 0..program.steps.len() {
        if let Some(first) = of_an_earlier_turn(program, &left_out, step) {
            let only_rows = first.only_rows && known.assert(Kept::batches(step)).is_ok();
            retracted.push(Retracted { step, only_rows });
            continue;
        }
        while let Err(refusal) = known.assert(Kept::own(step)) {
            let behind = known.behind(&refusal, Some(Kept::own(step)));
            let (problem, wrong) = conflict(&mut known, text, step, &refusal);
            found += 1;
            if !is_of_a_later_turn(program, &retracted, wrong) {
                problems.push(called(program, program.steps[wrong].call, problem));
            }
            if wrong != step {
                known = known.without(wrong);
            }
            let only_rows =
                keeps_its_batches(program, &behind, wrong) && known.assert_batches(wrong);
            problems = once(problems);
            let one = Retracted {
                step: wrong,
                only_rows,
            };
            retracted.push(one);
            left_out.push(one);
            if wrong == step || is_enough(found, &problems) {
                break;
            }
        }
        let is_left_out = left_out.last().is_some_and(|one| one.step == step);
        for kept in Kept::written(program, step).filter(|_| !is_left_out) {
            if is_enough(found, &problems) {
                break;
            }
            if let Err(refusal) = known.assert(kept)
                && let Some(problem) = written_shape::other_shape(&mut known, text, kept, &refusal)
            {
                found += 1;
                problems.push(problem);
                problems = once(problems);
                retracted.push(Retracted {
                    step,
                    only_rows: false,
                });
            }
        }
        if is_enough(found, &problems) {
            break;
        }
    }
    retracted.sort_unstable();
    retracted.dedup_by_key(|one| one.step);
    (known, retracted, at(Stage::Shapes, problems))
}

/// Tells whether an operation belongs to a later iteration of a loop, of which an earlier iteration has an operation
/// that was left out. The carried values are then not those that the program means, and their conflicts would only
/// repeat the first one.
fn is_of_a_later_turn(program: &Program, retracted: &[Retracted], step: usize) -> bool {
    let first = (0..step).find(|earlier| is_at_the_same_place(program, *earlier, step));
    first.is_some_and(|first| {
        let turns = first..step;
        retracted.iter().any(|one| turns.contains(&one.step))
    })
}

/// Returns the operation at the same place in an earlier iteration of a loop, if it was left out for a conflict.
/// Solving it in each iteration would only find that conflict again.
fn of_an_earlier_turn(program: &Program, left_out: &[Retracted], step: usize) -> Option<Retracted> {
    let mut earlier = left_out.iter().filter(|one| one.step < step);
    earlier
        .find(|one| is_at_the_same_place(program, one.step, step))
        .copied()
}

/// Tells whether two operations have the same place in the text, and so have the calls that they are part of.
fn is_at_the_same_place(program: &Program, one: usize, other: usize) -> bool {
    let (one, other) = (&program.steps[one], &program.steps[other]);
    let calls = |call: Option<usize>| {
        std::iter::successors(call, |call| program.calls[*call].within)
            .map(|call| &program.calls[call].span)
    };
    one.span == other.span && calls(one.call).eq(calls(other.call))
}

/// Tells whether no requirement of an operation on batch rows takes part in a refusal. Then none of the changes that
/// fix the other rows concerns them. An operation with a spec may move axes from one row to another.
fn keeps_its_batches(program: &Program, behind: &[Origin], wrong: usize) -> bool {
    let step = &program.steps[wrong];
    let of_this = behind.iter().filter(|origin| origin.step == wrong);
    let mut requirements = of_this.map(|origin| &step.operation.requirements[origin.requirement]);
    step.logic != Family::Einsum && !requirements.any(is_on_batches)
}

/// Returns the message that an operation contradicts those before it, and which of them is wrong.
fn conflict(
    known: &mut Known<'_>,
    text: Text<'_>,
    at: usize,
    refusal: &SolverRefusal,
) -> (Proposed, usize) {
    let program = text.program;
    let step = &program.steps[at];
    let behind = known.behind(refusal, Some(Kept::own(at)));
    if let Some(proposed) = reversed::reversed(known, text, refusal, &behind) {
        return proposed;
    }
    let mut proposed = if step.logic == Family::Einsum {
        einsum::unfit(known, text, step, &behind)
            .or_else(|| windows::unfit(known, text, step))
            .or_else(|| parts::unfit(known, text, step))
            .or_else(|| rows::unequal(known, text, step, &behind))
            .or_else(|| unsized_labels::unfit_together(known, text, step, refusal))
    } else {
        mismatch(known, step).map(|mismatch| unmet::unmet(known, text, step, &mismatch, &behind))
    }
    .unwrap_or_else(|| {
        let mut told = general(text, refusal, &behind);
        if step.logic == Family::Einsum {
            told = with_operands(known, text, step, told);
            told.diagnostic = with_parts(known, text, at, &behind, told.diagnostic);
        }
        told
    });
    let mut more = 0;
    for origin in behind.iter().filter(|origin| origin.step != at) {
        let span = program.steps[origin.step].span.clone();
        // A part of an expression that has a label, and what it is a part of, would repeat what the label shows.
        let labels = &proposed.diagnostic.labels;
        let is_shown = |label: &Label| {
            let shown = label.span();
            shown.start < span.end && span.start < shown.end
        };
        if more < 3 && !labels.iter().any(is_shown) {
            proposed.diagnostic = proposed.diagnostic.other(span, "these axes meet here, too");
            more += 1;
        }
    }
    proposed.diagnostic.why = why(refusal, &behind);
    (proposed, at)
}

/// Returns the message about an operation with a spec, with the shapes of its operands that the program names.
fn with_operands(
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    told: Proposed,
) -> Proposed {
    let (mut empty, mut classes) = (None, 10);
    let mut message = told.diagnostic;
    for slot in 1..step.operation.slots.len() {
        let tensor = step.operation.slots[slot];
        message = with_shape(known, text, tensor, message);
        let outputs = known.row(tensor, Kind::Output);
        match &outputs.flat()[..] {
            [] if !known.can_grow(tensor, Kind::Output) => empty = Some(text.name(step, slot)),
            [one] => classes = one.size(),
            _ => {}
        }
    }
    let message = match empty {
        Some(name) => rows::with_classes(message, text, step, &name, classes),
        None => message.into(),
    };
    message.or_all(told.candidates)
}

/// Returns the message with the shapes of what other operations write into the same tensor, since a stack is an
/// operation for each of its elements.
fn with_parts(
    known: &mut Known<'_>,
    text: Text<'_>,
    at: usize,
    behind: &[Origin],
    mut message: Diagnostic,
) -> Diagnostic {
    let steps = &text.program.steps;
    let made = steps[at].operation.slots[0];
    for origin in behind.iter().filter(|origin| origin.step != at) {
        let slots = &steps[origin.step].operation.slots;
        if slots[0] == made {
            for tensor in &slots[1..] {
                message = with_shape(known, text, *tensor, message);
            }
        }
    }
    message
}

/// Returns the message with the shape of a tensor, if the program names it and the message does not have its place yet.
fn with_shape(
    known: &mut Known<'_>,
    text: Text<'_>,
    tensor: TensorId,
    message: Diagnostic,
) -> Diagnostic {
    let place = text.place(tensor);
    let is_new = message.labels.iter().all(|label| label.span() != place);
    if !text.is_declared(tensor) || !is_new {
        return message;
    }
    let name = &text.program[tensor].name;
    let words = format!("`{name}` is `{}`", known.shape_text(tensor));
    message.other(place, words)
}
