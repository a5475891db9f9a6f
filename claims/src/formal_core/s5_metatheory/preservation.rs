//! Lemma 5.1, Def. 5.2.1 and Lemma 5.2.2: the properties that single steps preserve.

use super::final_configuration::exact_representation;
use super::rank_models::{
    Lengths, assignments, models_flanks, models_ranks, rank_assignments, through_bindings,
};
use super::soundness::{run_is_sound, semantic_failure_is_sound, success_is_sound};
use crate::formal_core::case::{Case, line, purely_semantic, run, solved, store, took_policy};
use crate::formal_core::property::{Outcome, against};
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Search, Survey, Theorem};
use crate::machinery::{Claim, Effort, Finding, Subject, Witness};
use lozenge_spec::rules::RULES;
use lozenge_spec::solve::Run;
use lozenge_spec::strategy::Strategy;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{RowVar, Var};
use lozenge_vocabulary::verdict::Verdict;

/// The claims of Lemma 5.1 to Lemma 5.2.2.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Lemma 5.1",
        "Policy steps refine Sol: the bound variable's flat content is entailed, but the committed split selects one of the pairwise incomparable representatives (placements, and deferred-equation resolutions at closing).",
        &[Survey(Reading::Repaired, policy_content_is_entailed)],
    )
    .repaired(
        "With inequalities by flanks, the semantic steps preserve Sol exactly. Policy steps refine it: the content of a placement is entailed at its step; that of a resolved word equation is not.",
        &[Theorem(&["Runs.steps_keep_or_refine", "Runs.placement_content", "Runs.resolution_not_entailed"]), Survey(Reading::Repaired, lemma_5_1_repaired)],
    ),
    Claim::new(
        "Lemma 5.1(semantic)",
        "All dimension rules, all row-inequality cases and the checking content of equality preserve Sol exactly; fail steps of this kind are taken only when Sol is empty.",
        &[Survey(Reading::Printed, run_is_sound)],
    )
    .repaired(
        "With inequalities by flanks, the semantic steps do so: success is sound, failure at a semantic step is sound, runs without policy represent Sol exactly.",
        &[Theorem(&["Runs.semantic_run_exact", "Runs.failure_has_no_solution"]), Survey(Reading::Repaired, lemma_5_1_repaired)],
    ),
    Claim::new(
        "Def. 5.2.1",
        "The rank abstraction reads rank facts off one constraint at a time; every γ ∈ Sol induces a rank model.",
        &[Survey(Reading::Repaired, solutions_induce_rank_models)],
    ),
    Claim::new(
        "Def. 5.2.1(converse)",
        "The converse fails: the abstraction forgets dimensions and bases.",
        &[Search(converse_of_rank_models)],
    ),
    Claim::new(
        "Lemma 5.2.2",
        "Every non-fail rule maps a configuration with a rank model to one with a rank model agreeing on the old variables; the deficit rule extends by r(ρ') := r(ρ_res) − k ≥ 0; everything else preserves the model verbatim.",
        &[Survey(Reading::Repaired, rank_conservativity)],
    )
    .repaired(
        "A run by semantic steps to solved form maps every model of flank lengths to one agreeing on the old variables: each flank of ρ_res is at least as long as its deficit, and the store is satisfied.",
        &[Survey(Reading::Repaired, flank_conservativity)],
    ),
];

/// Checks "The bound variable's flat content is entailed" at every policy step.
fn policy_content_is_entailed(case: &Case) -> Outcome {
    let run = case.run();
    (solved(run) && took_policy(run)).then_some(())?;
    let bound = run.config.commitments.iter().filter_map(|c| match &c.var {
        Var::Row(var) if case.set.vars().contains(&c.var) => {
            Some((var, run.config.bindings.rows.get(var)?.ground()?))
        }
        _ => None,
    });
    let bound: Vec<_> = bound.collect();
    against(case.solutions().iter().find_map(|gamma| {
        let (var, value) = bound.iter().find(|(var, value)| {
            gamma
                .rows
                .get(*var)
                .is_some_and(|own| !own.flat_equivalent(value))
        })?;
        Some(format!(
            "the run binds {var} to {value}, and {} is a solution",
            line(gamma)
        ))
    }))
}

