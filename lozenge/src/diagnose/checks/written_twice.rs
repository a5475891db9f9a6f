//! The warning that windows of a result overlap where the last value stays: `map(d, "a, b => 2*a + b")` with 4 for b.

use lozenge_backend::LoopNest;
use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::operation::Combine;

use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;

/// Returns the messages about operations several of whose results meet in a cell that keeps one of them. A label that
/// the result does not have is written on purpose, so only windows count. The question whether windows meet is decided
/// within a budget, and windows of which it stays open are taken to meet.
pub(crate) fn check<'a>(
    text: Text<'a>,
    nests: &'a [LoopNest],
) -> impl Iterator<Item = Proposed> + 'a {
    let steps = text.program.steps.iter().zip(nests);
    steps.filter_map(move |(step, nest)| {
        let keeps_one = step.operation.accumulator.combine == Combine::Replace;
        if !keeps_one || !nest.overlaps() || step.record.is_some() {
            return None;
        }
        let result = &text.program[step.operation.slots[0]];
        let named = match result.name.contains('\'') {
            true => "the result".to_string(),
            false => format!("`{}`", result.name),
        };
        let headline = format!("windows of {named} overlap, and of several values of a cell the last one stays");
        let mut diagnostic = Diagnostic::new(step.span.clone(), headline, "writes cells more than once")
            .help("what meets in a cell is added by `sum` in place of `map`, or by `=:+` in place of `=:`");
        diagnostic.severity = Severity::Warning;
        Some(diagnostic.into())
    })
}
