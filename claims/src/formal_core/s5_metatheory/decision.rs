//! Cor. 5.5: how far a run decides whether there is a solution.

use super::final_configuration::instance;
use super::soundness::{run_is_sound, semantic_failure_is_sound, success_is_sound};
use super::surface;
use crate::formal_core::case::{Case, line, solved};
use crate::formal_core::property::{Outcome, against, check};
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Search, Survey, Theorem};
use crate::machinery::Claim;
use lozenge_spec::solve::Run;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::Var;
use lozenge_vocabulary::verdict::{Order, Verdict};

/// The claims of Cor. 5.5.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Cor. 5.5",
        "On inputs satisfiable and placement-undiscriminated, runs terminate and cannot fail, so they decide positively.",
        &[Survey(Reading::Repaired, cor_5_5)],
    )
    .repaired(
        "With inequalities by flanks success and semantic failure are sound; on satisfiable inputs that discriminate no placement and defer no word equation runs cannot fail.",
        &[Theorem(&["Runs.semantic_failure_sound", "Runs.placing_run_does_not_fail"]), Survey(Reading::Repaired, cor_5_5_repaired)],
    ),
    Claim::new(
        "Cor. 5.5(policy)",
        "A fair run fails iff the policy-strengthened system is unsatisfiable: Φ₀ plus the run's placements and deferred-equation resolutions.",
        &[Survey(Reading::Repaired, cor_5_5_policy)],
    ),
    Claim::new(
        "Cor. 5.5(success)",
        "Success implies Sol(Φ₀) ≠ ∅ outright: the success direction is unconditional.",
        &[Survey(Reading::Printed, run_is_sound)],
    )
    .repaired(
        "It does, with inequalities by flanks.",
        &[Theorem(&["Runs.success_sound"]), Survey(Reading::Repaired, success_is_sound)],
    ),
    Claim::new(
        "Cor. 5.5(failure)",
        "Failure implies Sol(Φ₀) = ∅ when the failing step is semantic.",
        &[Theorem(&["Founded.founded_failure_sound"]), Survey(Reading::Repaired, semantic_failure_is_sound)],
    ),
    Claim::new(
        "Cor. 5.5(surface)",
        "Programs whose markers all arise from declared origins never produce a placement-discriminating constraint set, so on the reachable fragment the unqualified \"fails iff unsatisfiable\" holds.",
        &[Search(surface::printed)],
    )
    .repaired(
        "On programs of einsums and slices a run that defers no word equation fails only if there is no solution.",
        &[Search(surface::repaired)],
    ),
];

/// Checks sets that are satisfiable without any row inequality, so that no placement is discriminated: "runs cannot
/// fail, so they decide".
fn cor_5_5(case: &Case) -> Outcome {
    (case.has_no_row_inequality() && case.has_solution()?).then_some(())?;
    check(solved(case.run()), || {
        "satisfiable, no inequality could discriminate a placement, and the run fails".into()
    })
}

fn defers(run: &Run) -> bool {
    run.config
        .trace
        .iter()
        .flatten()
        .any(|s| matches!(s.rule, Rule::ReSplit | Rule::ReRotational))
}

fn cor_5_5_repaired(case: &Case) -> Outcome {
    let sound = success_is_sound(case)
        .filter(Result::is_err)
        .or_else(|| semantic_failure_is_sound(case).filter(Result::is_err));
    if sound.is_some() {
        return sound;
    }
    (case.has_no_row_inequality() && !defers(case.run()) && case.has_solution()?).then_some(())?;
    check(solved(case.run()), || {
        "satisfiable without deferral, and the run fails".into()
    })
}

/// Checks "A fair run fails iff the policy-strengthened system is unsatisfiable": together with the commitments of a
/// failed run there is no solution; together with those of a successful run there is one. The commitments are in σ, and
/// everything else in σ is entailed.
fn cor_5_5_policy(case: &Case) -> Outcome {
    let run = case.run();
    let vars = case.set.vars();
    let extends = |gamma: &Ground| instance(run, gamma, &vars, true).is_some();
    match run.verdict() {
        Verdict::Unknown => None,
        Verdict::Sat => {
            let top = run.greatest()?;
            check(case.is_solution(&top) && extends(&top), || {
                format!("the run succeeds; {} does not go with it", line(&top))
            })
        }
        Verdict::Unsat | Verdict::Rejected => {
            let commitments = committed(run)?;
            let goes = |gamma: &&Ground| extends(gamma) && keeps(gamma, &commitments);
            let solution = case.solutions().iter().find(goes);
            against(solution.map(|gamma| {
                let gamma = line(gamma);
                format!("the run fails; {gamma} goes with all that it committed to")
            }))
        }
    }
}

/// Returns the commitments of the run, including one that failed when it was made and is not in σ. `None` if one of
/// them is about a variable that a rule minted, which has no value in a solution.
fn committed(run: &Run) -> Option<Vec<Constraint>> {
    let stated = run.config.commitments.iter().map(|commitment| {
        let relation = match commitment.var {
            Var::Row(_) => '~',
            Var::Dim(_) => '=',
        };
        let text = format!("{} {relation} {}", commitment.var, commitment.value);
        text.parse::<Constraint>().ok()
    });
    stated.collect()
}

/// Tells whether the values are the committed ones, including their markers.
fn keeps(gamma: &Ground, commitments: &[Constraint]) -> bool {
    commitments.iter().all(|stated| match stated {
        Constraint::RowEq(a, b) => gamma.row(a) == gamma.row(b),
        other => gamma.satisfies(other, Order::Marked) == Some(true),
    })
}
