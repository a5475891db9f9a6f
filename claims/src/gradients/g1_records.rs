//! Backward programs and the records over which they run.

mod derivatives;
mod drawn_programs;
mod maps;
mod random_program;

use crate::formal_core::Case;
use crate::machinery::{Check, Claim};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Case>]] = &[&[
    Claim::new(
        "Gradients.1",
        "Each operation of a backward program has a record. Its points are those of the record, and at each of them it has the index \
         maps of the record: for a tensor its own, and for a gradient that of its tensor.",
        &[Check::Search(maps::of_the_record)],
    ),
    Claim::new(
        "Gradients.2",
        "Nothing is inferred for a backward program: it states no constraint, the program has the constraints and shapes that it has \
         without `backward`, and a gradient has the rows of its tensor.",
        &[Check::Search(maps::nothing_is_inferred)],
    ),
    Claim::new(
        "Gradients.3",
        "The gradient of a parameter is the derivative of the loss at each of its cells.",
        &[Check::Search(derivatives::of_polynomials)],
    ),
]];
