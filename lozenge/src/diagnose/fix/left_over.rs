//! Fixes for two axes that differ because windows left cells over: the skip connection of a network that halves an odd
//! axis and doubles it again.

use lozenge_lang::{Diagnostic, Edit};
use lozenge_vocabulary::operation::Requirement;
use lozenge_vocabulary::operation::{Kind, TensorId};
use lozenge_vocabulary::program::{Assignment, Span};
use lozenge_vocabulary::window::Mode;
use lozenge_vocabulary::{Constraint, DimTerm};

use super::proposed::Proposed;
use crate::diagnose::known::Known;
use crate::diagnose::known::composite_axes::{axis_text, number_of, sizes};
use crate::diagnose::words::text::Text;

/// An axis of an operand that is longer than the one that it meets.
pub(crate) struct Longer {
    pub slot: usize,
    pub kind: Kind,
    /// The axis of the row, by its place.
    pub axis: usize,
    /// The number of its cells, and that of the other axis.
    pub cells: [u64; 2],
    /// The operand with the shorter axis.
    pub other: usize,
}

/// Windows that left cells of an axis over.
struct LeftOver {
    place: Span,
    left: u64,
    cells: u64,
}

/// Returns the message with the place of the windows that left cells over, and the change that leaves the same cells of
/// the longer axis out.
pub(crate) fn fixes(
    mut proposed: Proposed,
    known: &mut Known<'_>,
    text: Text<'_>,
    step: &Assignment,
    longer: &Longer,
) -> Proposed {
    let [cells, other] = longer.cells;
    if cells <= other {
        return proposed;
    }
    let found = left_over(known, text, step.operation.slots[longer.other]);
    // An axis that is a multiple of the one with the windows has the same multiple of cells left over.
    let is_cause = |found: &LeftOver| cells - other <= found.left * cells.div_ceil(found.cells);
    let Some(found) = found.filter(is_cause) else {
        return proposed;
    };
    let words = format!("leaves {} of {} cells over", found.left, found.cells);
    proposed.diagnostic = without(proposed.diagnostic, &found.place).other(found.place, words);
    let (more, name) = (cells - other, text.as_written(step, longer.slot));
    let place = step.slot_spans[longer.slot].clone();
    let rank = known
        .row(step.operation.slots[longer.slot], longer.kind)
        .rank();
    let (read, kept) = (
        shape(longer, rank, &format!("y^_:{more}")),
        shape(longer, rank, "y"),
    );
    let cropped = |operand: &str| format!("map({operand}, \"{read} => {kept}\")");
    let cells = match more {
        1 => "the last cell".to_string(),
        _ => format!("the last {more} cells"),
    };
    let help = format!(
        "windows left cells of an axis over; without {cells} of it `{name}` fits: `{}`",
        cropped(&name)
    );
    let edit = Edit {
        text: cropped(text.at(place.clone())),
        span: place,
    };
    proposed.or_moving(help, vec![edit])
}

/// Returns the message without a label that shows a place around this one.
fn without(mut message: Diagnostic, place: &Span) -> Diagnostic {
    let mut first = true;
    message.labels.retain(|label| {
        let shown = label.span();
        let is_around = shown.start <= place.start && place.end <= shown.end;
        std::mem::take(&mut first) || !is_around
    });
    message
}

/// Returns a shape in which one axis of a row is written, and all others are `...`.
fn shape(longer: &Longer, rank: usize, axis: &str) -> String {
    let behind = rank - 1 - longer.axis;
    let labels = |from: usize, count: usize| (from..from + count).map(|at| format!("x{at}, "));
    // A row has one `...`: it stands on the side of more axes, and the others have labels.
    let row: String = match longer.axis > behind {
        true => {
            let after =
                labels(0, behind).map(|label| format!(", {}", label.trim_end_matches(", ")));
            format!("..., {axis}{}", after.collect::<String>())
        }
        false => {
            let before: String = labels(0, longer.axis).collect();
            format!("{before}{axis}, ...")
        }
    };
    match longer.kind {
        Kind::Batch => format!("{row}|... -> ..."),
        Kind::Input => format!("...|{row} -> ..."),
        Kind::Output => format!("...|... -> {row}"),
    }
}

/// Returns the windows that left cells over among the operations that a tensor is computed by, the last of them.
fn left_over(known: &mut Known<'_>, text: Text<'_>, tensor: TensorId) -> Option<LeftOver> {
    let program = text.program;
    let mut from = vec![false; program.tensors.len()];
    from[tensor.0] = true;
    for step in program.steps.iter().rev() {
        if !from[step.operation.slots[0].0] {
            continue;
        }
        for slot in &step.operation.slots[1..] {
            from[slot.0] = true;
        }
        if let Some(found) = of_windows(known, text, step) {
            return Some(found);
        }
    }
    None
}

fn of_windows(known: &mut Known<'_>, text: Text<'_>, step: &Assignment) -> Option<LeftOver> {
    let windows = step
        .operation
        .requirements
        .iter()
        .filter_map(|stated| match stated {
            Requirement::Template(Constraint::Window(window)) if window.mode == Mode::Floor => {
                Some(window)
            }
            _ => None,
        });
    let windows: Vec<_> = windows.collect();
    if windows.is_empty() {
        return None;
    }
    let sizes = sizes(known, step);
    let size = |term: &DimTerm| match term {
        DimTerm::Var(var) => Some(sizes.get(var.name())?.0),
        DimTerm::Const(dim) => Some(dim.size()),
    };
    windows.into_iter().find_map(|window| {
        let cells = size(&window.axis)?;
        let taps = window.taps.iter().map(|(dilation, tap)| {
            let reach = size(tap)?.saturating_sub(1);
            reach.checked_mul(dilation.get())
        });
        let span = match window.taps.is_empty() {
            true => window.stride.get(),
            false => 1 + taps.sum::<Option<u64>>()?,
        };
        let padded = cells.checked_add(window.low)?.checked_add(window.high)?;
        let left = padded.checked_sub(span)? % window.stride.get();
        let place = axis_text(text, step, number_of(&window.axis)).filter(|_| left > 0)?;
        Some(LeftOver { place, left, cells })
    })
}
