//! The answers of the procedure, and its termination.

mod complete_answers;
mod strips;
mod what_follows;

use crate::formal_core::Case;
use crate::machinery::{Check, Claim};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Case>]] = &[&[
    Claim::new(
        "Decision.12",
        "A solution of complete mode is one of least total rank, and the greatest one at its lengths. Where it says that there is none, \
         there is none at any lengths.",
        &[Check::Search(complete_answers::least_and_greatest)],
    ),
    Claim::new(
        "Decision.13",
        "For any fixed set of clauses, the search for a point of least total rank terminates.",
        &[Check::Nothing(
            "this is a statement about the way in which the search divides branches, and not about instances; the proof is on paper \
             only, in docs/decidability.md",
        )],
    ),
    Claim::new(
        "Decision.14",
        "A constraint holds in every solution of a set iff the set has a solution in none of the cases in which the constraint does not hold: \
         at lengths that do not fit it, or at one place of its rows with two axes that do not fit each other, of which two atoms that nothing \
         mentions are enough.",
        &[
            Check::Theorem(&["Cases.entailed_iff"]),
            Check::Search(what_follows::follows),
        ],
    ),
    Claim::new(
        "Decision.15",
        "Strip lemma: of a graph on the places (q, i), q one of n rows and 0 ≤ i < L, that is invariant under shift and whose edges go at most \
         one place further, which places of the two ends reach which depends, from L = n² + 1 on, only on L mod lcm(1, …, n).",
        &[Check::Search(strips::periodic)],
    ),
]];
