//! The counts of a target. Tallies of disjoint inputs can be added in any order.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::any_subject::AnyTarget;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// A disagreement, with the data needed to reproduce it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Found {
    /// The number of the input.
    pub index: u64,
    /// The input in its readable form.
    pub input: String,
    /// The disagreement.
    pub disagreement: Disagreement,
    /// True if a party did not answer, so that the input must not be examined again.
    #[serde(default)]
    pub stuck: bool,
}

/// The counts of one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Tally {
    /// The inputs examined: those with the numbers below this one.
    pub inputs: u64,
    /// The number of inputs that got past the first step.
    pub useful: u64,
    /// The number of times that each answer occurred.
    pub answers: BTreeMap<String, u64>,
    /// The number of times that each outcome occurred: agreement, named differences, `unknown`.
    pub outcomes: BTreeMap<String, u64>,
    /// The limits behind `unknown`.
    pub limits: BTreeMap<String, u64>,
    /// The number of inputs of each size.
    pub sizes: BTreeMap<usize, u64>,
    /// The number of times that each rule fired, on one input in sixteen.
    pub fired: BTreeMap<String, u64>,
    /// The number of times that each rule failed, on one input in sixteen.
    pub failed: BTreeMap<String, u64>,
    /// The first disagreements.
    pub found: Vec<Found>,
    /// The time that the target ran, in seconds.
    pub seconds: f64,
    /// Seconds and inputs after some of the rounds.
    pub samples: Vec<(f64, u64)>,
}

/// The most disagreements of one target that are kept; all are counted.
const KEPT: usize = 20;

/// The rules are traced on one input in this many.
const TRACED: u64 = 16;

/// The most samples of the rate that are kept.
const SAMPLES: usize = 256;

fn sum<K: Ord + Clone>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key.clone()).or_default() += count;
    }
}

fn count(into: &mut BTreeMap<String, u64>, key: impl ToString) {
    let key = key.to_string();
    *into.entry(key).or_default() += 1;
}

impl Tally {
    /// Examines an input and counts it.
    pub fn examine(
        &mut self,
        target: &dyn AnyTarget,
        seed: u64,
        index: u64,
        parties: &mut Parties,
    ) {
        self.inputs += 1;
        let traced = index.is_multiple_of(TRACED);
        let Some(examined) = target.examine_indexed(seed, index, traced, parties) else {
            count(&mut self.outcomes, "no input");
            return;
        };
        let Comparison {
            outcome,
            useful,
            answer,
        } = examined.comparison;
        self.useful += u64::from(useful);
        *self.sizes.entry(examined.size).or_default() += 1;
        count(&mut self.answers, answer);
        count(&mut self.outcomes, outcome.key());
        match outcome {
            Outcome::Unknown(limit) => count(&mut self.limits, limit),
            Outcome::Disagree(disagreement) => self.keep(Found {
                index,
                input: target.text(seed, index).unwrap_or_default(),
                disagreement: *disagreement,
                stuck: false,
            }),
            Outcome::Agree | Outcome::Differ(_) => {}
        }
        if let Some(features) = examined.features {
            let (fired, failed) = (features.fired.iter(), features.failed.iter());
            fired.for_each(|rule| count(&mut self.fired, rule));
            failed.for_each(|rule| count(&mut self.failed, rule));
        }
    }

    /// Records an input that a party does not answer. It is not counted among the inputs.
    pub fn stuck(&mut self, target: &dyn AnyTarget, seed: u64, index: u64) {
        self.keep(Found {
            index,
            input: target.text(seed, index).unwrap_or_default(),
            disagreement: Disagreement::new("a party does not answer"),
            stuck: true,
        });
    }

    fn keep(&mut self, found: Found) {
        self.found.retain(|known| known.index != found.index);
        self.found.push(found);
        self.found.sort_by_key(|found| found.index);
        self.found.truncate(KEPT);
    }

    /// Adds the counts of other inputs.
    pub fn add(&mut self, other: &Tally) {
        self.inputs += other.inputs;
        self.useful += other.useful;
        sum(&mut self.answers, &other.answers);
        sum(&mut self.outcomes, &other.outcomes);
        sum(&mut self.limits, &other.limits);
        sum(&mut self.sizes, &other.sizes);
        sum(&mut self.fired, &other.fired);
        sum(&mut self.failed, &other.failed);
        other
            .found
            .iter()
            .for_each(|found| self.keep(found.clone()));
    }

    /// Records the progress of the target after a round that took this long.
    pub fn sample(&mut self, took: Duration) {
        self.seconds += took.as_secs_f64();
        self.samples.push((self.seconds, self.inputs));
        if self.samples.len() > SAMPLES {
            // Every second sample is dropped; the last one stays.
            let mut odd = false;
            self.samples.retain(|_| {
                odd = !odd;
                !odd
            });
        }
    }

    /// Counts the inputs whose answers disagree.
    pub fn disagreements(&self) -> u64 {
        let counts = self.outcomes.iter();
        counts
            .filter(|(key, _)| key.starts_with("disagree"))
            .map(|(_, count)| count)
            .sum()
    }

    /// Says whether a rule fired or failed on some traced input.
    pub fn reaches(&self, rule: &str) -> bool {
        self.fired.contains_key(rule) || self.failed.contains_key(rule)
    }

    /// Inputs a second.
    pub fn rate(&self) -> f64 {
        self.inputs as f64 / self.seconds.max(1e-9)
    }

    /// Drops everything that depends on the machine.
    pub fn forget_times(&mut self) {
        self.seconds = 0.0;
        self.samples.clear();
    }
}
