//! Campaigns: many inputs of many targets on all cores. Input number i of a target depends on the seed and i alone, and what is
//! counted does not depend on the order, so any number of threads comes to the same counts.

mod page;
mod tally;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::target::Target;
use crate::worker::Worker;

pub use page::page;
pub use tally::{Found, Tally};

/// What to do.
#[derive(Clone)]
pub struct Plan {
    /// The targets, one after the other in each round.
    pub targets: Vec<&'static Target>,
    /// The number from which all inputs are made.
    pub seed: u64,
    /// How many inputs each target gets, counted from the first of the campaign.
    pub count: Option<u64>,
    /// How long to go on.
    pub time: Option<Duration>,
    /// How many threads.
    pub jobs: usize,
}

/// Where a campaign stands: everything that is needed to go on, and to report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The seed.
    pub seed: u64,
    /// Seconds of all sessions together.
    pub seconds: f64,
    /// The counts, by target.
    pub tallies: BTreeMap<String, Tally>,
}

impl State {
    /// A campaign at its start.
    pub fn new(seed: u64) -> State {
        State {
            seed,
            ..State::default()
        }
    }

    /// How many inputs were examined.
    pub fn inputs(&self) -> u64 {
        self.tallies.values().map(|tally| tally.inputs).sum()
    }

    /// The disagreements, in the order of targets and inputs.
    pub fn disagreements(&self) -> impl Iterator<Item = (&str, &Found)> {
        self.tallies
            .iter()
            .flat_map(|(name, tally)| tally.found.iter().map(move |found| (name.as_str(), found)))
    }
}

/// How long a round of one target lasts, about.
const ROUND: Duration = Duration::from_millis(500);

/// Runs a plan from where the state stands; `progress` sees the state after each round. Stops early when `stop` is set,
/// after the inputs that are under way: the state is always a whole prefix of each target's inputs.
pub fn run(plan: &Plan, state: &mut State, stop: &AtomicBool, mut progress: impl FnMut(&State)) {
    std::thread::scope(|scope| {
        let (counted, tallies) = channel();
        let threads = (0..plan.jobs.max(1)).map(|_| {
            let (send, rounds) = channel();
            let counted = counted.clone();
            scope.spawn(move || work(&rounds, &counted));
            send
        });
        let pool = Pool {
            threads: threads.collect(),
            tallies,
        };
        rounds(plan, state, stop, &pool, &mut progress);
    });
}

fn rounds(
    plan: &Plan,
    state: &mut State,
    stop: &AtomicBool,
    pool: &Pool,
    progress: &mut impl FnMut(&State),
) {
    let before = state.seconds;
    let start = Instant::now();
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    loop {
        let mut busy = false;
        for target in &plan.targets {
            let over = plan.time.is_some_and(|time| start.elapsed() >= time);
            if over || stop.load(Ordering::Relaxed) {
                return;
            }
            let tally = state.tallies.entry(target.name.into()).or_default();
            let left = plan
                .count
                .map_or(u64::MAX, |count| count.saturating_sub(tally.inputs));
            let size = sizes.entry(target.name).or_insert(plan.jobs as u64);
            let asked = left.min(*size);
            if asked == 0 {
                continue;
            }
            busy = true;
            let round = Instant::now();
            tally.add(&pool.round(target, plan.seed, tally.inputs, asked));
            let took = round.elapsed();
            tally.sample(took);
            // The next round is larger or smaller, so that it takes about as long as it should.
            let factor = ROUND.as_secs_f64() / took.as_secs_f64().max(1e-6);
            *size = ((*size as f64 * factor.clamp(0.25, 8.0)) as u64).max(plan.jobs as u64);
            state.seconds = before + start.elapsed().as_secs_f64();
            progress(state);
        }
        if !busy {
            return;
        }
    }
}

/// Inputs of one target, which the threads take a few at a time.
struct Round {
    target: &'static Target,
    seed: u64,
    next: AtomicU64,
    end: u64,
    chunk: u64,
}

impl Round {
    fn take_part(&self, worker: &mut Worker) -> Tally {
        let mut tally = Tally::default();
        loop {
            let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if first >= self.end {
                return tally;
            }
            for index in first..self.end.min(first + self.chunk) {
                tally.examine(self.target, self.seed, index, worker);
            }
        }
    }
}

/// The threads, which keep their parties from round to round.
struct Pool {
    threads: Vec<Sender<Arc<Round>>>,
    tallies: Receiver<Tally>,
}

impl Pool {
    fn round(&self, target: &'static Target, seed: u64, first: u64, count: u64) -> Tally {
        let threads = self.threads.len() as u64;
        let round = Arc::new(Round {
            target,
            seed,
            next: AtomicU64::new(first),
            end: first + count,
            chunk: (count / (threads * 8)).clamp(1, 4096),
        });
        let mut sum = Tally::default();
        let asked = self
            .threads
            .iter()
            .filter(|thread| thread.send(Arc::clone(&round)).is_ok());
        for tally in self.tallies.iter().take(asked.count()) {
            sum.add(&tally);
        }
        sum
    }
}

fn work(rounds: &Receiver<Arc<Round>>, counted: &Sender<Tally>) {
    let mut worker = Worker::default();
    for round in rounds {
        let part = catch_unwind(AssertUnwindSafe(|| round.take_part(&mut worker)));
        // Whoever waits gets an answer, even if a generator has panicked; the panic ends the campaign.
        let _ = counted.send(
            part.as_ref()
                .map_or_else(|_| Tally::default(), Clone::clone),
        );
        if let Err(panic) = part {
            resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(jobs: usize, counts: &[u64]) -> BTreeMap<String, Tally> {
        let mut state = State::new(7);
        for count in counts {
            let plan = Plan {
                targets: ["spec_solver", "projection", "closing"]
                    .iter()
                    .filter_map(|name| Target::named(name))
                    .collect(),
                seed: 7,
                count: Some(*count),
                time: None,
                jobs,
            };
            run(&plan, &mut state, &AtomicBool::new(false), |_| {});
        }
        for tally in state.tallies.values_mut() {
            tally.forget_times();
        }
        state.tallies
    }

    #[test]
    fn counts_depend_on_seed_and_count_alone() {
        let once = counted(1, &[3000]);
        assert_eq!(once["spec_solver"].inputs, 3000);
        assert_eq!(once, counted(3, &[3000]));
        assert_eq!(once, counted(2, &[1000, 1001, 3000]));
    }

    #[test]
    fn a_stop_leaves_a_state_to_go_on_from() {
        let plan = Plan {
            targets: Target::named("projection").into_iter().collect(),
            seed: 1,
            count: Some(2000),
            time: None,
            jobs: 2,
        };
        let stop = AtomicBool::new(false);
        let mut state = State::new(1);
        run(&plan, &mut state, &stop, |_| {
            stop.store(true, Ordering::Relaxed)
        });
        let first = state.inputs();
        assert!((1..2000).contains(&first));
        let text = serde_json::to_string(&state).unwrap();
        let mut back: State = serde_json::from_str(&text).unwrap();
        run(&plan, &mut back, &AtomicBool::new(false), |_| {});
        assert_eq!(back.inputs(), 2000);
        assert_eq!(back.tallies["projection"].outcomes["agree"], 2000);
    }
}
