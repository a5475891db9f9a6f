//! §§1 and 2: the statements, beside the functions that decide them.

use super::dimension_lattice::*;
use super::orders::*;
use super::{Check, Claim, Effort, Finding, claim};

const fn told(id: &'static str, statement: &'static str, check: fn(Effort) -> Finding) -> Claim {
    claim(id, statement, "none", check)
}

/// The claims of §§1 and 2.
pub const CLAIMS: &[Claim] = &[
    claim(
        "Def. 1.1",
        "D = {1∅} ∪ {n_b | n ≥ 1, b ∈ B} with a distinguished tag default; n_b are atoms, 1∅ is the claim-free unit; a fresh ⊥ is adjoined.",
        "dimensions",
        def_1_1,
    ),
    claim(
        "Def. 1.2",
        "d₁ ⊑ d₂ iff d₂ = 1∅ or d₁ = d₂; ⊥ ⊑ d for all d.",
        "pairs of dimensions",
        def_1_2,
    ),
    claim(
        "Prop. 1.3",
        "(D⊥, ⊑) is a bounded lattice of height 2: top 1∅, bottom ⊥, the atoms an antichain, each covering ⊥ and covered by 1∅; meets and joins as displayed.",
        "triples of elements of D⊥",
        prop_1_3,
    ),
    claim(
        "Prop. 1.4",
        "If D contains at least three atoms (always), then D⊥ is not distributive, and not modular.",
        "triples of elements of D⊥",
        prop_1_4,
    ),
    claim(
        "Prop. 1.4 repaired",
        "D⊥ is not distributive once D has three atoms; it is modular.",
        "triples of elements of D⊥",
        prop_1_4_repaired,
    ),
    claim(
        "Def. 2.1",
        "A row is a triple l·⋄·r; rank is |l| + |r|; equality is componentwise, so marker-sensitive.",
        "pairs of rows",
        def_2_1,
    ),
    claim(
        "Def. 2.2",
        "For n ≥ rank(R) the expansion R↑n is l · 1∅^(n − rank R) · r.",
        "rows and ranks",
        def_2_2,
    ),
    claim(
        "Def. 2.3",
        "l₂·⋄·r₂ ⊑ l₁·⋄·r₁ iff |l₁| ≤ |l₂| and |r₁| ≤ |r₂| (note this implies rank₂ ≥ rank₁), and pointwise refinement of the expansion at rank₂.",
        "pairs of rows",
        def_2_3,
    ),
    claim(
        "Lemma 2.4",
        "If R₂ ⊑ R₁ then for every n ≥ rank(R₂): R₂↑n[i] ⊑ R₁↑n[i] for all i.",
        "pairs of rows and n",
        lemma_2_4,
    ),
    claim(
        "Prop. 2.5",
        "⊑ is a partial order on rows.",
        "triples of rows",
        prop_2_5,
    ),
    claim(
        "Prop. 2.6",
        "For every row R: R ⊑ []·⋄·[], and nothing else is above all rows.",
        "rows",
        prop_2_6,
    ),
    claim(
        "Prop. 2.7",
        "Any two rows have a least upper bound: the shorter flanks, joined pointwise, trailing ones aligned from the back.",
        "pairs of rows and their upper bounds",
        prop_2_7,
    ),
    claim(
        "Rem. 2.8",
        "Def. 2.3 relates rows of different ranks directly; no quantifier over ranks appears: below a row are rows of every rank from its own on, above it rows of every rank up to its own, and no others.",
        "rows and ranks",
        rem_2_8,
    ),
    claim(
        "Def. 2.9",
        "R ≈ R' iff flat(R) = flat(R'); equivalently equal ranks and equal expansions at that rank.",
        "pairs of rows",
        def_2_9,
    ),
    claim(
        "Prop. 2.10(i)",
        "The equivalence induced by ⊑ (mutual inequality) is the identity, so ≈ is not derivable from the order.",
        "pairs of rows",
        prop_2_10_i,
    ),
    claim(
        "Prop. 2.10(ii)",
        "Any two distinct ≈-related rows are ⊑-incomparable.",
        "pairs of rows",
        prop_2_10_ii,
    ),
    claim(
        "Prop. 2.10(iii)",
        "≈ is not a ⊑-congruence; indeed no nontrivial equivalence is compatible with the order.",
        "pairs of rows and all rows below them",
        prop_2_10_iii,
    ),
    claim(
        "Prop. 2.10(iv)",
        "≈ is the kernel of expansion at own rank; everything else the order consults (flank-fit, and expansions at strictly higher ranks) is exactly where ≈-related rows diverge.",
        "pairs of rows",
        prop_2_10_iv,
    ),
    claim(
        "Prop. 2.10(iv) repaired",
        "Distinct ≈-related rows always differ in flank-fit; at strictly higher ranks their expansions differ unless only units lie between the two markers, and then agree at every rank.",
        "pairs of rows",
        prop_2_10_iv_repaired,
    ),
    claim(
        "Rem. 2.11",
        "In l·⟨ρ⟩·r ≈ C the content of ρ is forced but its placement is free, the candidates are pairwise incomparable, a later inequality can distinguish them; the witness is satisfiable under ≈ (only) by ρ = [3]·⋄·[5], and refused by the inherited placement.",
        "flat words, pairs of placements, and the printed example",
        rem_2_11,
    ),
    claim(
        "Def. 2.12",
        "Rigid rows F•; (a) marked–marked as Def. 2.3; (b) rigid–rigid: equal rank, pointwise; (c) F• ⊑ R: rank(F) ≥ rank(R), pointwise; (d) R ⊑ F•: never.",
        "pairs of rows of both sorts",
        def_2_12,
    ),
    claim(
        "Prop. 2.13",
        "The extended relation is a partial order; the empty marked row remains the unique top; on the rigid sort flat equality is equality. Clause (d) is forced: admitting even rank-equal R ⊑ F• breaks transitivity.",
        "triples of rows of both sorts",
        prop_2_13,
    ),
    claim(
        "Rem. 2.14",
        "Ground row equality becomes uniformly content equality: equalities between ground rows only ever check, they never rewrite one into another. Rem. 2.11's witness acquires a definite truth value: the inequality fails by rank-rigidity. Two rigid caps of different ranks have only marked upper bounds.",
        "pairs of rigid rows",
        rem_2_14,
    ),
    claim(
        "Rem. 2.14(costs)",
        "Prop. 2.7's joins need a mixed formula: two rigid caps of different ranks have only marked upper bounds, so closing's join-of-caps must mix sorts.",
        "pairs of rows of both sorts",
        rem_2_14_costs,
    ),
    claim(
        "Rem. 2.14(costs) repaired",
        "There is no mixed formula: two rigid rows of different ranks, or a rigid and a marked row, need not have a least upper bound. Two marked rows have one, and so have two rigid rows of one rank.",
        "pairs of rows of one sort, rigid ones of one rank",
        rem_2_14_costs_repaired,
    ),
    told(
        "Rem. 2.15(i)",
        "The ellipsis of an einsum is a row variable shared by rows of the same kind.",
        |_| Finding::not_executable("a statement about another implementation's surface syntax"),
    ),
    claim(
        "Rem. 2.15(ii)",
        "X ⊑¹ Y iff flat(X)• ⊑ Y; mutual ⊑¹ is exactly ≈, the equivalence induced by the one-shot order.",
        "pairs and triples of rows",
        rem_2_15_ii,
    ),
    claim(
        "Rem. 2.15(ii) repaired",
        "X ⊑¹ Y iff flat(X)• ⊑ Y; the relation is reflexive and weaker than ⊑, its mutual form is exactly ≈; it is not transitive.",
        "pairs of rows",
        rem_2_15_ii_repaired,
    ),
    claim(
        "Rem. 2.15(iii)",
        "Inherit the declared placement; left edge of the middle when none was declared.",
        "open against closed rows",
        rem_2_15_iii,
    ),
    claim(
        "Rem. 2.15(iv)",
        "Content equality implies ⊑¹, so the inference reading strengthens the checking reading constraint by constraint, also with the result template re-marked at its left edge; the strengthening is proper.",
        "pairs of rows",
        rem_2_15_iv,
    ),
    Claim {
        id: "Rem. 2.15(v)",
        statement: "Principality holds only up to ≈: the ground content of solutions is strategy-independent, while marker placement is deterministic but order-sensitive.",
        universe: "constraint sets and strategies",
        check: Check::Sets(super::metatheory::content_is_independent_of_the_strategy),
    },
    Claim {
        id: "Rem. 2.15(v) repaired",
        statement: "Ground content and outcome are strategy-independent wherever no run takes a policy step.",
        universe: "constraint sets and strategies",
        check: Check::Sets(super::metatheory::strategies_agree_without_policy),
    },
];
