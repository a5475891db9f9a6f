//! Soundness of success and failure of runs, which several claims of §5 use.

use crate::formal_core::case::{Case, STRATEGIES, line};
use crate::formal_core::property::{Outcome, check};
use lozenge_spec::solve::Run;
use lozenge_vocabulary::verdict::Verdict;

/// Checks that the greatest solution of a run is a solution of the set.
pub fn sound(case: &Case, run: &Run) -> Outcome {
    let gamma = run.greatest()?;
    check(case.is_solution(&gamma), || {
        format!(
            "the run succeeds with {}, which is no solution",
            line(&gamma)
        )
    })
}

pub fn success_is_sound(case: &Case) -> Outcome {
    STRATEGIES
        .iter()
        .enumerate()
        .find_map(|(i, _)| sound(case, case.by(i)).filter(|s| s.is_err()))
        .or_else(|| sound(case, case.run()))
}

pub fn semantic_failure_is_sound(case: &Case) -> Outcome {
    let failed = (0..STRATEGIES.len()).any(|i| case.by(i).verdict() == Verdict::Unsat);
    failed.then_some(())?;
    check(!case.has_solution()?, || {
        "a semantic step fails, and there is a solution".into()
    })
}

/// Checks that the run that processes the oldest constraint first is sound.
pub fn run_is_sound(case: &Case) -> Outcome {
    sound(case, case.run())
}
