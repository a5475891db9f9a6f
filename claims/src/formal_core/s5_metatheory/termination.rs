//! Thm. 5.2: which runs end.

use super::rank_models::{assignments, models_flanks, models_ranks, rank_assignments};
use crate::formal_core::case::Case;
use crate::formal_core::divergence::divergence;
use crate::formal_core::property::{Outcome, check};
use crate::formal_core::reading::Reading;
use crate::formal_core::strategies;
use crate::machinery::Check::{Sample, Survey};
use crate::machinery::Claim;
use lozenge_spec::strategy::Strategy;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::verdict::Verdict;

/// The claims of Thm. 5.2.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Thm. 5.2(a)",
        "If Φ₀ has a rank model, then every fair run terminates, with or without the cycle check; moreover the check never fires on such inputs.",
        &[
            Survey(Reading::ByFlanks, thm_5_2_a),
            Survey(Reading::Printed, thm_5_2_a),
        ],
    )
    .repaired(
        "If Φ₀ has a model of flank lengths, runs without policy steps terminate with or without the check, and it does not fire.",
        &[Survey(Reading::Repaired, thm_5_2_a_repaired)],
    ),
    Claim::new(
        "Thm. 5.2(a)(satisfiable)",
        "… in particular whenever Sol(Φ₀) ≠ ∅ …",
        &[Survey(Reading::Repaired, thm_5_2_a_satisfiable)],
    )
    .repaired(
        "… whenever Sol(Φ₀) ≠ ∅, and no policy step lies upstream of the failing fact.",
        &[Survey(Reading::Repaired, thm_5_2_a_repaired)],
    ),
    Claim::new(
        "Thm. 5.2(b)",
        "If Φ₀ has no rank model, every run fails or diverges, and the cycle check always converts divergence into failure (the Detection Lemma): every infinite run inserts, at some finite stage, an edge closing a positive cycle.",
        &[Survey(Reading::FactsByFlanks, detection)],
    )
    .repaired(
        "With a facts graph for each flank, and a constraint that made its result grow read again at once, every run ends, by each of four strategies.",
        &[Survey(Reading::Repaired, strategies::every_run_ends)],
    ),
    Claim::new(
        "Thm. 5.2(b) repaired, hunted",
        "The same on larger random sets: a budget of steps is never reached.",
        &[Sample(Reading::Repaired, strategies::every_run_ends)],
    ),
];

/// Checks "Every fair run terminates, with or without the cycle check; moreover the check never fires on such inputs."
fn terminates(case: &Case) -> Outcome {
    let run = case.run();
    let fires = run.failure().is_some_and(|f| f.rule == Rule::RankCycle);
    let wrong = if run.verdict() == Verdict::Unknown {
        "the run does not end, with the cycle check or without it"
    } else if fires {
        "the cycle check fires"
    } else if case.unguarded().verdict() == Verdict::Unknown {
        "the run does not end without the cycle check"
    } else {
        return Some(Ok(()));
    };
    Some(Err(format!("there is a rank model, and {wrong}")))
}

fn thm_5_2_a(case: &Case) -> Outcome {
    rank_assignments(&case.set, 3)
        .iter()
        .any(|m| models_ranks(&case.set, m))
        .then(|| terminates(case))?
}

/// Checks "In particular whenever Sol(Φ₀) ≠ ∅."
fn thm_5_2_a_satisfiable(case: &Case) -> Outcome {
    let affected = case
        .run()
        .failure()
        .is_some_and(|f| f.rule == Rule::RankCycle)
        || case.unguarded().verdict() == Verdict::Unknown;
    if !affected {
        return Some(Ok(()));
    }
    case.has_solution()?.then(|| Err("there is a solution, and the cycle check fires: the place of a marker was chosen before".into()))
}

/// Checks the same statement, restricted to runs without a policy step upstream.
fn thm_5_2_a_repaired(case: &Case) -> Outcome {
    assignments(&case.set, 3)
        .iter()
        .any(|m| models_flanks(&case.set, m))
        .then_some(())?;
    let cycle = case
        .run()
        .failure()
        .is_some_and(|f| f.rule == Rule::RankCycle && f.commitments.is_empty());
    let endless = case.unguarded();
    let endless = endless.verdict() == Verdict::Unknown && endless.config.commitments.is_empty();
    check(!cycle && !endless, || {
        "a model of flank lengths, and the check fires without a commitment".into()
    })
}

/// Checks that the cycle check converts divergence into failure.
fn detection(case: &Case) -> Outcome {
    if case.run().verdict() != Verdict::Unknown {
        return Some(Ok(()));
    }
    divergence(&case.set, case.reading().rules(), Strategy::First)
        .map(|argument| Err(format!("the fair run by a queue does not end: {argument}")))
}
