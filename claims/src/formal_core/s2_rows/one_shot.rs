//! Rem. 2.15: the one-shot order, and where an inherited marker is placed.

use super::proofs;
use crate::formal_core::case::{Case, run};
use crate::formal_core::enumeration::{each, each_pair, rows, scope, unless};
use crate::formal_core::populations::rank;
use crate::formal_core::reading::Reading;
use crate::formal_core::strategies;
use crate::machinery::Check::{Proof, Search, Survey, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_spec::rules::RULES;
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::relation::Above;
use lozenge_vocabulary::constraint::ConstraintSet;
use lozenge_vocabulary::row::{Row, TwoSorted};

/// The claims of Rem. 2.15.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Rem. 2.15(i)",
        "The ellipsis of an einsum is a row variable shared by rows of the same kind.",
        &[Search(|_| Finding::not_executable("a statement about another implementation's surface syntax"))],
    ),
    Claim::new(
        "Rem. 2.15(ii)",
        "X ⊑¹ Y iff flat(X)• ⊑ Y; mutual ⊑¹ is exactly ≈, the equivalence induced by the one-shot order.",
        &[Search(rem_2_15_ii)],
    )
    .repaired(
        "X ⊑¹ Y iff flat(X)• ⊑ Y; the relation is reflexive and weaker than ⊑, its mutual form is exactly ≈; it is not transitive.",
        &[Theorem(&["Rigid.one_shot_rigidified", "Row.row_le1_refl", "Row.row_le_one_shot", "Row.row_le1_mutual", "Row.row_le1_not_transitive"]), Proof(proofs::one_shot), Search(rem_2_15_ii_repaired)],
    ),
    Claim::new(
        "Rem. 2.15(iii)",
        "Inherit the declared placement; left edge of the middle when none was declared.",
        &[Search(rem_2_15_iii)],
    ),
    Claim::new(
        "Rem. 2.15(iv)",
        "Content equality implies ⊑¹, so the inference reading strengthens the checking reading constraint by constraint, also with the result template re-marked at its left edge; the strengthening is proper.",
        &[Theorem(&["Row.row_eq_one_shot", "Row.one_shot_proper"]), Proof(proofs::strengthens), Search(rem_2_15_iv)],
    ),
    Claim::new(
        "Rem. 2.15(v)",
        "Principality holds only up to ≈: the ground content of solutions is strategy-independent, while marker placement is deterministic but order-sensitive.",
        &[Survey(Reading::Repaired, strategies::content_is_independent_of_the_strategy)],
    )
    .repaired(
        "Ground content and outcome are strategy-independent wherever no run takes a policy step.",
        &[Survey(Reading::Repaired, strategies::strategies_agree_without_policy)],
    ),
];

/// Checks that the relation is the rigidified one, and that holding both ways is `≈`. For "it is an order up to `≈`" a
/// counterexample is searched.
fn rem_2_15_ii(effort: Effort) -> Finding {
    let plain = rem_2_15_ii_repaired(effort);
    if plain.witness.is_some() {
        return plain;
    }
    let all = rows(2);
    let above = Above::new(&all, Row::below_one_shot);
    let n = all.len();
    let chain = (0..n).find_map(|a| {
        (0..n).filter(|b| above.holds(a, *b)).find_map(|b| {
            (0..n)
                .find(|c| above.holds(b, *c) && !above.holds(a, *c))
                .map(|c| (a, b, c))
        })
    });
    let witness = chain.map(|(a, b, c)| {
        let text = format!("{}\n{}\n{}", all[a], all[b], all[c]);
        Witness::new(text, "each is ⊑¹ the next, the first is not ⊑¹ the last: the relation is not transitive, so no order")
    });
    Finding::exhaustive(scope("triples of rows", 2), (n as u64).pow(3), witness)
}

fn rem_2_15_ii_repaired(effort: Effort) -> Finding {
    each_pair(effort, |a, b| {
        let rigid = TwoSorted::Rigid(a.flat()).below(&TwoSorted::Marked(b.clone()));
        let mutual = (a.below_one_shot(b) && b.below_one_shot(a)) == a.flat_equivalent(b);
        let weaker = !a.below(b) || a.below_one_shot(b);
        unless(
            a.below_one_shot(b) == rigid && mutual && weaker,
            "not the rigidified relation with ≈ as its mutual form",
        )
    })
}

/// Checks that `l·⟨ρ⟩·r ≈ C` inherits C's split if that lies in the middle, else the marker goes to the edge nearer to
/// it: the left one where C has its marker at the front.
fn rem_2_15_iii(_: Effort) -> Finding {
    let name = |count: usize, from: usize| {
        (from..from + count)
            .map(|i| (i + 2).to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let shapes = (0..=3usize).flat_map(|l| {
        (0..=3usize).flat_map(move |r| {
            (0..=3usize).flat_map(move |c| (0..=3usize).map(move |d| (l, r, c, d)))
        })
    });
    let possible = shapes.filter(|(l, r, c, d)| l + r <= c + d);
    each(
        "open against closed rows with flanks up to 3".into(),
        possible,
        |(l, r, c, d)| {
            let flat = c + d;
            let text = format!(
                "[{} <r> {}] ~ [{} <> {}]",
                name(*l, 0),
                name(*r, flat - r),
                name(*c, 0),
                name(*d, *c)
            );
            let set: ConstraintSet = text.parse().ok()?;
            let gamma = run(&set, Strategy::First, RULES, false).greatest()?;
            let value = gamma.rows.values().next()?;
            let split = match c {
                c if c < l => 0,
                c if *c > flat - r => flat - r - l,
                c => c - l,
            };
            (value.leading.len() != split).then(|| Witness::new(text, "the marker is elsewhere"))
        },
    )
}

fn rem_2_15_iv(effort: Effort) -> Finding {
    let mut proper = false;
    let rank = rank(effort);
    let all = rows(rank);
    for a in &all {
        for b in &all {
            let remarked = Row::new(Vec::new(), b.flat());
            if a.flat_equivalent(b)
                && !(a.below_one_shot(b) && b.below_one_shot(a) && a.below_one_shot(&remarked))
            {
                return Finding::exhaustive(
                    scope("pairs of rows", rank),
                    0,
                    Some(Witness::new(
                        format!("{a}\n{b}"),
                        "equal content, not below",
                    )),
                );
            }
            proper |= a.below_one_shot(b) && !a.flat_equivalent(b);
        }
    }
    let witness = (!proper).then(|| Witness::new("[]", "not proper"));
    Finding::exhaustive(
        scope("pairs of rows", rank),
        (all.len() as u64).pow(2),
        witness,
    )
}
