//! §8: the staged extensions. The language of most of them is not defined in the document.

use super::{Check, Claim, Effort, Finding, Witness};

/// The margin is a fold of `max`: every order of up to four extents gives the same.
fn prop_8_1(_: Effort) -> Finding {
    let (mut count, mut against) = (0, None);
    for code in 0..256u32 {
        let extents: Vec<u32> = (0..4).map(|i| code >> (2 * i) & 3).collect();
        for order in 0..24usize {
            count += 1;
            let mut rest = extents.clone();
            let mut pick = order;
            let mut margin = 0;
            for left in (1..=4).rev() {
                margin = margin.max(rest.remove(pick % left));
                pick /= left;
            }
            if extents.iter().max() != Some(&margin) {
                against = Some(Witness {
                    text: format!("{extents:?}"),
                    why: "another margin".into(),
                });
            }
        }
    }
    Finding::exhaustive("four extents below 4, in every order", count, against)
}

const LANGUAGE: &str = "the document does not define the language or the semantics that this speaks of (Total_elems, Exact, Concat, affine sizes, discardable variables)";

const fn undefined(id: &'static str, statement: &'static str) -> Claim {
    Claim {
        id,
        statement,
        universe: "none",
        check: Check::Function(|_| Finding::not_executable(LANGUAGE)),
    }
}

/// The claims of §8.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "Prop. 8.1",
        statement: "The padding margin, a max over the operations that address the axis, is independent of accumulation order.",
        universe: "finite families of extents",
        check: Check::Function(prop_8_1),
    },
    Claim {
        id: "Conj. 8.2",
        statement: "With Affine and Concat terms in a second stratum (derived terms evaluated against the stratum-1 classes, deferred equality checks between them, Concat coupling connected components) the output remains unique up to renaming of fresh symbols.",
        universe: "equation sets with affine terms and concatenations",
        check: Check::Elsewhere,
    },
    undefined(
        "Conj. 8.3",
        "Closing guesses discardable variables to 0 and others to 1∅; the combined policy is sound.",
    ),
    undefined(
        "Conj. 8.4(a)",
        "Every committed solution of a successful staged run satisfies Φ₀.",
    ),
    undefined(
        "Conj. 8.4(b)",
        "Completeness must be relative: the unrestricted constraint language is undecidable.",
    ),
    undefined(
        "Conj. 8.4(c)",
        "Characterize the fragment on which the stage triggers guess only forced values.",
    ),
];
