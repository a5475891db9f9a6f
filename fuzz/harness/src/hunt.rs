//! The hunt for a disagreement: examines the inputs of a campaign, for all targets about constraint sets and projections in turn, until two
//! parties disagree. Planted defects are found in this way (`docs/generated/planted.md`).
//!
//! A defect may make a party run for ever. So a hunt writes down what it is doing ([`Progress`]), and another thread can tell on which
//! input a party does not answer.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::input::{Input, Kind};
use crate::minimise::minimise;
use crate::outcome::Outcome;
use crate::parties::Parties;
use crate::party::Question;
use crate::target::{TARGETS, Target};

/// Targets that ask Z3 or infer whole programs get one input while the others get this many, because they are slow.
const SELDOM: u64 = 10;

/// Targets that are hunted in only where they are asked for: `schedules` runs kernels, of which each has to be compiled, and the others are for
/// defects of one sort.
const OF_THEIR_OWN: [&str; 5] = [
    "schedules",
    "sizes",
    "gradients",
    "growing_sizes",
    "greatest",
];

/// A disagreement.
#[derive(Clone, Debug, Serialize)]
pub struct Quarry {
    /// The target.
    pub target: &'static str,
    /// How many inputs of all targets were examined.
    pub inputs: u64,
    /// The check that failed.
    pub check: String,
    /// A smallest input on which it fails.
    pub least: String,
}

/// The targets about constraint sets and projections, or the one of a name.
fn targets(only: Option<&str>) -> impl Iterator<Item = &'static Target> {
    let is_hunted = move |target: &&Target| match target.kind {
        _ if only.is_some() => only == Some(target.name),
        _ if OF_THEIR_OWN.contains(&target.name) => false,
        Kind::Operation | Kind::Set | Kind::System => true,
        Kind::Program => target.name == "projected_programs",
        Kind::Text => false,
    };
    TARGETS.iter().filter(is_hunted)
}

/// The inputs of all targets in turn, by target and index.
fn inputs(only: Option<&str>) -> impl Iterator<Item = (&'static Target, u64)> {
    (0..).flat_map(move |round| {
        targets(only).filter_map(move |target| {
            let slow = target.kind == Kind::Program || target.questions.contains(&Question::Decide);
            match round % SELDOM {
                0 if slow => Some((target, round / SELDOM)),
                _ => (!slow).then_some((target, round)),
            }
        })
    })
}

/// The check that fails on an input.
fn failed_check(target: &Target, input: &Input, parties: &mut Parties) -> Option<String> {
    match target.examine(input, parties)?.outcome {
        Outcome::Disagree(disagreement) => Some(disagreement.check),
        _ => None,
    }
}

/// What a hunt is doing: since when, and what it has found if it does not get any further.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Option<(Instant, Quarry)>>);

impl Progress {
    fn enter(&self, quarry: Quarry) {
        let now = Some((Instant::now(), quarry));
        *self.0.lock().unwrap_or_else(|broken| broken.into_inner()) = now;
    }

    /// What the hunt has found if it has been at its present input for longer than that: an input on which a party does not
    /// answer, or a disagreement that it has not finished to minimise.
    pub fn overdue(&self, patience: Duration) -> Option<Quarry> {
        let now = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let (since, quarry) = now.as_ref()?;
        (since.elapsed() > patience).then(|| quarry.clone())
    }
}

/// Examines inputs until two parties disagree, at most `limit` of them: of all targets that are hunted in, or of `only` one.
pub fn hunt(seed: u64, limit: u64, only: Option<&str>, progress: &Progress) -> Option<Quarry> {
    let mut parties = Parties::default();
    (1..=limit)
        .zip(inputs(only))
        .find_map(|(inputs, (target, index))| {
            let input = target.indexed(seed, index)?;
            let mut quarry = Quarry {
                target: target.name,
                inputs,
                check: "a party does not answer".into(),
                least: target.shown(&input),
            };
            progress.enter(quarry.clone());
            quarry.check = failed_check(target, &input, &mut parties)?;
            progress.enter(quarry.clone());
            quarry.least = target.shown(&minimise(target, &input, &mut parties));
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
        let seen: Vec<_> = seen.map(|(target, index)| (target.name, index)).collect();
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
