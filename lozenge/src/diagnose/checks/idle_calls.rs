//! A function of the prelude that gives back its argument, such as `dropout` outside of a section that trains, in the
//! way of a gradient.

use std::collections::BTreeSet;

use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Predefined, Program, Section, Span};

use crate::diagnose::fix::proposed::{Proposed, called};
use crate::diagnose::words::text::Text;
use crate::options::MAX_FOUND;

/// Returns the warnings about calls that do nothing although a parameter is trained with what they give back. A loss
/// that a section trains has such calls only in lines that evaluate.
pub(crate) fn check(text: Text<'_>) -> Vec<Proposed> {
    let program = text.program;
    let idle = |call: &&Predefined| call.steps.is_empty() && !call.arguments.is_empty();
    let mut calls: Vec<&Predefined> = program.predefined.iter().filter(idle).collect();
    calls.retain(|call| !is_trained(program, call.steps.start));
    let mut problems = Vec::new();
    for (loss, span) in program.losses.iter().take(MAX_FOUND) {
        if calls.is_empty() {
            break;
        }
        let mut steps = program.steps.iter();
        let made =
            steps.rposition(|step| step.operation.slots[0] == *loss && step.record.is_none());
        let Some(made) = made.filter(|made| !is_trained(program, *made)) else {
            continue;
        };
        let behind = behind(program, *loss, made);
        let is_told = |call: &&Predefined| {
            let mut arguments = call.arguments.iter();
            call.steps.start <= made && arguments.any(|(argument, _)| behind.contains(argument))
        };
        let told: BTreeSet<(usize, usize)> = calls
            .iter()
            .filter(|call| is_told(call))
            .map(|call| {
                problems.push(called(program, call.call, message(text, call, span)));
                (call.span.start, call.span.end)
            })
            .collect();
        calls.retain(|call| !told.contains(&(call.span.start, call.span.end)));
    }
    problems
}

/// Tells whether an operation stands in a section that trains.
fn is_trained(program: &Program, at: usize) -> bool {
    let trains = |section: &Section| section.training && section.steps.contains(&at);
    program.sections.iter().any(trains)
}

/// Returns the tensors on which the result of an operation depends.
fn behind(program: &Program, loss: TensorId, made: usize) -> BTreeSet<TensorId> {
    let mut behind = BTreeSet::from([loss]);
    for step in program.steps[..=made].iter().rev() {
        let slots = &step.operation.slots;
        if behind.contains(&slots[0]) {
            behind.extend(slots[1..].iter().copied());
        }
    }
    behind
}

fn message(text: Text<'_>, call: &Predefined, loss: &Span) -> Proposed {
    let function = &call.function;
    let gives = match call.arguments.first() {
        Some((_, span)) if *span != call.span => {
            format!("gives back `{}`", text.excerpt(span.clone()))
        }
        _ => "gives back what it is given".to_string(),
    };
    let headline = format!("`{function}` does nothing here: it does only in a section that trains");
    let mut diagnostic = Diagnostic::new(call.span.clone(), headline, gives)
        .other(loss.clone(), "this is in no section that trains")
        .help("repeat the lines in a section: `train 100 steps:` in place of `for i in 0..100:`");
    diagnostic.severity = Severity::Warning;
    diagnostic.into()
}
