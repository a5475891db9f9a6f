//! Systems whose answers are known.

use std::num::NonZeroU64;

use lozenge_sizes::{Entailment, Fact, Limit, Reason, Store, Term, Value, Verdict};

fn nz(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("not 0")
}

/// A store whose facts are numbered as they are asserted.
#[derive(Default)]
struct Facts {
    store: Store,
    next: u32,
}

impl Facts {
    fn add(&mut self, fact: Fact) {
        self.store.assert(fact, Reason(self.next));
        self.next += 1;
    }

    fn equal(&mut self, a: Term, parts: &[(i64, Term)], constant: i64) {
        let sum = self.store.sum(parts, constant);
        self.add(Fact::Equal(a, sum));
    }

    fn is(&mut self, a: Term, value: i64) {
        self.equal(a, &[], value);
    }

    fn refuted_by(&mut self) -> Vec<u32> {
        match self.store.check() {
            Verdict::Unsatisfiable(reasons) => {
                assert!(reasons.is_minimal);
                reasons.reasons.iter().map(|reason| reason.0).collect()
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_window_gives_the_number_of_its_positions() {
    let mut facts = Facts::default();
    let (i, o, k) = (facts.store.size(), facts.store.size(), facts.store.size());
    // i = 2·(o - 1) + k.
    facts.equal(i, &[(2, o), (1, k)], -2);
    facts.is(k, 3);
    let before = facts.store.snapshot();
    facts.is(i, 7);
    assert_eq!(facts.store.check(), Verdict::Satisfiable);
    assert_eq!(facts.store.value_of(o), Value::Forced(3));
    facts.store.rollback(before).expect("it is fresh");
    assert_eq!(facts.store.value_of(o), Value::Open);
    facts.is(i, 8);
    assert_eq!(facts.refuted_by(), [0, 1, 3]);
}

#[test]
fn two_windows_on_one_axis_can_exclude_each_other_by_parity() {
    let mut facts = Facts::default();
    let [i, o, k, p, q] = [(); 5].map(|()| facts.store.size());
    facts.equal(i, &[(4, o), (1, k)], -4);
    facts.equal(i, &[(2, p), (1, q)], -2);
    facts.is(k, 2);
    facts.is(q, 1);
    assert_eq!(facts.refuted_by(), [0, 1, 2, 3]);
}

#[test]
fn an_axis_cannot_be_longer_than_itself() {
    let mut facts = Facts::default();
    let [a, b, c, d] = [(); 4].map(|()| facts.store.size());
    facts.equal(a, &[(1, b), (1, c)], 0);
    facts.equal(b, &[(1, a), (1, d)], 0);
    assert_eq!(facts.refuted_by(), [0, 1]);

    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let [c, d] = [(); 2].map(|()| facts.store.natural());
    facts.equal(a, &[(1, b), (1, c)], 0);
    facts.equal(b, &[(1, a), (1, d)], 0);
    assert_eq!(facts.store.value_of(c), Value::Forced(0));
    assert_eq!(facts.store.value_of(d), Value::Forced(0));
    assert_eq!(facts.store.value_of(a), Value::Open);
}

#[test]
fn products_of_a_known_size_have_divisors() {
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let product = facts.store.product(a, b);
    facts.is(product, 12);
    assert_eq!(facts.store.check(), Verdict::Satisfiable);
    let before = facts.store.snapshot();
    facts.is(a, 5);
    assert_eq!(facts.refuted_by(), [0, 1]);
    facts.store.rollback(before).expect("it is fresh");
    facts.is(a, 4);
    assert_eq!(facts.store.value_of(b), Value::Forced(3));
}

#[test]
fn products_with_large_values_are_decided_by_their_prime_factors() {
    // Two primes; the square of the first one is just below 2^63.
    let (p, q): (i64, i64) = (3_037_000_493, 2_147_483_647);
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let (square, product) = (facts.store.product(a, a), facts.store.product(a, b));
    let start = facts.store.snapshot();
    facts.is(square, p * p);
    assert_eq!(facts.store.value_of(a), Value::Forced(p));
    facts.store.rollback(start).expect("it is fresh");
    let start = facts.store.snapshot();
    facts.is(square, p * q);
    assert_eq!(facts.refuted_by(), [1]);
    facts.store.rollback(start).expect("it is fresh");
    facts.is(product, p * q);
    for (bound, term) in [(2, a), (q + 1, b)] {
        let bound = facts.store.number(bound);
        facts.add(Fact::AtMost(bound, term));
    }
    let largest = facts.store.number(p);
    facts.add(Fact::AtMost(b, largest));
    assert_eq!(facts.store.value_of(a), Value::Forced(q));
}

#[test]
fn a_product_of_unbounded_sizes_is_left_open() {
    let mut facts = Facts::default();
    let [x, y] = [(); 2].map(|()| facts.store.size());
    let square = facts.store.product(x, x);
    // x² + 1 = 3·y has no solution modulo 3.
    let left = facts.store.sum(&[(1, square)], 1);
    facts.equal(left, &[(3, y)], 0);
    assert_eq!(
        facts.store.check(),
        Verdict::Unknown(Limit::UnboundedProduct)
    );
}

#[test]
fn linear_identities_are_entailed() {
    let mut store = Store::new();
    let h = store.size();
    let eight = store.sum(&[(1, h)], -8);
    let left = store.sum(&[(1, eight)], 1);
    let right = store.sum(&[(1, h)], -7);
    assert_eq!(left, right);
    // ⌊(d)/2⌋ = 3 iff d is 6 or 7.
    let half = store.floor_div(h, nz(2));
    let three = store.number(3);
    store.assert(Fact::Equal(half, three), Reason(0));
    let (six, seven) = (store.number(6), store.number(7));
    for (fact, yes) in [
        (Fact::AtMost(six, h), true),
        (Fact::AtMost(h, seven), true),
        (Fact::Less(h, seven), false),
        (Fact::Less(six, h), false),
    ] {
        assert_eq!(
            matches!(store.entails(fact), Entailment::Yes(_)),
            yes,
            "{fact:?}"
        );
    }
}

#[test]
fn several_equations_force_together() {
    let mut facts = Facts::default();
    let [t, u, a, b] = [(); 4].map(|()| facts.store.size());
    facts.equal(t, &[(1, a), (1, b)], 0);
    facts.equal(u, &[(1, b), (2, a)], 0);
    facts.is(t, 5);
    facts.is(u, 7);
    assert_eq!(facts.store.value_of(a), Value::Forced(2));
    assert_eq!(facts.store.value_of(b), Value::Forced(3));
}

#[test]
fn numbers_that_become_too_large_are_unknown() {
    let mut store = Store::new();
    let x = store.size();
    let mut power = x;
    for _ in 0..70 {
        power = store.sum(&[(4, power)], 0);
    }
    let one = store.number(1);
    store.assert(Fact::Equal(power, one), Reason(0));
    assert_eq!(store.check(), Verdict::Unknown(Limit::Overflow));
    store.assert(Fact::Less(x, one), Reason(1));
    assert!(
        matches!(store.check(), Verdict::Unsatisfiable(reasons) if reasons.reasons == [Reason(1)])
    );
}

#[test]
fn maxima_and_congruences() {
    let mut facts = Facts::default();
    let [x, y] = [(); 2].map(|()| facts.store.natural());
    let max = facts.store.max(&[x, y]).expect("two terms");
    let min = facts.store.min(&[x, y]).expect("two terms");
    facts.is(max, 12);
    facts.add(Fact::Divides(nz(5), x));
    let nine = facts.store.number(9);
    facts.add(Fact::Less(nine, x));
    // x is 10, so that y is 12.
    assert_eq!(facts.store.value_of(x), Value::Forced(10));
    assert_eq!(facts.store.value_of(y), Value::Forced(12));
    assert_eq!(facts.store.value_of(min), Value::Forced(10));
    // Without `9 < x` a multiple of 5 is not 12 either.
    facts.add(Fact::Divides(nz(7), y));
    assert_eq!(facts.refuted_by(), [0, 1, 3]);
}