fn lemma_5_1_repaired(case: &Case) -> Outcome {
    match (success_is_sound(case), semantic_failure_is_sound(case)) {
        (Some(Err(why)), _) | (_, Some(Err(why))) => Some(Err(why)),
        (None, None) => None,
        _ => exact_representation(case).or(Some(Ok(()))),
    }
}

fn solutions_induce_rank_models(case: &Case) -> Outcome {
    let lengths = |gamma: &Ground| {
        gamma
            .rows
            .iter()
            .map(|(v, row)| (v.clone(), (row.leading.len(), row.trailing.len())))
            .collect()
    };
    against(
        case.solutions()
            .iter()
            .find(|g| !models_ranks(&case.set, &lengths(g)))
            .map(|g| format!("{} induces none", line(g))),
    )
}

/// Checks "The converse fails: the abstraction forgets dimensions and bases."
fn converse_of_rank_models(_: Effort) -> Finding {
    let texts = [
        "[3 <r>] ~ [5 <r>]",
        "[3 <r>] ~ [3_rgb <s>]",
        "[3 <r>] <= [5 <r>]",
    ];
    let forgets = |text: &&str| {
        text.parse::<ConstraintSet>().is_ok_and(|set| {
            let models = rank_assignments(&set, 1)
                .iter()
                .any(|m| models_ranks(&set, m));
            // The run is refused whatever the values of <r> and <s> are, because the axes in front of them differ.
            let refused = run(&set, Strategy::First, RULES, false);
            models
                && refused.verdict() == Verdict::Unsat
                && Case::new(set).has_solution() == Some(false)
        })
    };
    let witness = texts
        .iter()
        .find(|text| !forgets(text))
        .map(|text| Witness {
            text: text.to_string(),
            why: "no rank model, or a solution".into(),
        });
    Finding::exhaustive(
        "three sets that differ in sizes or in bases: each has a rank model and no solution",
        3,
        witness,
    )
}

fn first_deficit(run: &Run) -> Option<(&RowVar, &Constraint)> {
    let step = run.config.trace.as_ref()?.first()?;
    match (&step.bound, step.rule) {
        (Some((Var::Row(var), _)), Rule::RiDeficit) => Some((var, step.constraint.as_ref()?)),
        _ => None,
    }
}

/// Returns the deficits of a constraint's flanks.
fn deficits(constraint: &Constraint) -> Option<(usize, usize)> {
    let Constraint::RowLe(low, high) = constraint else {
        return None;
    };
    Some((
        high.leading.len().saturating_sub(low.leading.len()),
        high.trailing.len().saturating_sub(low.trailing.len()),
    ))
}

/// Checks "The deficit rule extends by r(ρ') := r(ρ_res) − k ≥ 0."
fn rank_conservativity(case: &Case) -> Outcome {
    let (var, constraint) = first_deficit(case.run())?;
    let (leading, trailing) = deficits(constraint)?;
    let mut models = rank_assignments(&case.set, 3)
        .into_iter()
        .filter(|m| models_ranks(&case.set, m));
    against(models.find(|m| m[var].1 < leading + trailing).map(|m| {
        format!(
            "the rank model with rank {var} = {} leaves {} axes for the rest of {var}",
            m[var].1,
            m[var].1 as i64 - (leading + trailing) as i64
        )
    }))
}

/// Checks that along a run by semantic steps every model of the set's flank lengths extends to a model of the store:
/// through each binding, which gives no variable a negative length.
fn flank_conservativity(case: &Case) -> Outcome {
    let run = case.run();
    purely_semantic(run).then_some(())?;
    let kept: ConstraintSet = store(run).into_iter().collect();
    let models = assignments(&case.set, 3)
        .into_iter()
        .filter(|model| models_flanks(&case.set, model));
    let broken = |model: &Lengths| match through_bindings(model, &run.config.bindings) {
        Ok(extended) => (!models_flanks(&kept, &extended)).then(|| "the store".to_string()),
        Err(var) => Some(var),
    };
    let mut broken = models.filter_map(|model| broken(&model));
    against(
        broken
            .next()
            .map(|what| format!("a model of flank lengths does not extend to {what}")),
    )
}
