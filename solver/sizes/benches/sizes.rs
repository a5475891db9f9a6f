//! `cargo bench -p lozenge-sizes`: a system of equations with one solution, and chains of windows of growing length.

use divan::{Bencher, counter::ItemsCount};
use lozenge_sizes::{Fact, Reason, Store, Term, Value};
use lozenge_testkit::random::Random;

fn main() {
    divan::main();
}

/// Returns equations of three sizes each, with coefficients from -3 to 3, about hidden values.
fn equations(variables: usize, count: u32) -> (Store, Term) {
    let mut numbers = Random::indexed(1);
    let mut store = Store::new();
    let terms: Vec<Term> = (0..variables).map(|_| store.size()).collect();
    let hidden: Vec<i64> = (0..variables)
        .map(|_| 1 + numbers.below(50) as i64)
        .collect();
    for reason in 0..count {
        let mut parts = Vec::new();
        let mut total = 0;
        for _ in 0..3 {
            let variable = numbers.below(variables);
            let factor = numbers.below(7) as i64 - 3;
            parts.push((factor, terms[variable]));
            total += factor * hidden[variable];
        }
        let (left, right) = (store.sum(&parts, 0), store.number(total));
        store.assert(Fact::Equal(left, right), Reason(reason));
    }
    (store, terms[0])
}

/// Returns a chain of windows of 3, each on the axis of the one before; the first axis has a known size.
fn windows(length: usize) -> (Store, Term) {
    let mut store = Store::new();
    let mut axis = store.size();
    let first = store.number(2 * length as i64 + 5);
    store.assert(Fact::Equal(axis, first), Reason(0));
    for layer in 1..=length {
        let next = store.size();
        let reach = store.sum(&[(1, next)], 2);
        store.assert(Fact::Equal(axis, reach), Reason(layer as u32));
        axis = next;
    }
    (store, axis)
}

fn forced(store: &mut Store, term: Term) -> Value {
    store.check();
    store.value_of(term)
}

#[divan::bench]
fn a_thousand_equations_in_a_hundred_sizes(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| equations(100, 1000))
        .bench_local_values(|(mut store, first)| forced(&mut store, first));
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 10)]
fn chained_windows(bencher: Bencher<'_, '_>, length: usize) {
    bencher
        .counter(ItemsCount::new(length))
        .with_inputs(|| windows(length))
        .bench_local_values(|(mut store, last)| forced(&mut store, last));
}

/// Checks the same chain after every window, which extends the last solution each time. If the first axis had no known
/// size, every window would change the values of all axes before it, and the time would be quadratic.
#[divan::bench(args = [1_000, 10_000], sample_count = 10)]
fn chained_windows_one_by_one(bencher: Bencher<'_, '_>, length: usize) {
    bencher.counter(ItemsCount::new(length)).bench_local(|| {
        let mut store = Store::new();
        let mut axis = store.size();
        let first = store.number(2 * length as i64 + 5);
        store.assert(Fact::Equal(axis, first), Reason(0));
        for layer in 1..=length {
            let next = store.size();
            let reach = store.sum(&[(1, next)], 2);
            store.assert(Fact::Equal(axis, reach), Reason(layer as u32));
            store.check();
            axis = next;
        }
        store
    });
}
