//! §5: the statements, beside the properties that decide them.

use super::metatheory::*;
use super::principality::*;
use super::{Check, Claim, sets};

/// The claims of §5.
pub const CLAIMS: &[Claim] = &[
    sets(
        "Lemma 5.1",
        "Policy steps refine Sol: the bound variable's flat content is entailed, but the committed split selects one of the pairwise incomparable representatives (placements, and deferred-equation resolutions at closing).",
        policy_content_is_entailed,
    ),
    sets(
        "Lemma 5.1(semantic)",
        "All dimension rules, all row-inequality cases and the checking content of equality preserve Sol exactly; fail steps of this kind are taken only when Sol is empty.",
        printed_success_is_sound,
    ),
    sets(
        "Lemma 5.1(semantic) repaired",
        "With inequalities by flanks, the semantic steps do so: success is sound, failure at a semantic step is sound, runs without policy represent Sol exactly.",
        lemma_5_1_repaired,
    ),
    sets(
        "Lemma 5.1 repaired",
        "With inequalities by flanks, the semantic steps preserve Sol exactly. Policy steps refine it: the content of a placement is entailed at its step; that of a resolved word equation is not.",
        lemma_5_1_repaired,
    ),
    sets(
        "Def. 5.2.1",
        "The rank abstraction reads rank facts off one constraint at a time; every γ ∈ Sol induces a rank model.",
        solutions_induce_rank_models,
    ),
    Claim {
        id: "Def. 5.2.1(converse)",
        statement: "The converse fails: the abstraction forgets dimensions and bases.",
        universe: "constraint sets",
        check: Check::Function(converse_of_rank_models),
    },
    sets(
        "Lemma 5.2.2",
        "Every non-fail rule maps a configuration with a rank model to one with a rank model agreeing on the old variables; the deficit rule extends by r(ρ') := r(ρ_res) − k ≥ 0; everything else preserves the model verbatim.",
        rank_conservativity,
    ),
    sets(
        "Lemma 5.2.2 repaired",
        "A run by semantic steps to solved form maps every model of flank lengths to one agreeing on the old variables: each flank of ρ_res is at least as long as its deficit, and the store is satisfied.",
        flank_conservativity,
    ),
    sets(
        "Thm. 5.2(a)",
        "If Φ₀ has a rank model, then every fair run terminates, with or without the cycle check; moreover the check never fires on such inputs.",
        thm_5_2_a,
    ),
    sets(
        "Thm. 5.2(a) repaired",
        "If Φ₀ has a model of flank lengths, runs without policy steps terminate with or without the check, and it does not fire.",
        thm_5_2_a_repaired,
    ),
    sets(
        "Thm. 5.2(a)(satisfiable)",
        "… in particular whenever Sol(Φ₀) ≠ ∅ …",
        thm_5_2_a_satisfiable,
    ),
    sets(
        "Thm. 5.2(a)(satisfiable) repaired",
        "… whenever Sol(Φ₀) ≠ ∅, and no policy step lies upstream of the failing fact.",
        thm_5_2_a_repaired,
    ),
    sets(
        "Thm. 5.2(b)",
        "If Φ₀ has no rank model, every run fails or diverges, and the cycle check always converts divergence into failure (the Detection Lemma): every infinite run inserts, at some finite stage, an edge closing a positive cycle.",
        detection,
    ),
    sets(
        "Thm. 5.2(b) repaired",
        "With a facts graph for each flank, and a constraint that made its result grow read again at once, every run ends, by each of four strategies.",
        every_run_ends,
    ),
    Claim {
        id: "Thm. 5.2(b) repaired, hunted",
        statement: "The same on larger random sets: a budget of steps is never reached.",
        universe: "constraint sets",
        check: Check::Random(every_run_ends),
    },
    sets(
        "Def. 5.3",
        "In solved form σ⋆ is idempotent, every variable in B⋆ is unsolved, each dimension variable carries at most one atom, and all stored caps and adjacencies contain no pending pins (else a rule would fire).",
        def_5_3,
    ),
    sets(
        "Def. 5.3 repaired",
        "The same, with no pending pins at dimension sort; at row sort `[] <= <r>` is one that no rule performs.",
        def_5_3_repaired,
    ),
    sets(
        "Prop. 5.4(i)",
        "γ↑ ∈ Sol(constr(B⋆) ∪ eqns(σ⋆)).",
        prop_5_4_i,
    ),
    sets(
        "Prop. 5.4(ii)",
        "γ↑ is the pointwise-greatest element of Sol(constr(B⋆) ∪ eqns(σ⋆)) (eqns read as ≈ at row sort, Lemma 5.1).",
        prop_5_4_ii,
    ),
    sets(
        "Prop. 5.4(ii) repaired",
        "γ↑ is pointwise-greatest among the γ with γ = γ∘σ⋆ that satisfy constr(B⋆).",
        prop_5_4_ii_repaired,
    ),
    sets(
        "Cor. 5.5",
        "On inputs satisfiable and placement-undiscriminated, runs terminate and cannot fail, so they decide positively.",
        cor_5_5,
    ),
    sets(
        "Cor. 5.5(policy)",
        "A fair run fails iff the policy-strengthened system is unsatisfiable: Φ₀ plus the run's placements and deferred-equation resolutions.",
        cor_5_5_policy,
    ),
    sets(
        "Cor. 5.5(success)",
        "Success implies Sol(Φ₀) ≠ ∅ outright: the success direction is unconditional.",
        printed_success_is_sound,
    ),
    sets(
        "Cor. 5.5(success) repaired",
        "It does, with inequalities by flanks.",
        success_is_sound,
    ),
    sets(
        "Cor. 5.5(failure)",
        "Failure implies Sol(Φ₀) = ∅ when the failing step is semantic.",
        semantic_failure_is_sound,
    ),
    sets(
        "Cor. 5.5 repaired",
        "With inequalities by flanks success and semantic failure are sound; on satisfiable inputs that discriminate no placement and defer no word equation runs cannot fail.",
        cor_5_5_repaired,
    ),
    Claim {
        id: "Cor. 5.5(surface)",
        statement: "Programs whose markers all arise from declared origins never produce a placement-discriminating constraint set, so on the reachable fragment the unqualified \"fails iff unsatisfiable\" holds.",
        universe: "programs of pointwise operations, einsums and slices",
        check: Check::Elsewhere,
    },
    Claim {
        id: "Cor. 5.5(surface) repaired",
        statement: "On programs of einsums and slices a run that defers no word equation fails only if there is no solution.",
        universe: "programs of einsums and slices",
        check: Check::Elsewhere,
    },
    sets(
        "Thm. 5.6(1)",
        "γ ∈ Sol(Φ₀) iff γ extends to γ̂ with γ̂ = γ̂∘σ⋆ and γ̂ ∈ Sol(constr(B⋆)); across policy steps after re-placing markers, hence unconditionally on placement-undiscriminated inputs.",
        thm_5_6_1,
    ),
    sets(
        "Thm. 5.6(1) repaired",
        "The iff holds for runs without policy steps, and up to the placement of markers for runs that commit placements only, on sets without an inequality between rows.",
        thm_5_6_1_repaired,
    ),
    sets(
        "Thm. 5.6(2)",
        "Every binding x ↦ T in σ⋆ is conservative: every solution of Φ₀ extends to one satisfying x = T (up to placement, on placement-undiscriminated inputs).",
        thm_5_6_1,
    ),
    sets(
        "Thm. 5.6(2) repaired",
        "Every binding of a run without policy steps is conservative; up to the placement of markers, every binding of a run that commits placements only, on sets without an inequality between rows.",
        thm_5_6_1_repaired,
    ),
    sets(
        "Thm. 5.6(3)",
        "For every σ ⊨ Φ₀: σ = σ∘σ⋆ on V, up to ≈.",
        most_general,
    ),
    sets(
        "Thm. 5.6(3) repaired",
        "The same for runs without policy steps, and for runs that commit placements only on sets without an inequality between rows; of ground σ.",
        most_general_repaired,
    ),
    sets(
        "Cor. 5.7",
        "Every variable left unsolved genuinely admits at least two solutions or carries only its top default.",
        cor_5_7,
    ),
    sets(
        "Cor. 5.7 repaired",
        "Every dimension variable left unsolved admits at least two solutions; σ⋆ binds only what is entailed in runs without policy steps.",
        cor_5_7_repaired,
    ),
    sets(
        "Cor. 5.7(bound)",
        "σ⋆ binds only variables whose values (relative to the remaining free ones) are entailed by Φ₀.",
        cor_5_7_bound,
    ),
    sets(
        "Cor. 5.7(bound) repaired",
        "It does in runs without policy steps.",
        cor_5_7_repaired,
    ),
    sets(
        "Cor. 5.8",
        "If B⋆ stores no atom caps and no row caps (adjacencies allowed), then σ⋆ (free variables universal) satisfies σ⋆ ⊨ Φ₀ and is the ≤-least model.",
        cor_5_8,
    ),
    sets(
        "Cor. 5.8 repaired",
        "If a run by semantic steps leaves an empty store (no adjacencies either), then σ⋆ ⊨ Φ₀ and every solution is an instance of σ⋆.",
        principal_with_empty_store,
    ),
    sets(
        "Cor. 5.8(exactly)",
        "A principal model exists exactly in this case: not when a cap is stored.",
        exactly_without_caps,
    ),
    sets(
        "Cor. 5.8(exactly) repaired",
        "An empty store after semantic steps is sufficient for a principal model, and necessary where there are dimension variables only; it is not where there are row variables.",
        principal_exactly,
    ),
];
