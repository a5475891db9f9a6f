//! Thm. 5.6 and Cor. 5.7: the final configuration represents the solutions.

use super::final_configuration::{exact_representation, instance, is_only_placements};
use super::solved_form::{pending_dimension_pin, pending_pin};
use crate::formal_core::case::{Case, line, purely_semantic, solved};
use crate::formal_core::property::{Outcome, against};
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Survey, Theorem};
use crate::machinery::Claim;

/// The claims of Thm. 5.6 and Cor. 5.7.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Thm. 5.6(1)",
        "γ ∈ Sol(Φ₀) iff γ extends to γ̂ with γ̂ = γ̂∘σ⋆ and γ̂ ∈ Sol(constr(B⋆)); across policy steps after re-placing markers, hence unconditionally on placement-undiscriminated inputs.",
        &[Survey(Reading::Repaired, thm_5_6_1)],
    )
    .repaired(
        "The iff holds for runs without policy steps, and up to the placement of markers for runs that commit placements only, on sets without an inequality between rows.",
        &[Theorem(&["Runs.represents", "Runs.represents_content"]), Survey(Reading::Repaired, thm_5_6_1_repaired)],
    ),
    Claim::new(
        "Thm. 5.6(2)",
        "Every binding x ↦ T in σ⋆ is conservative: every solution of Φ₀ extends to one satisfying x = T (up to placement, on placement-undiscriminated inputs).",
        &[Survey(Reading::Repaired, thm_5_6_1)],
    )
    .repaired(
        "Every binding of a run without policy steps is conservative; up to the placement of markers, every binding of a run that commits placements only, on sets without an inequality between rows.",
        &[Theorem(&["Runs.bindings_conservative", "Runs.bindings_conservative_content"]), Survey(Reading::Repaired, thm_5_6_1_repaired)],
    ),
    Claim::new(
        "Thm. 5.6(3)",
        "For every σ ⊨ Φ₀: σ = σ∘σ⋆ on V, up to ≈.",
        &[Survey(Reading::Repaired, most_general)],
    )
    .repaired(
        "The same for runs without policy steps, and for runs that commit placements only on sets without an inequality between rows; of ground σ.",
        &[Theorem(&["Runs.solutions_are_instances", "Runs.solutions_are_instances_content"]), Survey(Reading::Repaired, most_general_repaired)],
    ),
    Claim::new(
        "Cor. 5.7",
        "Every variable left unsolved genuinely admits at least two solutions or carries only its top default.",
        &[Survey(Reading::Repaired, cor_5_7)],
    )
    .repaired(
        "Every dimension variable left unsolved admits at least two solutions; σ⋆ binds only what is entailed in runs without policy steps.",
        &[Survey(Reading::Repaired, cor_5_7_repaired)],
    ),
    Claim::new(
        "Cor. 5.7(bound)",
        "σ⋆ binds only variables whose values (relative to the remaining free ones) are entailed by Φ₀.",
        &[Survey(Reading::Repaired, cor_5_7_bound)],
    )
    .repaired(
        "It does in runs without policy steps.",
        &[Survey(Reading::Repaired, cor_5_7_repaired)],
    ),
];

/// Checks Thm. 5.6(1) with the caveat of the theorem: the forward direction, up to the placement of markers, on sets
/// without row inequalities.
fn thm_5_6_1(case: &Case) -> Outcome {
    (case.has_no_row_inequality() && solved(case.run())).then_some(())?;
    let vars = case.set.vars();
    against(case.solutions().iter().find(|g| instance(case.run(), g, &vars, false).is_none()).map(|g| {
        format!("{} is a solution, and no extension of it satisfies γ = γ∘σ⋆, whatever its placements", line(g))
    }))
}

/// Checks that the representation is exact after semantic steps only; up to placements where only placements are
/// committed, on sets without row inequalities.
fn thm_5_6_1_repaired(case: &Case) -> Outcome {
    exact_representation(case).or_else(|| {
        is_only_placements(case).then_some(())?;
        thm_5_6_1(case)
    })
}

pub fn most_general(case: &Case) -> Outcome {
    solved(case.run()).then_some(())?;
    let vars = case.set.vars();
    against(
        case.solutions()
            .iter()
            .find(|g| instance(case.run(), g, &vars, false).is_none())
            .map(|g| {
                format!(
                    "the ground model {} is no instance of σ⋆, not even up to ≈",
                    line(g)
                )
            }),
    )
}

fn most_general_repaired(case: &Case) -> Outcome {
    is_only_placements(case).then_some(())?;
    (purely_semantic(case.run()) || case.has_no_row_inequality()).then(|| most_general(case))?
}

/// Checks "σ⋆ binds only variables whose values are entailed."
fn cor_5_7_bound(case: &Case) -> Outcome {
    let run = case.run();
    solved(run).then_some(())?;
    let vars = case.set.vars();
    let other = case
        .solutions()
        .iter()
        .find(|g| instance(run, g, &vars, true).is_none());
    against(other.map(|gamma| format!("σ⋆ binds what {} has otherwise", line(gamma))))
}

/// Checks "Every variable left unsolved genuinely admits at least two solutions or carries only its top default."
fn cor_5_7(case: &Case) -> Outcome {
    solved(case.run()).then_some(())?;
    against(pending_pin(case, case.run()))
}

fn cor_5_7_repaired(case: &Case) -> Outcome {
    let run = case.run();
    purely_semantic(run).then_some(())?;
    let vars = case.set.vars();
    if let Some(gamma) = case
        .solutions()
        .iter()
        .find(|g| instance(run, g, &vars, true).is_none())
    {
        return Some(Err(format!("σ⋆ binds what {} has otherwise", line(gamma))));
    }
    against(pending_dimension_pin(case, run))
}
