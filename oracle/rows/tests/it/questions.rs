//! The answers to all questions, compared with known ones and with enumeration.

mod answers;
mod examples;
mod finite;
mod probes;
mod programs;
mod samples;
mod scope;

use lozenge_vocabulary::ConstraintSet;

/// Returns the set that a text of the notation stands for.
fn set(text: &str) -> ConstraintSet {
    lozenge_vocabulary::notation::parse(text)
        .unwrap_or_else(|error| panic!("{error}"))
        .set
}
