//! One pass over all sets of the scopes for all claims that speak of constraint sets, and one over random larger sets.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::case::{Case, Decide, witness};
use super::{Check, Claim, Effort, Finding, Property, Witness};
use lozenge_testkit::minimise::minimise;
use lozenge_testkit::sampling::{self, LARGER};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::constraint::ConstraintSet;

/// What a property met.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// On how many sets it speaks.
    pub instances: u64,
    /// On how many of them it fails.
    pub failures: u64,
    /// The first set on which it fails.
    pub first: Option<ConstraintSet>,
    /// How long workers took: for what only this property asked for, and an even share of what several did.
    pub time: Duration,
}

impl Tally {
    fn take(&mut self, property: Property, case: &Case) {
        let (start, shared) = (Instant::now(), case.shared_time());
        let result = property(case);
        self.time += start.elapsed().saturating_sub(case.shared_time() - shared);
        let Some(result) = result else { return };
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
        self.time += later.time;
    }
}

/// Tells how far a pass is: done and total units of work.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// Into how many stretches the units of a pass are divided at most.
const STRETCHES: usize = 4096;

/// Takes all units of work with a worker for each core; the tallies are added in the order of the units. `finished` is
/// told of each unit that is through.
fn in_parallel(
    units: usize,
    survey: &Survey,
    sets: impl Fn(usize) -> Vec<ConstraintSet> + Sync,
    finished: &(dyn Fn(usize) + Sync),
) -> Vec<Tally> {
    let next = AtomicUsize::new(0);
    // Units are taken several at a time, and tallied together: there are hundreds of thousands of the smallest.
    let stretch = units.div_ceil(STRETCHES).max(1);
    let done: Mutex<Vec<(usize, Vec<Tally>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let start = next.fetch_add(stretch, Ordering::Relaxed);
            if start >= units {
                return;
            }
            let mut tallies = vec![Tally::default(); survey.properties.len()];
            for unit in start..units.min(start + stretch) {
                survey.look(sets(unit), &mut tallies);
                finished(unit);
            }
            done.lock()
                .unwrap_or_else(|e| e.into_inner())
                .push((start, tallies));
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (0..workers).for_each(|_| drop(scope.spawn(work)));
    });
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by_key(|(start, _)| *start);
    let mut total = vec![Tally::default(); survey.properties.len()];
    for (_, tallies) in done {
        add_all(&mut total, tallies);
    }
    total
}

/// What is asked of every set.
#[derive(Clone)]
pub struct Survey {
    /// The properties.
    pub properties: Vec<Property>,
    /// Who says whether a set has a solution, where no small one was found.
    pub decide: Option<Decide>,
}

impl Survey {
    /// Each property of each set. What several properties ask for is timed as an even share of each.
    fn look(&self, sets: Vec<ConstraintSet>, tallies: &mut [Tally]) {
        let mut shared = Duration::ZERO;
        for set in sets {
            let case = Case::asking(set, self.decide);
            for (tally, property) in tallies.iter_mut().zip(&self.properties) {
                tally.take(*property, &case);
            }
            shared += case.shared_time();
        }
        let share = shared / tallies.len().max(1) as u32;
        tallies.iter_mut().for_each(|tally| tally.time += share);
    }

    /// Every set of the scopes, for every property.
    pub fn exhaust(&self, scopes: &[Scope], progress: Progress) -> Vec<Tally> {
        let mut total = vec![Tally::default(); self.properties.len()];
        if self.properties.is_empty() {
            return total;
        }
        let all = scopes.iter().map(Scope::raw_len).sum();
        let done = AtomicU64::new(0);
        for scope in scopes {
            let family = Family::new(scope);
            let finished = |unit: usize| {
                let more = family.raw_starting_at(unit);
                progress(done.fetch_add(more, Ordering::Relaxed) + more, all);
            };
            let sets = |unit: usize| family.starting_at(unit);
            let tallies = in_parallel(family.starts(), self, sets, &finished);
            add_all(&mut total, tallies);
        }
        total
    }

    /// The sets of a family that start with a constraint of this range, for every property.
    pub fn stretch(&self, family: &Family, starts: Range<usize>) -> Vec<Tally> {
        let sets = |unit: usize| family.starting_at(starts.start + unit);
        in_parallel(starts.len(), self, sets, &|_| {})
    }

