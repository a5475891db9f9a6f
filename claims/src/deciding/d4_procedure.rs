//! What the procedure answers, and that it ends.

mod complete_answers;

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
]];
