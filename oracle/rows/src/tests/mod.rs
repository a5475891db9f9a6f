//! Tests of the internals: windows, limits, and the cost of an answer. The answers are tested in `oracle/rows/tests`.

mod beyond_window;
mod effort;
mod limits;
mod windows;

use lozenge_vocabulary::ConstraintSet;

/// Returns the set that a text of the notation stands for.
pub(crate) fn set(text: &str) -> ConstraintSet {
    lozenge_vocabulary::notation::parse(text)
        .unwrap_or_else(|error| panic!("{error}"))
        .set
}
