//! R4: a row of a pointwise result is longer than that of every operand, because they are aligned from different ends.

use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::Family;

use super::Operation;
use crate::inference::shape_text;
use crate::message::suggestion::Proposed;
use crate::message::text::Text;

pub(super) fn check(operation: &Operation<'_>, text: Text<'_>) -> Option<Proposed> {
    let step = operation.step;
    if step.logic != Family::Pointwise || !operation.broadcasts() || operation.shapes.len() != 3 {
        return None;
    }
    let longer = |kind: &Kind| {
        let row = operation.shapes[0].row(*kind);
        operation
            .operands(*kind)
            .iter()
            .all(|operand| operand.rank() < row.rank())
    };
    let kind = Kind::ALL.into_iter().find(longer)?;
    let [left, right] = [1, 2].map(|slot| text.name(step, slot));
    let rows = operation.operands(kind);
    let equal = rows[0].flat_equivalent(rows[1]);
    let headline = match equal {
        true => format!("`{left}` and `{right}` have equal sizes and do not pair"),
        false => format!(
            "the {} axes of `{left}` and `{right}` do not pair",
            kind.word()
        ),
    };
    let result = shape_text(operation.shapes[0]);
    let mut diagnostic = Diagnostic::new(
        step.span.clone(),
        headline,
        format!("the result is `{result}`"),
    );
    for slot in [1, 2] {
        let shape = shape_text(operation.shapes[slot]);
        let row = operation.shapes[slot].row(kind);
        let side = match row.leading.is_empty() {
            true => "its axes stand behind the marker",
            false => "its axes stand before the marker",
        };
        diagnostic = diagnostic.other(step.slot_spans[slot].clone(), format!("`{shape}`: {side}"));
    }
    diagnostic.severity = if equal {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut proposed = Proposed::from(diagnostic);
    if equal {
        let labels: Vec<String> = (1..=rows[0].rank())
            .map(|axis| format!("x{axis}"))
            .collect();
        let axes = labels.join(", ");
        let shape = |axes: &str| match kind {
            Kind::Batch => format!("{axes}|... -> ..."),
            Kind::Input => format!("...|{axes} -> ..."),
            Kind::Output => format!("...|... -> {axes}"),
        };
        let shape = shape(&axes);
        let spec = format!("{shape}; {shape} => {shape}");
        let (mapped, edits) = text.mapped(step, &spec);
        proposed = proposed.or(format!("a spec pairs them: {mapped}"), edits);
    }
    Some(proposed)
}
