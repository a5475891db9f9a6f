//! §8: the staged extensions. The language of most of them is not defined in the document.

mod cycles;
mod discard;
mod entailed;
mod extended_programs;
mod margins;
mod one_axis;
mod polynomials;
mod regions;
mod sizes;
mod strata;
mod zero;

use crate::formal_core::case::Case;
use crate::machinery::Check::{Proof, Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use crate::symbolic::prover::Prover;
use z3::ast::Int;

/// Checks that the margin is a fold of `max`: every order of up to four extents gives the same.
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

/// Checks that exchanging two neighbours, or taking one operation twice, does not change the margin, so no order does.
fn margin(_: Effort) -> Finding {
    let [m, a, b] = ["margin", "a", "b"].map(Int::new_const);
    let max = |x: &Int, y: &Int| x.ge(y).ite(x, y);
    let mut prover = Prover::new();
    let exchanged = max(&max(&m, &a), &b).eq(max(&max(&m, &b), &a));
    prover.prove(&[], &exchanged, || "two neighbours exchanged".into());
    let twice = max(&max(&m, &a), &a).eq(max(&m, &a));
    prover.prove(&[], &twice, || "one taken twice".into());
    prover.finding("any margin and any two extents; exchanges of neighbours make every order")
}

/// The claims of §8.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Prop. 8.1",
        "The padding margin, a max over the operations that address the axis, is independent of accumulation order.",
        &[Theorem(&["IndexMaps.margin_order"]), Proof(margin), Search(prop_8_1)],
    ),
    Claim::new(
        "Prop. 8.1(implemented)",
        "A margin of half the number of taps on each side, whatever their dilation, has every cell that a reader of the axis reads.",
        &[Search(margins::printed)],
    )
    .repaired(
        "A margin for each side, each the largest that a reader needs, dilation included, has every cell that a reader reads.",
        &[Proof(margins::sides)],
    ),
    Claim::new(
        "Conj. 8.2",
        "With Affine and Concat terms in a second stratum (derived terms evaluated against the stratum-1 classes, deferred equality checks between them, Concat coupling connected components) the output remains unique up to renaming of fresh symbols.",
        &[Search(strata::search)],
    ),
    Claim::new(
        "Conj. 8.2(entailed)",
        "An equation between derived terms that is to hold, instead of being checked, identifies no more variables than it must: there is one least way.",
        &[Search(entailed::search)],
    )
    .repaired(
        "Derived terms are checked for equality and identify nothing; then the answer does not depend on the order.",
        &[Search(strata::search)],
    ),
    Claim::new(
        "Conj. 8.2(surface)",
        "In an operation that a spec states, an axis has at most one derived index, whose arguments are not derived, so that no check between derived terms fails.",
        &[Search(extended_programs::search)],
    ),
    Claim::new(
        "Conj. 8.2(regions)",
        "The regions of a concatenation write different cells, and what they write is its pointwise definition.",
        &[Search(regions::search)],
    ),
    Claim::new(
        "Conj. 8.2(gather)",
        "For a cell of a written axis stride·o + dilation·k - front, the windows from ⌈(cell + front - reach)/stride⌉ to ⌊(cell + front)/stride⌋ with the tap that division leaves are the points that write it, in their order.",
        &[Proof(margins::gather)],
    ),
    Claim::new(
        "Conj. 8.3",
        "Closing guesses discardable variables to 0 and others to 1∅; the combined policy is sound.",
        &[Search(zero::sound)],
    ),
    Claim::new(
        "Conj. 8.3(order)",
        "Closing by guesses, 0 for a discardable variable and 1∅ for another, gives the same sizes in whatever order the variables are taken.",
        &[Search(zero::policy)],
    )
    .repaired(
        "Closing that guesses no size gives the same values, or is refused, in whatever order the constraints are taken.",
        &[Search(sizes::without_guesses)],
    ),
    Claim::new(
        "Conj. 8.3(step 3)",
        "With the guess of 0, step 3 of closing still cannot fail (Prop. 6.2(3)) where there is a solution.",
        &[Search(zero::cannot_fail)],
    )
    .repaired(
        "Closing that guesses no size fails on a set in solved form only where it names a size that is open.",
        &[Search(sizes::refuses_only_open_sizes)],
    ),
    Claim::new(
        "Conj. 8.3(test)",
        "A label that the test of discardability lets pass, since some axis of each shape of the other side does not mention it, is not carried through.",
        &[Search(discard::some_axis)],
    )
    .repaired(
        "A label that no axis of any shape of the other side mentions is not carried through.",
        &[Search(discard::every_axis)],
    ),
    Claim::new(
        "Conj. 8.3(one axis)",
        "One axis, as long as the total, is the only row with so many elements, so that the guess of it is none.",
        &[Search(one_axis::forced)],
    )
    .repaired(
        "A row whose elements are counted gets no axis that is not known (close_row), and given these rows each size that closing gives is forced.",
        &[Search(sizes::conj_8_4_c)],
    ),
    Claim::new(
        "Conj. 8.4(a)",
        "Every committed solution of a successful staged run satisfies Φ₀.",
        &[Search(sizes::conj_8_4_a)],
    ),
    Claim::new(
        "Conj. 8.4(a)(modes)",
        "The index of each mode of a window lies in the axis with the margins that the mode counts, so that without margins it lies in the axis.",
        &[Proof(margins::modes)],
    ),
    Claim::new(
        "Conj. 8.4(a)(cycles)",
        "A set of sums is refused if no sizes make every whole longer than each of its parts, and co_cycle refuses no other (Prop. 4.6 for sizes).",
        &[Search(cycles::search)],
    ),
    Claim::new(
        "Conj. 8.4(b)",
        "Completeness must be relative: the unrestricted constraint language is undecidable.",
        &[Search(polynomials::search)],
    ),
    Claim::new(
        "Conj. 8.4(c)",
        "Characterize the fragment on which the stage triggers guess only forced values.",
        &[Search(sizes::conj_8_4_c)],
    ),
    Claim::new(
        "Conj. 8.4(c)(rows)",
        "Each size that closing gives is the only one that the set allows, whatever axes the rows have whose elements are counted.",
        &[Search(sizes::whatever_the_rows)],
    )
    .repaired(
        "It is the only one that the set allows, given the axes that closing gives these rows: to close them at their tops is a step of the broadcast closing.",
        &[Search(sizes::conj_8_4_c)],
    ),
];
