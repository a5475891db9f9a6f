//! The interface between the machinery and the instances that a document's claims are about.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use lozenge_testkit::minimise::least;

/// One instance under examination, with the results that several claims need, each computed once.
pub trait Subject: Sized + 'static {
    /// The instance itself, which is enumerated, printed, read back and made smaller.
    type Instance: Clone + Display + FromStr + Send + Sync;
    /// The rules that an instance can be run under: the document's own, or repaired ones.
    type Rules: Copy + Display + PartialEq + Send + Sync + 'static;

    /// Every set of rules, from those that are printed to those that are repaired throughout.
    const RULES: &'static [Self::Rules];

    /// Makes an instance for which nothing is computed yet.
    fn new(instance: Self::Instance) -> Self;

    /// Returns the same instance under other rules. Results that do not depend on the rules are shared.
    fn under(&self, rules: Self::Rules) -> Self;

    /// Returns the instance.
    fn instance(&self) -> &Self::Instance;

    /// Returns the time spent so far on results that several claims share.
    fn shared_time(&self) -> Duration;

    /// Returns the outcome of the instance under its rules, in a few words.
    fn outcome(&self) -> String;

    /// Returns every instance that is one step smaller.
    fn smaller(instance: &Self::Instance) -> Vec<Self::Instance>;

    /// Returns a minimal instance for which `has` holds, reached from this one by such steps.
    fn minimised(
        instance: &Self::Instance,
        has: &dyn Fn(&Self::Instance) -> bool,
    ) -> Self::Instance {
        least(instance, Self::smaller, |smaller| Some(has(smaller)))
    }

    /// Tells whether no such step leads to an instance for which `has` holds.
    fn is_minimal(instance: &Self::Instance, has: &dyn Fn(&Self::Instance) -> bool) -> bool {
        !Self::smaller(instance).iter().any(has)
    }
}

/// A finite family of instances, in units of work.
pub trait Family<I>: Sync {
    /// Returns the number of units.
    fn units(&self) -> usize;

    /// Returns the amount of work that a unit takes, for a progress bar.
    fn weight(&self, unit: usize) -> u64;

    /// Returns the instances of a unit.
    fn instances(&self, unit: usize) -> Vec<I>;
}

/// The instances that a survey tries: families in order, the smallest first, with a description.
pub struct Population<I> {
    /// The families.
    pub families: Vec<Box<dyn Family<I>>>,
    /// Their contents, in words.
    pub scope: String,
}

impl<I> Population<I> {
    /// Returns the amount of work that all families take together.
    pub fn weight(&self) -> u64 {
        let of =
            |family: &dyn Family<I>| (0..family.units()).map(|u| family.weight(u)).sum::<u64>();
        self.families.iter().map(|family| of(family.as_ref())).sum()
    }
}
