//! R4: operands of a pointwise operation have axes at different ends of a row, so that the result is longer than each
//! of them.

use lozenge_lang::{Diagnostic, Severity};
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Assignment, Family};
use lozenge_vocabulary::{Dim, Row};

use super::Operation;
use crate::diagnose::fix::proposed::Proposed;
use crate::diagnose::words::text::Text;
use crate::infer::shape_text;

pub(crate) fn check(operation: &Operation<'_>, text: Text<'_>) -> Option<Proposed> {
    let step = operation.step;
    if step.logic != Family::Pointwise || !operation.broadcasts() {
        return None;
    }
    let (kind, pair) = Kind::ALL.into_iter().find_map(|kind| {
        let pair = apart(&operation.operands(kind))?;
        Some((kind, pair.map(|operand| operand + 1)))
    })?;
    let [left, right] = pair.map(|slot| text.name(step, slot));
    let row = |slot: usize| operation.shapes[slot].row(kind);
    let equal = row(pair[0]).flat_equivalent(row(pair[1]));
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
    for slot in pair {
        let shape = shape_text(operation.shapes[slot]);
        let side = match before(row(slot)) == 0 {
            true => "its axes stand behind the marker",
            false => "its axes stand before the marker",
        };
        diagnostic = diagnostic.other(step.slot_spans[slot].clone(), format!("`{shape}`: {side}"));
    }
    diagnostic.severity = match equal {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let proposed = Proposed::from(diagnostic);
    Some(match equal {
        true => paired(proposed, text, step, &operation.operands(kind), kind),
        false => proposed,
    })
}

/// Returns two operands, in their order, of which one has the most axes before its marker and the other the most behind
/// it, if these are more together than any operand has. Of several such pairs it is one with equal sizes. Axes that
/// later lines ask of the result do not count: they are nobody's. Nor do units next to the marker, which pair with
/// everything.
fn apart(operands: &[&Row]) -> Option<[usize; 2]> {
    let most = |length: fn(&Row) -> usize| operands.iter().map(|row| length(row)).max();
    let leading = most(before)?;
    let trailing = most(behind)?;
    if operands.iter().any(|row| row.rank() >= leading + trailing) {
        return None;
    }
    let having = |is_one: &dyn Fn(&Row) -> bool| -> Vec<usize> {
        let all = 0..operands.len();
        all.filter(|at| is_one(operands[*at])).collect()
    };
    let first = having(&|row| before(row) == leading);
    let second = having(&|row| behind(row) == trailing);
    let pairs = || {
        let pairs = first
            .iter()
            .map(|one| second.iter().map(|other| [*one, *other]));
        pairs.flatten()
    };
    let alike = pairs().find(|[one, other]| operands[*one].flat_equivalent(operands[*other]));
    let mut pair = alike.or_else(|| pairs().next())?;
    pair.sort_unstable();
    Some(pair)
}

/// Counts the axes before the marker, from the outside to the last that does not broadcast.
fn before(row: &Row) -> usize {
    let innermost = row.leading.iter().rposition(|axis| *axis != Dim::Unit);
    innermost.map_or(0, |at| at + 1)
}

/// Counts the axes behind the marker, likewise.
fn behind(row: &Row) -> usize {
    let innermost = row.trailing.iter().position(|axis| *axis != Dim::Unit);
    innermost.map_or(0, |at| row.trailing.len() - at)
}

/// Returns the message with the spec that pairs the axes, if each operand has all of them or none.
fn paired(
    proposed: Proposed,
    text: Text<'_>,
    step: &Assignment,
    rows: &[&Row],
    kind: Kind,
) -> Proposed {
    let rank = rows.iter().map(|row| row.rank()).max().unwrap_or(0);
    if rows.iter().any(|row| ![0, rank].contains(&row.rank())) {
        return proposed;
    }
    let labels: Vec<String> = (1..=rank).map(|axis| format!("x{axis}")).collect();
    let shape = |rank: usize| {
        let axes = labels[..rank].join(", ");
        match (kind, rank) {
            (Kind::Batch, 0) => "... -> ...".into(),
            (Kind::Batch, _) => format!("{axes}|... -> ..."),
            (Kind::Input, _) => format!("...|{axes} -> ..."),
            (Kind::Output, _) => format!("...|... -> {axes}"),
        }
    };
    let operands: Vec<String> = rows.iter().map(|row| shape(row.rank())).collect();
    let spec = format!("{} => {}", operands.join("; "), shape(rank));
    let (mapped, edits) = text.mapped(step, &spec);
    proposed.or(format!("a spec pairs them: {mapped}"), edits)
}
