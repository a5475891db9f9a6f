//! Gadgets: small sets that force a marker to a place, double a length, add lengths, or colour a graph.

mod gadget_sets;
mod pins;

use crate::formal_core::Case;
use crate::machinery::{Check, Claim};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Case>]] = &[&[
    Claim::new(
        "Decision.8(left)",
        "`[c <x>] <= <x>` holds if X<x> = 0, and if the first axis of `<x>` is an atom other than c, only then.",
        &[
            Check::Theorem(&["Lengths.pin_left_zero", "Lengths.pin_left_only"]),
            Check::Proof(pins::left),
        ],
    ),
    Claim::new(
        "Decision.8(right)",
        "`[<x> c] <= <x>` holds if Y<x> = 0, and if the last axis of `<x>` is an atom other than c, only then.",
        &[
            Check::Theorem(&["Lengths.pin_right_zero", "Lengths.pin_right_only"]),
            Check::Proof(pins::right),
        ],
    ),
    Claim::new(
        "Decision.8(place)",
        "Where `[c <x>] <= <x>` holds, each axis of `<x>` in front of the marker is c or the unit: X<x> is at most the place of the first \
         axis that is neither.",
        &[
            Check::Theorem(&["Lengths.pin_place"]),
            Check::Proof(pins::place),
        ],
    ),
    Claim::new(
        "Decision.9(doubling)",
        "If `<a>` and `<b>` have the same content, Y<a> = 0 and X<b> = 0, a row below both has at least twice their rank.",
        &[
            Check::Theorem(&["Lengths.doubling"]),
            Check::Proof(pins::doubling),
        ],
    ),
    Claim::new(
        "Decision.9(tower)",
        "With n such steps over a row of 2 axes the rows double n times, and no more: the least total rank is 12·(2ⁿ - 1) + 4. So the least \
         rank can be exponential in the number of variables.",
        &[Check::Search(gadget_sets::tower)],
    ),
    Claim::new(
        "Decision.10(at most)",
        "In the set of the exact sum, the rank of `<u>` is the sum of those of `<i>` and `<j>`, whatever these are.",
        &[
            Check::Theorem(&["Lengths.exact_sum_rank"]),
            Check::Proof(pins::sum),
        ],
    ),
    Claim::new(
        "Decision.10(reached)",
        "The set of the exact sum has a solution in which `<u>` has the rank k iff k is the sum of the ranks of `<i>` and `<j>`.",
        &[Check::Search(gadget_sets::sum)],
    ),
    Claim::new(
        "Decision.11",
        "`[a, b, x, y, z, t <w>] ~ [<w> 3, 5, 7, 3, 7, 5]` has a solution with given a and b iff they are two different ones of 3, 5 and 7. \
         So equations colour graphs with three colours.",
        &[
            Check::Theorem(&["Lengths.colouring_iff"]),
            Check::Search(gadget_sets::colouring),
        ],
    ),
]];
