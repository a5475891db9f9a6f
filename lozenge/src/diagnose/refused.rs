//! Every message about a program that has no shapes or loop nests, or that could be read in part.

use lozenge_vocabulary::program::Program;

use super::checks;
use super::conflict::contradictions::contradictions;
use super::conflict::general::not_its_own;
use super::conflict::{parts, undetermined, unsized_labels};
use super::fix::proposed::at;
use crate::diagnose::fix::proposed::{Proposed, Stage, once};
use crate::diagnose::known::Known;
use crate::diagnose::known::reach::Reach;
use crate::diagnose::words::text::Text;
use crate::options::{MAX_REFUSALS, Options};
use crate::refusal::{Reason, Refusal};

/// Returns every message about a program without shapes or loop nests that does not follow from another one, in order.
/// `refusal` is that of the whole program.
///
/// The operations are asserted one by one. An operation that contradicts those before it is reported and left out. Of
/// the rest, what cannot be otherwise once these are fixed is reported as well: hidden sizes, and operations on shapes
/// that are certain.
pub(crate) fn conflicts(
    program: &Program,
    source: &str,
    refusal: &Refusal,
    options: &Options,
) -> Vec<Proposed> {
    if let Err(foreign) = program.check() {
        return vec![not_its_own(&foreign).into()];
    }
    let text = Text::new(program, source);
    if matches!(refusal.reason, Reason::Limit(_) | Reason::Foreign(_)) {
        return vec![refusal.diagnostic(program).into()];
    }
    if let Reason::Projection { operation, .. } | Reason::Nest { operation, .. } = refusal.reason {
        return unbuilt(text, refusal, operation, options);
    }
    let (mut known, retracted, mut problems) = contradictions(program, text);
    if problems.len() == MAX_REFUSALS {
        return problems;
    }
    if let (true, Reason::Shapes(conflict)) = (problems.is_empty(), &refusal.reason) {
        problems.extend(unsized_labels::unsized_label(text, &conflict.refusal));
        problems.extend(parts::uncounted(&mut known, text, &conflict.refusal));
        if !problems.is_empty() {
            return at(Stage::Shapes, problems);
        }
    }
    let mut reach = Reach::new(program, &retracted);
    let hidden = undetermined::hidden(&mut known, text, &mut reach);
    problems.extend(at(Stage::Closing, hidden.problems));
    problems.extend(match &hidden.closed {
        // With the sizes that are proposed every shape is known.
        Some(closed) if retracted.is_empty() => {
            checks::apart(text, closed, &Reach::of_nothing(program), options)
        }
        _ => checks::apart(text, &known, &reach, options),
    });
    if let Some(closed) = hidden.closed {
        let assumed = &hidden.assumed;
        problems.extend(checks::parameters_apart(
            text, &closed, &mut reach, assumed, options,
        ));
    }
    if problems.is_empty() {
        problems.push(refusal.diagnostic(program).into());
    }
    let mut problems = once(problems);
    problems.truncate(MAX_REFUSALS);
    problems
}

/// Returns the messages about the operations of a program that could be read in part. More operations can only add
/// contradictions, so what contradicts itself is wrong whatever the rest says.
pub(crate) fn conflicts_of_a_part(
    program: &Program,
    source: &str,
    options: &Options,
) -> Vec<Proposed> {
    let text = Text::new(program, source);
    let (known, retracted, mut problems) = contradictions(program, text);
    let reach = Reach::new(program, &retracted);
    problems.extend(checks::apart(text, &known, &reach, options));
    let mut problems = once(problems);
    problems.truncate(MAX_REFUSALS);
    problems
}

/// Returns the messages about a program whose shapes are known, and of which some operations have no loop nest.
fn unbuilt(
    text: Text<'_>,
    refusal: &Refusal,
    operation: usize,
    options: &Options,
) -> Vec<Proposed> {
    let mut closed = Known::new(text.program).of_all();
    let mut problems = Vec::new();
    if closed.close().is_ok() {
        let mut reach = Reach::of_nothing(text.program);
        problems = checks::apart(text, &closed, &reach, options);
        problems.extend(checks::parameters_apart(
            text,
            &closed,
            &mut reach,
            &[],
            options,
        ));
    }
    let step = text.program.steps.get(operation);
    if problems.is_empty() || step.is_some_and(|step| step.record.is_some()) {
        let own = Proposed::from(refusal.diagnostic(text.program));
        problems.extend(at(Stage::Closed, vec![own]));
    }
    problems
}
