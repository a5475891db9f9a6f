//! The hunt for a disagreement: examines the inputs of a campaign, for all targets about constraint sets and
//! projections in turn, until two parties disagree. Planted defects are found in this way
//! (`docs/generated/planted.md`).
//!
//! A defect may make a party run for ever. So a hunt writes down what it is doing ([`Progress`]), and another thread
//! can tell on which input a party does not answer.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::any_subject::AnyTarget;
use crate::outcome::{Comparison, Outcome};
use crate::subject::party::Parties;
use crate::subject::target::Hunted;
use crate::subjects::targets;

/// Targets that are hunted in seldom get one input while the others get this many.
const SELDOM: u64 = 10;

/// A disagreement.
#[derive(Clone, Debug, Serialize)]
pub struct Quarry {
    /// The target.
    pub target: &'static str,
    /// The number of inputs examined, of all targets together.
    pub inputs: u64,
    /// The check that failed.
    pub check: String,
    /// A smallest input on which it fails.
    pub least: String,
}

/// Returns the inputs of all targets in turn, or of the one of a name, by target and index.
fn inputs(only: Option<&str>) -> impl Iterator<Item = (&'static dyn AnyTarget, u64)> {
    let targets = targets();
    (0..).flat_map(move |round| {
        let at = |target: &&'static dyn AnyTarget| match (only, target.hunted()) {
            (Some(name), _) => (target.name() == name).then_some(round),
            (None, Hunted::Always) => Some(round),
            (None, Hunted::Seldom) => (round % SELDOM == 0).then_some(round / SELDOM),
            (None, Hunted::WhenAsked) => None,
        };
        let inputs = targets.iter();
        let inputs = inputs.filter_map(|target| Some((*target, at(target)?)));
        inputs.collect::<Vec<_>>()
    })
}

/// Returns the check that fails on an input.
fn failed_check(examined: Comparison) -> Option<String> {
    match examined.outcome {
        Outcome::Disagree(disagreement) => Some(disagreement.check),
        _ => None,
    }
}

/// The present state of a hunt: when it began its input, and the finding to report if it does not get any further.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Option<(Instant, Quarry)>>);

impl Progress {
    fn enter(&self, quarry: Quarry) {
        let now = Some((Instant::now(), quarry));
        *self.0.lock().unwrap_or_else(|broken| broken.into_inner()) = now;
    }

    /// Returns the finding of a hunt that has been at its present input for longer than `patience`: an input on which a
    /// party does not answer, or a disagreement that it has not finished to minimise.
    pub fn overdue(&self, patience: Duration) -> Option<Quarry> {
        let now = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let (since, quarry) = now.as_ref()?;
        (since.elapsed() > patience).then(|| quarry.clone())
    }
}

/// Examines inputs until two parties disagree, at most `limit` of them: of all targets that are hunted in, or of `only`
/// one.
pub fn hunt(seed: u64, limit: u64, only: Option<&str>, progress: &Progress) -> Option<Quarry> {
    let mut parties = Parties::default();
    (1..=limit)
        .zip(inputs(only))
        .find_map(|(inputs, (target, index))| {
            let mut quarry = Quarry {
                target: target.name(),
                inputs,
                check: "a party does not answer".into(),
                least: target.shown(seed, index)?,
            };
            progress.enter(quarry.clone());
            let examined = target.examine_indexed(seed, index, false, &mut parties)?;
            quarry.check = failed_check(examined.comparison)?;
            progress.enter(quarry.clone());
            let least = target.least(&target.text(seed, index)?, &mut parties);
            quarry.least = least.ok()?.shown;
            Some(quarry)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_without_a_defect_give_no_quarry() {
        let progress = Progress::default();
        assert!(progress.overdue(Duration::ZERO).is_none());
        assert!(hunt(1, 40, None, &progress).is_none());
    }

    #[test]
    fn a_hunt_in_one_target_sees_its_inputs_in_order() {
        let seen = inputs(Some("evidence")).take(12);
        let seen: Vec<_> = seen.map(|(target, index)| (target.name(), index)).collect();
        assert_eq!(seen, (0..12).map(|at| ("evidence", at)).collect::<Vec<_>>());
    }

    #[test]
    fn an_input_without_an_answer_is_told() {
        let progress = Progress::default();
        hunt(1, 1, None, &progress);
        std::thread::sleep(Duration::from_millis(20));
        let stuck = progress
            .overdue(Duration::from_millis(10))
            .expect("the last input");
        assert_eq!(
            (stuck.inputs, &*stuck.check),
            (1, "a party does not answer")
        );
        assert!(!stuck.least.is_empty());
        assert!(progress.overdue(Duration::from_secs(3600)).is_none());
    }
}
