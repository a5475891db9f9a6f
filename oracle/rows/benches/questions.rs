//! The cost of questions: 2000 sets of up to 5 constraints, one thread. `cargo bench -p lozenge-oracle`.
//!
//! The sets are random with a fixed seed, so that every run measures the same ones. Most of them have no solution and
//! are answered sooner; `all_four_satisfiable` measures only those that have one.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use lozenge_oracle::{Oracle, Satisfiability};
use lozenge_testkit::small_sets::{Size, random_set};
use lozenge_vocabulary::{ConstraintSet, Order};

const SETS: u64 = 2000;
const ORDERS: [Order; 2] = [Order::Marked, Order::OneShot];

fn main() {
    divan::main();
}

fn sets() -> Vec<ConstraintSet> {
    let size = Size {
        constraints: 5,
        ..Size::SMALL
    };
    (0..SETS).map(|seed| random_set(seed, size)).collect()
}

/// Measures a question; one sample puts it to every set.
fn measure(bencher: Bencher<'_, '_>, sets: &[ConstraintSet], ask: impl Fn(&ConstraintSet) + Sync) {
    bencher
        .counter(ItemsCount::new(sets.len()))
        .bench(|| sets.iter().for_each(&ask));
}

fn all_four(oracle: &Oracle, set: &ConstraintSet) {
    black_box(oracle.sat(set));
    let _ = black_box((oracle.model(set), oracle.core(set), oracle.forced(set)));
}

#[divan::bench(args = ORDERS, sample_count = 3, sample_size = 1)]
fn sat(bencher: Bencher<'_, '_>, order: Order) {
    measure(bencher, &sets(), |set| {
        black_box(Oracle::new(order).sat(set));
    });
}

#[divan::bench(args = ORDERS, sample_count = 3, sample_size = 1)]
fn sat_forced(bencher: Bencher<'_, '_>, order: Order) {
    measure(bencher, &sets(), |set| {
        let oracle = Oracle::new(order);
        if let Satisfiability::Sat(_) = oracle.sat(set) {
            let _ = black_box(oracle.forced(set));
        }
    });
}

#[divan::bench(args = ORDERS, sample_count = 3, sample_size = 1)]
fn all_four_questions(bencher: Bencher<'_, '_>, order: Order) {
    measure(bencher, &sets(), |set| all_four(&Oracle::new(order), set));
}

#[divan::bench(args = ORDERS, sample_count = 3, sample_size = 1)]
fn all_four_satisfiable(bencher: Bencher<'_, '_>, order: Order) {
    let oracle = Oracle::new(order);
    let mut sets = sets();
    sets.retain(|set| matches!(oracle.sat(set), Satisfiability::Sat(_)));
    measure(bencher, &sets, |set| all_four(&Oracle::new(order), set));
}
