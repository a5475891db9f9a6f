//! The rules of certificates, each for words of any length.

mod certificate_proofs;

use crate::formal_core::Case;
use crate::machinery::{Check, Claim};

/// The claims of this section.
pub const CLAIMS: &[&[Claim<Case>]] = &[&[
    Claim::new(
        "Decision.6(leading)",
        "If place j of the operand of `<=` is an atom and j < |l'| + X<s>, place j of the result is the same atom. So it is in the one-shot \
         order.",
        &[
            Check::Theorem(&["Walk.cross_leading"]),
            Check::Proof(certificate_proofs::leading),
        ],
    ),
    Claim::new(
        "Decision.6(trailing)",
        "If place j of the operand of `<=` is an atom and j ≥ |l'| + X<s>, the place of the result that is as far from the right is the same \
         atom. So it is in the one-shot order.",
        &[
            Check::Theorem(&["Walk.cross_trailing"]),
            Check::Proof(certificate_proofs::trailing),
        ],
    ),
    Claim::new(
        "Decision.6(equal)",
        "If place j of one side of `~` is an atom, so is place j of the other side.",
        &[
            Check::Theorem(&["Walk.cross_equal"]),
            Check::Proof(certificate_proofs::equal),
        ],
    ),
    Claim::new(
        "Decision.6(dimensions)",
        "A constraint between dimensions holds iff it holds between rows whose only axis these are, in front of the marker; so a walk passes \
         `=` in both directions and `<=` from operand to result.",
        &[
            Check::Theorem(&["Statement.one_row", "Statement.of_constr_holds"]),
            Check::Proof(certificate_proofs::dimensions),
        ],
    ),
    Claim::new(
        "Decision.6(land)",
        "Place j of `l <r> t` with |l| ≤ j < |l| + X<r> + Y<r> is place j - |l| of the content of `<r>`; the other places are the written axes: \
         place k < |l| is axis k of l, and place |l| + X<r> + Y<r> + k is axis k of t.",
        &[
            Check::Theorem(&[
                "Walk.place_of_content",
                "Walk.place_of_leading",
                "Walk.place_of_trailing",
            ]),
            Check::Proof(certificate_proofs::land),
        ],
    ),
    Claim::new(
        "Decision.6(clash)",
        "An axis that is exactly an atom is neither another atom nor the unit; and two equal places of a row are the same axis.",
        &[
            Check::Theorem(&["Walk.clash_axes", "Walk.clash_sound"]),
            Check::Proof(certificate_proofs::clash),
        ],
    ),
    Claim::new(
        "Decision.7(quotient)",
        "For every number f and d ≥ 1 there is exactly one q with f - d·q ≥ 0 and d·q + d - 1 - f ≥ 0.",
        &[
            Check::Theorem(&["Form.quotient_unique"]),
            Check::Proof(certificate_proofs::quotient),
        ],
    ),
    Claim::new(
        "Decision.7(round)",
        "Over integers, g·h + c ≥ 0 with g ≥ 1 iff h + ⌊c / g⌋ ≥ 0.",
        &[
            Check::Theorem(&["Form.round_down"]),
            Check::Proof(certificate_proofs::round),
        ],
    ),
    Claim::new(
        "Decision.7(split)",
        "Over integers, f ≥ 0 or -f - 1 ≥ 0, and not both.",
        &[
            Check::Theorem(&["Form.split_cases"]),
            Check::Proof(certificate_proofs::split),
        ],
    ),
    Claim::new(
        "Decision.7(sum)",
        "If forms are at least 0, so is their sum with nonnegative factors; so a sum that is a negative number refutes them.",
        &[
            Check::Theorem(&["Form.sum_nonneg"]),
            Check::Proof(certificate_proofs::sum),
        ],
    ),
    Claim::new(
        "Decision.16(unsat)",
        "If the proved checker accepts a certificate of `unsat` for a set, in either order between rows, no valuation satisfies the set.",
        &[Check::Theorem(&["Checker.accepted_unsat"])],
    ),
    Claim::new(
        "Decision.16(sat)",
        "If the proved checker accepts a certificate of `sat` for a set, in either order between rows, the set is satisfied by its valuation, \
         constraints of sizes included.",
        &[Check::Theorem(&["Checker.accepted_sat"])],
    ),
    Claim::new(
        "Decision.16(entails)",
        "If the proved checker accepts a certificate that a constraint follows from a set, in either order between rows, each valuation that \
         satisfies the set satisfies the constraint.",
        &[Check::Theorem(&["Checker.accepted_entails"])],
    ),
]];
