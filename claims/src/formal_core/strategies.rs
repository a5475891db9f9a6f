//! Independence of the order of processing: properties of the runs by four strategies.

use crate::formal_core::case::{Case, STRATEGIES, line, took_policy};
use crate::formal_core::property::{Outcome, against};
use lozenge_spec::solve::Run;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::verdict::Verdict;

/// Checks "The ground content of solutions is strategy-independent": every run that succeeds has the same `γ↑` up to ≈.
pub fn content_is_independent_of_the_strategy(case: &Case) -> Outcome {
    let mut solved: Vec<Ground> = (0..STRATEGIES.len())
        .filter_map(|i| case.by(i).greatest())
        .collect();
    let first = solved.pop()?;
    against(solved.iter().find_map(|other| {
        let dims = first.dims == other.dims;
        let rows = first
            .rows
            .iter()
            .all(|(var, row)| other.rows.get(var).is_some_and(|r| r.flat_equivalent(row)));
        (!(dims && rows)).then(|| {
            format!(
                "one strategy ends with {}, another with {}",
                line(&first),
                line(other)
            )
        })
    }))
}

/// Checks that, where no run takes a policy step, all four have the same verdict and the same `γ↑`.
pub fn strategies_agree_without_policy(case: &Case) -> Outcome {
    let runs: Vec<&Run> = (0..STRATEGIES.len()).map(|i| case.by(i)).collect();
    runs.iter().all(|run| !took_policy(run)).then_some(())?;
    let differ = runs
        .iter()
        .find(|run| run.verdict() != runs[0].verdict() || run.greatest() != runs[0].greatest());
    against(differ.map(|run| {
        format!(
            "{} by one strategy, {} by another",
            runs[0].verdict(),
            run.verdict()
        )
    }))
}

/// Checks that no strategy succeeds where another fails at a semantic step, and where no policy step is taken all four
/// agree.
pub fn strategies_agree(case: &Case) -> Outcome {
    let verdicts: Vec<Verdict> = (0..STRATEGIES.len())
        .map(|i| case.by(i).verdict())
        .collect();
    if verdicts.contains(&Verdict::Sat) && verdicts.contains(&Verdict::Unsat) {
        return Some(Err("sat by one strategy, unsat by another".into()));
    }
    strategies_agree_without_policy(case).or(Some(Ok(())))
}

pub fn every_run_ends(case: &Case) -> Outcome {
    let endless = (0..STRATEGIES.len()).find(|i| case.by(*i).verdict() == Verdict::Unknown);
    against(endless.map(|i| format!("no end within the limit by {:?}", STRATEGIES[i])))
}
