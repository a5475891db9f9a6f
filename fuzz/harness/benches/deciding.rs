//! Benchmarks of complete mode on the sets of campaigns: deciding, writing down why there is no solution, and checking
//! that.
//!
//! `cargo bench -p lozenge-fuzz`; each time is that of 20,000 sets. Medians of single sets are printed first.

use std::time::{Duration, Instant};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use lozenge_certificate::verify;
use lozenge_fuzz::subjects::sets::Sets;
use lozenge_fuzz::subjects::target;
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

const SETS: u64 = 20_000;

fn main() {
    print_medians();
    divan::main();
}

/// Returns the first sets of the target `complete_oracle`.
fn sets() -> Vec<ConstraintSet> {
    let target = target::<Sets>("complete_oracle").expect("the target");
    (0..SETS)
        .filter_map(|index| target.indexed(1, index))
        .collect()
}

fn solvers() -> Vec<Solver> {
    let sets = sets();
    sets.iter()
        .map(|set| Solver::new(Problem::from(set)))
        .collect()
}

/// Sets without a solution, each with its certificate as text.
fn refuted() -> Vec<(ConstraintSet, Solver, String)> {
    let sets = sets().into_iter();
    let certified = sets.filter_map(|set| {
        let solver = Solver::new(Problem::from(&set));
        let (decision, certificate) = solver.certify();
        let text = serde_json::to_string(&certificate?).expect("it has a text");
        (decision.verdict == Verdict::Unsat).then_some((set, solver, text))
    });
    certified.collect()
}

/// Measures the least of five times of each, and of these the median and the mean.
fn measured<T>(name: &str, items: &[T], mut run: impl FnMut(&T)) {
    let mut least = vec![Duration::MAX; items.len()];
    for _ in 0..5 {
        for (item, least) in items.iter().zip(&mut least) {
            let start = Instant::now();
            run(item);
            *least = start.elapsed().min(*least);
        }
    }
    least.sort_unstable();
    let mean = least.iter().sum::<Duration>() / items.len().max(1) as u32;
    let median = least[items.len() / 2];
    println!(
        "{name}: median {median:?}, mean {mean:?} of {}",
        items.len()
    );
}

fn print_medians() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    measured("decide", &solvers(), |solver| {
        black_box(solver.decide());
    });
    let refuted = refuted();
    measured("decide, no solution", &refuted, |(_, solver, _)| {
        black_box(solver.decide());
    });
    measured("certify, no solution", &refuted, |(_, solver, _)| {
        black_box(solver.certify());
    });
    measured("check", &refuted, |(set, _, text)| {
        black_box(verify(text, set, Order::Marked)).expect("it is accepted");
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn decide(bencher: Bencher<'_, '_>) {
    let solvers = solvers();
    bencher.counter(ItemsCount::new(solvers.len())).bench(|| {
        for solver in &solvers {
            black_box(solver.decide());
        }
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn certify(bencher: Bencher<'_, '_>) {
    let refuted = refuted();
    bencher.counter(ItemsCount::new(refuted.len())).bench(|| {
        for (_, solver, _) in &refuted {
            black_box(solver.certify());
        }
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn check(bencher: Bencher<'_, '_>) {
    let refuted = refuted();
    bencher.counter(ItemsCount::new(refuted.len())).bench(|| {
        for (set, _, text) in &refuted {
            black_box(verify(text, set, Order::Marked)).expect("it is accepted");
        }
    });
}
