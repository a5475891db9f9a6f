//! Large systems: the work stays in proportion, and nothing recurses over the input.

use lozenge_sizes::{Fact, Limits, Reason, Store, Term, Value, Verdict};

/// Returns a chain of windows of 3, each on the axis of the one before, from an axis of a known size.
fn windows(length: i64) -> (Store, Term) {
    let mut store = Store::new();
    let mut axis = store.size();
    let first = store.number(2 * length + 5);
    store.assert(Fact::Equal(axis, first), Reason(0));
    for layer in 1..=length {
        let next = store.size();
        let reach = store.sum(&[(1, next)], 2);
        store.assert(Fact::Equal(axis, reach), Reason(layer as u32));
        axis = next;
    }
    (store, axis)
}

#[test]
fn chained_windows_are_solved_in_one_pass() {
    let (mut store, last) = windows(20_000);
    assert_eq!(store.check(), Verdict::Satisfiable);
    assert_eq!(store.value_of(last), Value::Forced(5));
}

#[test]
fn kernels_without_a_size_keep_a_chain_sparse() {
    let mut store = Store::new();
    let mut axis = store.size();
    let first = axis;
    for layer in 0..5_000 {
        let (next, kernel) = (store.size(), store.size());
        let reach = store.sum(&[(1, next), (1, kernel)], -1);
        store.assert(Fact::Equal(axis, reach), Reason(layer));
        axis = next;
    }
    assert_eq!(store.check(), Verdict::Satisfiable);
    // The last axis is at most the first one.
    let one = store.number(1);
    store.assert(Fact::Equal(first, one), Reason(5_000));
    assert_eq!(store.value_of(axis), Value::Forced(1));
}

#[test]
fn a_long_contradiction_is_found_and_its_reasons_are_enough() {
    let (mut store, last) = windows(2_000);
    let six = store.number(6);
    store.assert(Fact::Equal(last, six), Reason(9_999));
    let Verdict::Unsatisfiable(reasons) = store.check() else {
        panic!("the last axis is 5");
    };
    assert_eq!(reasons.reasons.len(), 2_002);
}

#[test]
fn a_limit_on_work_is_an_answer() {
    let limits = Limits {
        work: 10,
        minimising: 10,
    };
    let mut store = Store::with_limits(limits);
    let [a, b, c] = [(); 3].map(|()| store.size());
    let sum = store.sum(&[(1, b), (1, c)], 0);
    store.assert(Fact::Less(sum, a), Reason(0));
    store.assert(Fact::Less(a, b), Reason(1));
    assert!(matches!(store.check(), Verdict::Unknown(_)));
}

#[test]
fn a_system_of_many_equations_has_its_one_solution() {
    let (mut store, variables, hidden) = equations(100, 1000);
    assert_eq!(store.check(), Verdict::Satisfiable);
    for (variable, value) in variables.into_iter().zip(hidden) {
        assert_eq!(store.value_of(variable), Value::Forced(value));
    }
}

/// Returns equations of three sizes each, with coefficients up to 3, about hidden values.
fn equations(variables: usize, count: u32) -> (Store, Vec<Term>, Vec<i64>) {
    let mut numbers = lozenge_testkit::random::Random::indexed(1);
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
        let left = store.sum(&parts, -total);
        let zero = store.number(0);
        store.assert(Fact::Equal(left, zero), Reason(reason));
    }
    (store, terms, hidden)
}