    /// Random sets with numbers from `from` to `to`, for every property.
    pub fn sample(&self, from: u64, to: u64, progress: Progress) -> Vec<Tally> {
        if self.properties.is_empty() {
            return Vec::new();
        }
        let units = (to - from).div_ceil(CHUNK) as usize;
        let sets = |unit: usize| {
            let start = from + unit as u64 * CHUNK;
            (start..to.min(start + CHUNK))
                .map(|index| sampling::set(&LARGER, index))
                .collect()
        };
        let done = AtomicU64::new(0);
        let finished = |_| progress(done.fetch_add(1, Ordering::Relaxed) + 1, units as u64);
        in_parallel(units, self, sets, &finished)
    }

    /// The finding of a tally: a failure is made minimal, and looked at once more to say what is seen.
    pub fn finding(
        &self,
        property: Property,
        tally: &Tally,
        exhaustive: bool,
        scope: String,
    ) -> Finding {
        let first = tally.first.as_ref();
        let witness = first.map(|first| self.minimal_witness(property, first));
        if exhaustive {
            Finding::exhaustive(scope, tally.instances, witness)
        } else {
            Finding::sampled(scope, tally.instances, witness)
        }
    }

    fn fails(&self, property: Property, set: &ConstraintSet) -> Option<String> {
        property(&Case::asking(set.clone(), self.decide))?.err()
    }

    fn minimal_witness(&self, property: Property, first: &ConstraintSet) -> Witness {
        let smallest = minimise(first, |set| self.fails(property, set).is_some());
        let why = self.fails(property, &smallest).unwrap_or_default();
        witness(&smallest, why)
    }
}

/// Adds later tallies to those of the same properties.
pub fn add_all(total: &mut [Tally], later: Vec<Tally>) {
    let pairs = total.iter_mut().zip(later);
    pairs.for_each(|(all, one)| all.add(one));
}

/// How many random sets are one unit of work.
pub const CHUNK: u64 = 500;

/// The scopes in words.
pub fn described(scopes: &[Scope], decide: Option<Decide>) -> String {
    let scopes: Vec<String> = scopes.iter().map(|s| s.to_string()).collect();
    let asked = match decide {
        Some(_) => "that there is none at all is what Z3 says",
        None => "that there is none at all is not asked",
    };
    format!(
        "all constraint sets up to symmetry: {}; solutions over {{1_, 3, 5}} with rows of rank up to 2 ({asked})",
        scopes.join("; ")
    )
}

/// The random sets in words.
pub fn described_samples(count: u64) -> String {
    format!(
        "{count} random sets of {} to {} constraints, flanks up to {}, {} row and {} dimension variables",
        LARGER.constraints.0, LARGER.constraints.1, LARGER.flank, LARGER.row_vars, LARGER.dim_vars
    )
}

/// A decided claim, and how many seconds of one processor it took.
pub type Decided = (Finding, f64);

/// Decides all claims on constraint sets; the results are in the order of the claims, `None` for those decided otherwise.
pub fn decide(
    claims: &[Claim],
    effort: Effort,
    decide: Option<Decide>,
    progress: Progress,
) -> Vec<Option<Decided>> {
    let chosen = |wanted: fn(&Check) -> Option<Property>| -> (Vec<usize>, Survey) {
        let at = |(i, c): (usize, &Claim)| wanted(&c.check).map(|p| (i, p));
        let (numbers, properties) = claims.iter().enumerate().filter_map(at).unzip();
        (numbers, Survey { properties, decide })
    };
    let (sets, exhaustive) = chosen(|check| match check {
        Check::Sets(property) => Some(*property),
        _ => None,
    });
    let (random, sampled) = chosen(|check| match check {
        Check::Random(property) => Some(*property),
        _ => None,
    });
    let mut findings = vec![None; claims.len()];
    let mut keep = |numbers: Vec<usize>, survey: Survey, tallies: Vec<Tally>, of: Option<u64>| {
        for ((claim, property), tally) in numbers.iter().zip(&survey.properties).zip(&tallies) {
            let scope = match of {
                None => described(&effort.scopes(), decide),
                Some(count) => described_samples(count),
            };
            let finding = survey.finding(*property, tally, of.is_none(), scope);
            findings[*claim] = Some((finding, tally.time.as_secs_f64()));
        }
    };
    let tallies = exhaustive.exhaust(&effort.scopes(), progress);
    keep(sets, exhaustive, tallies, None);
    let count = effort.samples();
    let tallies = sampled.sample(0, count, progress);
    keep(random, sampled, tallies, Some(count));
    findings
}
