//! Backward programs and the records over which they run.

mod derivatives;
mod drawn_programs;
mod kinks;
mod maps;
mod random_program;
mod shares;

use crate::formal_core::Case;
use crate::machinery::{Check, Claim};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Case>]] = &[&[
    Claim::new(
        "Gradients.1",
        "Each operation of a backward program has a record. Its points are those of the record, and at each of them it has the index \
         maps of the record: for a tensor its own, and for a gradient or a count of ties that of its tensor.",
        &[Check::Search(maps::of_the_record)],
    ),
    Claim::new(
        "Gradients.2",
        "Nothing is inferred for a backward program: it states no constraint, the program has the constraints and shapes that it has \
         without `backward`, and a gradient or a count of ties has the rows of its tensor.",
        &[Check::Search(maps::nothing_is_inferred)],
    ),
    Claim::new(
        "Gradients.3",
        "The gradient of a parameter is the derivative of the loss at each of its cells along which each value on which the loss depends \
         has a derivative.",
        &[
            Check::Search(derivatives::of_polynomials),
            Check::Search(kinks::beside_kinks),
        ],
    ),
    Claim::new(
        "Gradients.4",
        "A result of a maximum or a minimum hands back what it has received, in equal shares to the points of its record that attain it; of \
         two operands of one point, in equal shares to those that attain it.",
        &[Check::Search(shares::of_ties)],
    ),
]];
