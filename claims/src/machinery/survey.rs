//! One pass over a population for all properties at once, with a worker for each core.
//!
//! Tallies are added in the order of the instances, so that the result does not depend on the number of workers.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::claim::Property;
use super::finding::{Finding, Witness};
use super::subject::{Family, Population, Subject};

/// The result of a property on the instances seen so far.
#[derive(Clone, Debug)]
pub struct Tally<I> {
    /// The number of instances to which it applies.
    pub instances: u64,
    /// The number of instances on which it fails.
    pub failures: u64,
    /// The first instance on which it fails.
    pub first: Option<I>,
    /// The time of the workers: for this property alone, and an even share of the time for shared results.
    pub time: Duration,
}

impl<I> Default for Tally<I> {
    fn default() -> Self {
        Tally {
            instances: 0,
            failures: 0,
            first: None,
            time: Duration::ZERO,
        }
    }
}

impl<I: Clone> Tally<I> {
    fn take<S: Subject<Instance = I>>(&mut self, asked: &Asked<S>, subject: &S) {
        let (start, shared) = (Instant::now(), subject.shared_time());
        let result = asked.result(subject);
        let own = start.elapsed();
        self.time += own.saturating_sub(subject.shared_time().saturating_sub(shared));
        let Some(result) = result else { return };
        self.instances += 1;
        if result.is_err() {
            self.failures += 1;
            self.first.get_or_insert_with(|| subject.instance().clone());
        }
    }

    /// Adds the tally of later instances.
    pub fn add(&mut self, later: Tally<I>) {
        self.instances += later.instances;
        self.failures += later.failures;
        self.first = self.first.take().or(later.first);
        self.time += later.time;
    }
}

/// Adds later tallies to those of the same properties.
pub fn add_all<I: Clone>(total: &mut [Tally<I>], later: Vec<Tally<I>>) {
    let pairs = total.iter_mut().zip(later);
    pairs.for_each(|(all, one)| all.add(one));
}

/// Called with the amount of work done and the total amount.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// The number of random instances in one unit of work.
pub const CHUNK: u64 = 500;

/// The largest number of stretches into which the units of a pass are divided, since there may be hundreds of thousands
/// of units.
const STRETCHES: usize = 4096;

/// A property, and the rules under which instances are run for it.
pub struct Asked<S: Subject> {
    /// The rules.
    pub rules: S::Rules,
    /// The property.
    pub property: Property<S>,
}

impl<S: Subject> Clone for Asked<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Subject> Copy for Asked<S> {}

impl<S: Subject> Asked<S> {
    fn result(&self, subject: &S) -> Option<Result<(), String>> {
        (self.property)(&subject.under(self.rules))
    }

    /// Returns the contradiction with the property, if it fails on an instance.
    pub fn failure(&self, instance: &S::Instance) -> Option<String> {
        self.result(&S::new(instance.clone()))?.err()
    }
}

/// The properties that are decided for every instance.
pub struct Survey<S: Subject> {
    /// The properties.
    pub asked: Vec<Asked<S>>,
}

impl<S: Subject> Survey<S> {
    /// Decides each property for each instance. The time for shared results is divided evenly among the properties.
    fn look(&self, instances: Vec<S::Instance>, tallies: &mut [Tally<S::Instance>]) {
        let mut shared = Duration::ZERO;
        for instance in instances {
            let subject = S::new(instance);
            for (tally, asked) in tallies.iter_mut().zip(&self.asked) {
                tally.take(asked, &subject);
            }
            shared += subject.shared_time();
        }
        let share = shared / tallies.len().max(1) as u32;
        tallies.iter_mut().for_each(|tally| tally.time += share);
    }

    fn nothing(&self) -> Vec<Tally<S::Instance>> {
        vec![Tally::default(); self.asked.len()]
    }

    /// Surveys the instances of some units of a family. `finished` is called with each unit when it is done.
    pub fn stretch(
        &self,
        family: &dyn Family<S::Instance>,
        units: Range<usize>,
        finished: &(dyn Fn(usize) + Sync),
    ) -> Vec<Tally<S::Instance>> {
        let length = units.len().div_ceil(STRETCHES).max(1);
        let starts: Vec<usize> = units.clone().step_by(length).collect();
        let stretch = |start: usize| {
            let mut tallies = self.nothing();
            for unit in start..units.end.min(start + length) {
                self.look(family.instances(unit), &mut tallies);
                finished(unit);
            }
            tallies
        };
        let done: Vec<Vec<Tally<S::Instance>>> = starts.into_par_iter().map(stretch).collect();
        let mut total = self.nothing();
        done.into_iter().for_each(|part| add_all(&mut total, part));
        total
    }

    /// Surveys every instance of a population.
    pub fn exhaust(
        &self,
        population: &Population<S::Instance>,
        progress: Progress,
    ) -> Vec<Tally<S::Instance>> {
        let mut total = self.nothing();
        if self.asked.is_empty() {
            return total;
        }
        let (all, done) = (population.weight(), AtomicU64::new(0));
        for family in &population.families {
            let finished = |unit: usize| {
                let more = family.weight(unit);
                progress(done.fetch_add(more, Ordering::Relaxed) + more, all);
            };
            let tallies = self.stretch(family.as_ref(), 0..family.units(), &finished);
            add_all(&mut total, tallies);
        }
        total
    }
}

/// Returns the finding of a tally. The first failure is made minimal and decided once more, to get the reason for its
/// failure.
pub fn finding<S: Subject>(
    asked: &Asked<S>,
    tally: &Tally<S::Instance>,
    exhaustive: bool,
    scope: &str,
) -> Finding {
    let witness = tally.first.as_ref().map(|first| minimal(asked, first));
    let finding = if exhaustive {
        Finding::exhaustive(scope, tally.instances, witness)
    } else {
        Finding::sampled(scope, tally.instances, witness)
    };
    finding.under(asked.rules)
}

fn minimal<S: Subject>(asked: &Asked<S>, first: &S::Instance) -> Witness {
    let smallest = S::minimised(first, &|instance| asked.failure(instance).is_some());
    let why = asked.failure(&smallest).unwrap_or_default();
    Witness::new(smallest.to_string().trim_end(), why)
}
