//! Messages for sizes that do not fit, with sizes that would.

use std::fmt::Write;

use lozenge_vocabulary::{Dim, Mode, Window};

use super::propagate::Sized;
use super::solve::{self, Solved};
use crate::ids::WindowId;
use crate::state::engine::Engine;
use crate::term::Term;

/// The distance from an axis within which a fitting one is looked for.
const NEAR: u64 = 1 << 12;

impl Engine {
    /// Writes two bases that are not the same.
    pub(crate) fn bases(&self, one: Term, other: Term) -> String {
        let name = |term: Term| match self.problem.constants.dim(term.constant_id()) {
            Dim::Atom { basis, .. } => basis.name().to_string(),
            Dim::Unit => "1_".to_string(),
        };
        format!(
            "an axis and what it is made of have one basis, not {} and {}",
            name(one),
            name(other)
        )
    }

    /// Describes a window whose sizes do not fit: what they are, and what would fit.
    pub(crate) fn tiling(&self, at: WindowId, sized: &Sized) -> String {
        let window = &self.problem.windows[at];
        let taps: Option<Vec<u64>> = sized.taps.iter().copied().collect();
        let span = taps.and_then(|taps| solve::span(window, taps));
        let stride = window.stride;
        let (axis, over) = (sized.axis, sized.over);
        match (axis, over, span) {
            (Some(axis), None, Some(span)) => untiled(window, axis, span),
            (Some(axis), Some(over), Some(span)) => miscounted(window, axis, over, span),
            (None, Some(over), Some(span)) => {
                format!(
                    "{over} windows of {span} at stride {stride} are shorter than their margins"
                )
            }
            (Some(axis), Some(over), None) => {
                format!(
                    "{over} windows at stride {stride} do not lie on an axis of {axis}, whatever they span"
                )
            }
            _ => "the sizes do not fit".to_string(),
        }
    }
}

/// Says that no number of windows of this span tiles an axis, and which axes near it could be tiled.
fn untiled(window: &Window<Term>, axis: u64, span: i128) -> String {
    let stride = window.stride;
    let padded = i128::from(axis) + i128::from(window.low) + i128::from(window.high);
    // The axes that would fit are told without margins.
    let with_margins = match padded == i128::from(axis) {
        true => String::new(),
        false => format!(" ({padded} with the margins)"),
    };
    let mut message = match (padded < span, window.taps.is_empty()) {
        (true, _) => {
            format!("a window spans {span} cells, the axis has {axis}{with_margins}")
        }
        (false, true) => {
            let rest = padded % span;
            format!("{padded} is not {span} times anything (remainder {rest})")
        }
        (false, false) => {
            format!(
                "{axis} cells{with_margins} cannot be tiled by windows of {span} at stride {stride}"
            )
        }
    };
    let near = fitting_axes(window, axis, span);
    if !near.is_empty() {
        let _ = write!(message, ": an axis of {} can", near.join(" or "));
    }
    if window.mode == Mode::Exact && padded >= span {
        let _ = write!(
            message,
            "; `floor(…)` leaves {} unread, `same(…)` adds margins",
            (padded - span) % i128::from(stride.get())
        );
    }
    message
}

/// Finds the nearest shorter and the nearest longer axis that windows of this span tile, as texts.
fn fitting_axes(window: &Window<Term>, axis: u64, span: i128) -> Vec<String> {
    let fits = |axis: u64| matches!(solve::over(window, axis, span), Solved::Is(_));
    let below = (axis.saturating_sub(NEAR).max(1)..axis)
        .rev()
        .find(|axis| fits(*axis));
    let above = (axis..axis.saturating_add(NEAR))
        .skip(1)
        .find(|axis| fits(*axis));
    let near = [below, above].into_iter().flatten();
    near.map(|size| size.to_string()).collect()
}

/// Says that another number of windows lies on an axis, or that these windows lie on another axis.
fn miscounted(window: &Window<Term>, axis: u64, over: u64, span: i128) -> String {
    let stride = window.stride;
    let mut message =
        format!("{over} windows of {span} at stride {stride} do not lie on an axis of {axis}");
    if let Solved::Is(count) = solve::over(window, axis, span) {
        let _ = write!(message, ": {count} do");
    } else if let Solved::Is(length) | Solved::Between(length, _) = solve::axis(window, over, span)
    {
        let _ = write!(message, ": they lie on one of {length}");
    }
    message
}
