//! What questions cost: sets of up to 5 constraints, one core, one thread. `cargo bench -p lozenge-oracle`.
//!
//! Prints the median milliseconds a set and the sets a second, for `sat` alone and for the four questions of `batch` together
//! (`sat`, `model`, `core`, `forced`), in both readings. The sets are random, by seed, so that every run measures the same ones.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lozenge_oracle::{Oracle, Satisfiability};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

#[path = "../src/tests/random.rs"]
#[allow(dead_code, unreachable_pub)]
mod random;

const SETS: u64 = 2000;

/// The time that each set takes, sorted.
fn measure(sets: &[ConstraintSet], mut ask: impl FnMut(&ConstraintSet)) -> Vec<Duration> {
    sets.iter().take(100).for_each(&mut ask); // warms up
    let mut times: Vec<Duration> = sets
        .iter()
        .map(|set| {
            let start = Instant::now();
            ask(set);
            start.elapsed()
        })
        .collect();
    times.sort();
    times
}

fn print(order: Order, what: &str, times: &[Duration]) {
    let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
    let total: Duration = times.iter().sum();
    println!(
        "{:<9} {what:<24} median {:>6.3} ms  p99 {:>7.3} ms  {:>6.0} sets/s",
        format!("{order:?}"),
        at(50),
        at(99),
        times.len() as f64 / total.as_secs_f64()
    );
}

fn main() {
    let size = random::Size {
        constraints: 5,
        ..random::Size::SMALL
    };
    let sets: Vec<ConstraintSet> = (0..SETS)
        .map(|seed| random::random_set(seed, size))
        .collect();
    for order in [Order::Marked, Order::OneShot] {
        let oracle = Oracle::new(order);
        let verdicts: Vec<Verdict> = sets.iter().map(|s| oracle.sat(s).verdict()).collect();
        let count = |verdict| verdicts.iter().filter(|&&v| v == verdict).count();
        println!(
            "{order:?}: {} sets, {} sat, {} unsat, {} unknown",
            sets.len(),
            count(Verdict::Sat),
            count(Verdict::Unsat),
            count(Verdict::Unknown)
        );
        let alone = measure(&sets, |set| {
            black_box(oracle.sat(set));
        });
        print(order, "sat", &alone);
        // Most random sets have no solution, and those answer sooner.
        let satisfiable: Vec<ConstraintSet> = sets
            .iter()
            .zip(&verdicts)
            .filter(|&(_, &verdict)| verdict == Verdict::Sat)
            .map(|(set, _)| set.clone())
            .collect();
        let those = measure(&satisfiable, |set| {
            black_box(oracle.sat(set));
            let _ = black_box((oracle.model(set), oracle.core(set), oracle.forced(set)));
        });
        print(order, "all four, satisfiable", &those);
        let batch = measure(&sets, |set| {
            if let Satisfiability::Sat(_) = oracle.sat(set) {
                let _ = black_box(oracle.forced(set));
            }
        });
        print(order, "sat, forced", &batch);
        let all = measure(&sets, |set| {
            black_box(oracle.sat(set));
            let _ = black_box((oracle.model(set), oracle.core(set), oracle.forced(set)));
        });
        print(order, "sat, model, core, forced", &all);
    }
}
