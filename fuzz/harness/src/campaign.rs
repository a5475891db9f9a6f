//! Campaigns: many inputs of many targets on all cores. Input number i of a target depends only on the seed and i, and
//! counts do not depend on the order, so any number of threads gives the same counts.
//!
//! A party may never answer an input. So a round is spawned on the threads of a pool and its counts arrive through a
//! channel, because a scope of `rayon` would return only when every thread has. The thread of such an input is
//! abandoned, and the campaign names the input.

mod page;
mod patience;
mod shard;
mod tally;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};

use crate::any_subject::AnyTarget;
use crate::subject::party::Parties;
use crate::subjects::{named, rules};

use patience::{IDLE, Post, Watch};

pub use page::{Provenance, page};
pub use shard::{Shard, merge};
pub use tally::{Found, Tally};

/// The plan of a run.
#[derive(Clone)]
pub struct Plan {
    /// The targets, one after the other in each round.
    pub targets: Vec<&'static dyn AnyTarget>,
    /// The seed of all inputs.
    pub seed: u64,
    /// The number of inputs that each target of the whole campaign gets, counted from its first; this part gets its
    /// share.
    pub count: Option<u64>,
    /// The time after which no new input is begun.
    pub time: Option<Duration>,
    /// The time that a party may take for one input, without that in which the machine gives it no core. Every party
    /// has lower limits of its own.
    pub patience: Duration,
    /// The number of threads.
    pub jobs: usize,
}

/// The state of a campaign: everything that is needed to resume it and to report on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct State {
    /// The seed.
    pub seed: u64,
    /// The part of a campaign that it is.
    #[serde(default)]
    pub shard: Shard,
    /// Seconds of all sessions together.
    pub seconds: f64,
    /// The counts, by target.
    pub tallies: BTreeMap<String, Tally>,
}

impl State {
    /// Returns a campaign at its start.
    pub fn new(seed: u64) -> State {
        State::of(seed, Shard::WHOLE)
    }

    /// Returns a part of a campaign at its start.
    pub fn of(seed: u64, shard: Shard) -> State {
        State {
            seed,
            shard,
            ..State::default()
        }
    }

    /// Counts the inputs that were examined.
    pub fn inputs(&self) -> u64 {
        self.tallies.values().map(|tally| tally.inputs).sum()
    }

    /// Returns the names of the rules that its inputs may reach.
    pub fn rules(&self) -> Vec<&'static str> {
        rules(self.tallies.keys().filter_map(|name| named(name)))
    }

    /// Returns the disagreements, in the order of targets and inputs.
    pub fn disagreements(&self) -> impl Iterator<Item = (&str, &Found)> {
        self.tallies
            .iter()
            .flat_map(|(name, tally)| tally.found.iter().map(move |found| (name.as_str(), found)))
    }
}

/// About how long a round of one target lasts.
const ROUND: Duration = Duration::from_millis(500);

