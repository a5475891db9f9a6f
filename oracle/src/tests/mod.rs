//! What the oracle's own tests share.

mod answers;
mod beyond_window;
mod examples;
mod finite;
mod limits;
mod probes;
mod programs;
mod random;
mod samples;
mod scope;
mod windows;

use lozenge_vocabulary::ConstraintSet;

/// The set that a text of the notation stands for.
pub(crate) fn set(text: &str) -> ConstraintSet {
    lozenge_vocabulary::notation::parse(text)
        .unwrap_or_else(|error| panic!("{error}"))
        .set
}
