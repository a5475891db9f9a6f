//! One pass over all sets of the scopes for all claims that speak of constraint sets, and one over random larger sets.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::case::{Case, witness};
use super::minimise::minimise;
use super::sampling::{self, LARGER};
use super::sets::{Family, Scope};
use super::{Check, Claim, Effort, Finding, Property, Witness};
use crate::constraint::ConstraintSet;

/// What a property met.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// On how many sets it speaks.
    pub instances: u64,
    /// On how many of them it fails.
    pub failures: u64,
    /// The first set on which it fails.
    pub first: Option<ConstraintSet>,
}

impl Tally {
    fn take(&mut self, property: Property, case: &Case) {
        let Some(result) = property(case) else { return };
        self.instances += 1;
        if result.is_err() {
            self.failures += 1;
            self.first.get_or_insert_with(|| case.set.clone());
        }
    }

    /// Adds what was met later.
    pub fn add(&mut self, later: Tally) {
        self.instances += later.instances;
        self.failures += later.failures;
        self.first = self.first.take().or(later.first);
    }
}

/// Tells how far a pass is: done and total units of work.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Takes all units of work with a worker for each core; the tallies are added in the order of the units.
fn in_parallel(
    units: usize,
    properties: &[Property],
    sets: impl Fn(usize) -> Vec<ConstraintSet> + Sync,
    progress: Progress,
) -> Vec<Tally> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Vec<Tally>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let unit = next.fetch_add(1, Ordering::Relaxed);
            if unit >= units {
                return;
            }
            let mut tallies = vec![Tally::default(); properties.len()];
            for set in sets(unit) {
                let case = Case::new(set);
                for (tally, property) in tallies.iter_mut().zip(properties) {
                    tally.take(*property, &case);
                }
            }
            progress(unit as u64 + 1, units as u64);
            done.lock()
                .unwrap_or_else(|e| e.into_inner())
                .push((unit, tallies));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by_key(|(unit, _)| *unit);
    let mut total = vec![Tally::default(); properties.len()];
    for (_, tallies) in done {
        add_all(&mut total, tallies);
    }
    total
}

/// Every set of the scopes, for every property.
pub fn exhaust(properties: &[Property], effort: Effort, progress: Progress) -> Vec<Tally> {
    let mut total = vec![Tally::default(); properties.len()];
    for scope in effort.scopes() {
        let family = Family::new(&scope);
        let tallies = stretch(properties, &family, 0..family.starts(), progress);
        add_all(&mut total, tallies);
    }
    total
}

/// The sets of a family that start with a constraint of this range, for every property.
pub fn stretch(
    properties: &[Property],
    family: &Family,
    starts: Range<usize>,
    progress: Progress,
) -> Vec<Tally> {
    let sets = |unit: usize| family.starting_at(starts.start + unit);
    in_parallel(starts.len(), properties, sets, progress)
}

/// Adds later tallies to those of the same properties.
pub fn add_all(total: &mut [Tally], later: Vec<Tally>) {
    let pairs = total.iter_mut().zip(later);
    pairs.for_each(|(all, one)| all.add(one));
}

/// How many random sets are one unit of work.
pub const CHUNK: u64 = 500;

/// Random sets with numbers from `from` to `to`, for every property.
pub fn sample(properties: &[Property], from: u64, to: u64, progress: Progress) -> Vec<Tally> {
    let units = (to - from).div_ceil(CHUNK) as usize;
    let sets = |unit: usize| {
        let start = from + unit as u64 * CHUNK;
        (start..to.min(start + CHUNK))
            .map(|index| sampling::set(&LARGER, index))
            .collect()
    };
    in_parallel(units, properties, sets, progress)
}

/// The finding of a tally: a failure is made minimal, and looked at once more to say what is seen.
pub fn finding(property: Property, tally: &Tally, exhaustive: bool, scope: String) -> Finding {
    let witness = tally
        .first
        .as_ref()
        .map(|first| minimal_witness(property, first));
    if exhaustive {
        Finding::exhaustive(scope, tally.instances, witness)
    } else {
        Finding::sampled(scope, tally.instances, witness)
    }
}

fn fails(property: Property, set: &ConstraintSet) -> Option<String> {
    property(&Case::new(set.clone()))?.err()
}

fn minimal_witness(property: Property, first: &ConstraintSet) -> Witness {
    let smallest = minimise(first, |set| fails(property, set).is_some());
    let why = fails(property, &smallest).unwrap_or_default();
    witness(&smallest, why)
}

/// The scopes in words.
pub fn described(scopes: &[Scope]) -> String {
    let scopes: Vec<String> = scopes.iter().map(|s| s.to_string()).collect();
    format!("all constraint sets up to symmetry: {}", scopes.join("; "))
}

/// The random sets in words.
pub fn described_samples(count: u64) -> String {
    format!(
        "{count} random sets of {} to {} constraints, flanks up to {}, {} row and {} dimension variables",
        LARGER.constraints.0, LARGER.constraints.1, LARGER.flank, LARGER.row_vars, LARGER.dim_vars
    )
}

/// Decides all claims on constraint sets; the results are in the order of the claims, `None` for those decided otherwise.
pub fn decide(claims: &[Claim], effort: Effort, progress: Progress) -> Vec<Option<Finding>> {
    let chosen = |wanted: fn(&Check) -> Option<Property>| -> Vec<(usize, Property)> {
        let at = |(i, c): (usize, &Claim)| wanted(&c.check).map(|p| (i, p));
        claims.iter().enumerate().filter_map(at).collect()
    };
    let sets = chosen(|check| match check {
        Check::Sets(property) => Some(*property),
        _ => None,
    });
    let random = chosen(|check| match check {
        Check::Random(property) => Some(*property),
        _ => None,
    });
    let properties = |of: &[(usize, Property)]| of.iter().map(|(_, p)| *p).collect::<Vec<_>>();
    let mut findings = vec![None; claims.len()];
    let tallies = exhaust(&properties(&sets), effort, progress);
    for ((claim, property), tally) in sets.iter().zip(&tallies) {
        findings[*claim] = Some(finding(*property, tally, true, described(&effort.scopes())));
    }
    let count = effort.samples();
    let tallies = sample(&properties(&random), 0, count, progress);
    for ((claim, property), tally) in random.iter().zip(&tallies) {
        findings[*claim] = Some(finding(*property, tally, false, described_samples(count)));
    }
    findings
}
