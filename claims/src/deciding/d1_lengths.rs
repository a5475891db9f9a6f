//! Lengths, Lemmas 1 and 2, and the loop rule.

mod lemma_1;
mod length_proofs;

use crate::formal_core::Case;
use crate::machinery::{Check, Claim};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Case>]] = &[&[
    Claim::new(
        "Decision.1",
        "`l <r> t <= l' <s> t'` requires |l| + X<r> ≥ |l'| + X<s> and |t| + Y<r> ≥ |t'| + Y<s>, in the one-shot order only the \
         inequality of the ranks, and `~` equal ranks. Lengths that satisfy this are those at which the constraint holds of rows of units.",
        &[
            Check::Theorem(&["Statement.lengths_required", "Statement.lengths_enough"]),
            Check::Proof(length_proofs::lengths),
        ],
    ),
    Claim::new(
        "Decision.2",
        "Lemma 1: at given lengths there are axes that satisfy the constraints iff in the graph of axes no node reaches two different \
         atoms, where an atom also reaches itself, and the unit reaches no atom. If so, the atom that each node reaches, or else the unit, \
         is a solution, and the greatest one at these lengths.",
        &[
            Check::Theorem(&[
                "Reachability.solution_at_lengths",
                "Reachability.greatest_at_lengths",
                "Reachability.lengths_that_do_not_fit",
            ]),
            Check::Search(lemma_1::lemma),
        ],
    ),
    Claim::new(
        "Decision.3",
        "Lemma 2: along `<=` the rank of the operand is at most that of the result plus a constant; along `~` they differ by a constant. \
         So where `<=` and `~` lead from a row back to itself, the ranks on the way differ by at most constants.",
        &[
            Check::Theorem(&[
                "Lengths.rank_below",
                "Lengths.rank_equal",
                "Lengths.cycle_bound",
            ]),
            Check::Proof(length_proofs::ranks),
        ],
    ),
    Claim::new(
        "Decision.4",
        "A step of a walk between contents moves by |l'| - |l| counted from the left, and, across the trailing axes of `<=`, by a further \
         difference of the two ranks, wherever the walk is. So a sequence of steps moves by the same number of places from each place.",
        &[
            Check::Theorem(&["Walk.step_shift", "Walk.round_shift"]),
            Check::Proof(length_proofs::shift),
        ],
    ),
    Claim::new(
        "Decision.5",
        "The loop rule: a part of a walk that leads d places further can be taken k times iff it can be taken in the first and in the last \
         of these rounds: each condition is linear in the place, and so in the round.",
        &[
            Check::Theorem(&["Walk.linear_rounds", "Walk.loop_sound"]),
            Check::Proof(length_proofs::rounds),
        ],
    ),
]];