/// Runs a plan from the given state; `progress` sees the state after each round. When `stop` is set the run ends after
/// the inputs that are being examined, so the state always covers a prefix of each target's inputs, or of this part's.
///
/// An input that a party does not answer within [`Plan::patience`] is recorded as a disagreement and ends the campaign,
/// because a thread cannot be stopped from outside.
///
/// # Errors
/// When the system cannot start the threads.
///
/// # Panics
/// When a generator of inputs panics.
pub fn run(
    plan: &Plan,
    state: &mut State,
    stop: &AtomicBool,
    mut progress: impl FnMut(&State),
) -> Result<(), ThreadPoolBuildError> {
    let pool = Pool::new(plan.jobs.max(1))?;
    rounds(plan, state, stop, &pool, &mut progress);
    Ok(())
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
        for target in plan.targets.iter().copied() {
            let over = plan.time.is_some_and(|time| start.elapsed() >= time);
            if over || stop.load(Ordering::Relaxed) {
                return;
            }
            let tally = state.tallies.entry(target.name().into()).or_default();
            let left = plan.count.map_or(u64::MAX, |count| {
                state.shard.share(count).saturating_sub(tally.inputs)
            });
            let size = sizes.entry(target.name()).or_insert(plan.jobs as u64);
            let asked = left.min(*size);
            if asked == 0 {
                continue;
            }
            busy = true;
            let round = Instant::now();
            match pool.round(
                plan,
                target,
                state.shard,
                tally.inputs..tally.inputs + asked,
            ) {
                Ok(sum) => tally.add(&sum),
                Err(index) => {
                    tally.stuck(target, plan.seed, index);
                    progress(state);
                    return;
                }
            }
            let took = round.elapsed();
            tally.sample(took);
            // The size of the next round is adapted so that it takes about as long as it should.
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
    target: &'static dyn AnyTarget,
    seed: u64,
    shard: Shard,
    next: AtomicU64,
    end: u64,
    chunk: u64,
}

impl Round {
    fn take_part(&self, parties: &mut Parties, post: &Post) -> Tally {
        let mut tally = Tally::default();
        loop {
            let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if first >= self.end {
                return tally;
            }
            for place in first..self.end.min(first + self.chunk) {
                let index = self.shard.index(place);
                post.enter(index);
                tally.examine(self.target, self.seed, index, parties);
            }
        }
    }
}

thread_local! {
    /// The parties of a thread, which are kept from round to round.
    static PARTIES: RefCell<Parties> = RefCell::default();
}

/// The threads, and for each its present work.
struct Pool {
    threads: ThreadPool,
    posts: Arc<[Post]>,
}

/// The tally of a thread's part of a round, or the panic of a generator, which continues in the thread that waits for
/// the round.
type Part = Result<Tally, Box<dyn Any + Send>>;

impl Pool {
    fn new(jobs: usize) -> Result<Pool, ThreadPoolBuildError> {
        Ok(Pool {
            threads: ThreadPoolBuilder::new().num_threads(jobs).build()?,
            posts: (0..jobs).map(|_| Post::default()).collect(),
        })
    }

    /// Returns the tally of a round, or the number of an input that has no answer in time.
    fn round(
        &self,
        plan: &Plan,
        target: &'static dyn AnyTarget,
        shard: Shard,
        places: Range<u64>,
    ) -> Result<Tally, u64> {
        let threads = self.posts.len() as u64;
        let count = places.end - places.start;
        let round = Round {
            target,
            seed: plan.seed,
            shard,
            next: AtomicU64::new(places.start),
            end: places.end,
            chunk: (count / (threads * 8)).clamp(1, 4096),
        };
        let (counted, parts) = channel::<Part>();
        let posts = Arc::clone(&self.posts);
        self.threads.spawn_broadcast(move |thread| {
            let post = &posts[thread.index()];
            post.begin();
            let part = catch_unwind(AssertUnwindSafe(|| {
                PARTIES.with_borrow_mut(|parties| round.take_part(parties, post))
            }));
            post.enter(IDLE);
            // After an input without an answer the receiver is gone.
            let _ = counted.send(part);
        });
        let (mut sum, mut awaited) = (Tally::default(), threads);
        let mut watch = Watch::over(&self.posts);
        while awaited > 0 {
            match parts.recv_timeout(plan.patience) {
                Ok(part) => {
                    sum.add(&part.unwrap_or_else(|panic| resume_unwind(panic)));
                    awaited -= 1;
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(index) = watch.overdue(plan.patience) {
                        return Err(index);
                    }
                }
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use lozenge_testkit::generate::systems;

    use super::*;
    use crate::subject::target::{Hunted, Target};
    use crate::subjects::systems::Systems;

    fn counted(jobs: usize, counts: &[u64]) -> BTreeMap<String, Tally> {
        without_times(part(Shard::WHOLE, jobs, counts))
    }

    fn without_times(mut state: State) -> BTreeMap<String, Tally> {
        for tally in state.tallies.values_mut() {
            tally.forget_times();
        }
        state.tallies
    }

    fn part(shard: Shard, jobs: usize, counts: &[u64]) -> State {
        let mut state = State::of(7, shard);
        for count in counts {
            let plan = Plan {
                targets: ["spec_solver", "projection", "closing"]
                    .iter()
                    .filter_map(|name| named(name))
                    .collect(),
                seed: 7,
                count: Some(*count),
                time: None,
                patience: Duration::from_secs(2),
                jobs,
            };
            run(&plan, &mut state, &AtomicBool::new(false), |_| {}).unwrap();
        }
        state
    }

    #[test]
    fn the_parts_of_a_campaign_are_the_campaign() {
        let parts = ["2/3", "3/3", "1/3"].map(|text| text.parse().unwrap());
        let mut states = parts.map(|shard| part(shard, 2, &[500, 1000]));
        let whole = merge(&states).unwrap();
        assert_eq!(without_times(whole), counted(1, &[1000]));

        assert!(
            merge(&states[..2])
                .unwrap_err()
                .contains("the part 1/3 is missing")
        );
        let twice = [states[0].clone(), states[0].clone()];
        assert!(merge(&twice).unwrap_err().contains("given twice"));
        states[1].seed = 8;
        assert!(merge(&states).unwrap_err().contains("two campaigns"));
        states[1] = part("3/3".parse().unwrap(), 1, &[900]);
        assert!(merge(&states).unwrap_err().contains("the part 3/3 has 300"));
    }

    #[test]
    fn counts_depend_on_seed_and_count_alone() {
        let once = counted(1, &[3000]);
        assert_eq!(once["spec_solver"].inputs, 3000);
        assert_eq!(once, counted(3, &[3000]));
        assert_eq!(once, counted(2, &[1000, 1001, 3000]));
    }

    #[test]
    fn an_input_without_an_answer_is_named() {
        static MUTE: Target<Systems> = Target {
            name: "mute",
            about: "never answers a system of three slots",
            questions: &[],
            hunted: Hunted::WhenAsked,
            bytes: 64,
            generate: systems::system,
            examine: |system, _| match system.sizes.len() {
                3 => loop {
                    std::thread::sleep(Duration::from_secs(1));
                },
                _ => None,
            },
        };
        let plan = Plan {
            targets: vec![&MUTE],
            seed: 1,
            count: Some(100),
            time: None,
            patience: Duration::from_secs(2),
            jobs: 2,
        };
        let mut state = State::new(1);
        run(&plan, &mut state, &AtomicBool::new(false), |_| {}).unwrap();
        let (name, found) = state.disagreements().next().unwrap();
        assert!(found.stuck && name == "mute" && found.input.matches("slot").count() == 3);
    }

    #[test]
    #[should_panic(expected = "a generator is wrong")]
    fn a_generator_that_panics_ends_the_campaign() {
        static WRONG: Target<Systems> = Target {
            name: "wrong",
            about: "has a generator that panics",
            questions: &[],
            hunted: Hunted::WhenAsked,
            bytes: 64,
            generate: |_| panic!("a generator is wrong"),
            examine: |_, _| None,
        };
        let plan = Plan {
            targets: vec![&WRONG],
            seed: 1,
            count: Some(10),
            time: None,
            patience: Duration::from_secs(2),
            jobs: 2,
        };
        let stop = AtomicBool::new(false);
        let _ = run(&plan, &mut State::new(1), &stop, |_| {});
    }

    #[test]
    fn a_stop_leaves_a_state_to_go_on_from() {
        let plan = Plan {
            targets: named("projection").into_iter().collect(),
            seed: 1,
            count: Some(2000),
            time: None,
            patience: Duration::from_secs(2),
            jobs: 2,
        };
        let stop = AtomicBool::new(false);
        let mut state = State::new(1);
        run(&plan, &mut state, &stop, |_| {
            stop.store(true, Ordering::Relaxed)
        })
        .unwrap();
        let first = state.inputs();
        assert!((1..2000).contains(&first));
        let text = serde_json::to_string(&state).unwrap();
        let mut back: State = serde_json::from_str(&text).unwrap();
        run(&plan, &mut back, &AtomicBool::new(false), |_| {}).unwrap();
        assert_eq!(back.inputs(), 2000);
        assert_eq!(back.tallies["projection"].outcomes["agree"], 2000);
    }
}
