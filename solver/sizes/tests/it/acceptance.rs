//! Systems whose answers are known.

use std::num::NonZeroU64;

use lozenge_sizes::{Entailment, Fact, Limit, Reason, StaleSnapshot, Store, Term, Value, Verdict};

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
fn an_equation_of_two_sizes_and_their_product_is_decided() {
    // (a - 1)·(b - 1) = 1.
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let product = facts.store.product(a, b);
    facts.equal(product, &[(1, a), (1, b)], 0);
    assert_eq!(facts.store.value_of(a), Value::Forced(2));
    assert_eq!(facts.store.value_of(b), Value::Forced(2));
    let three = facts.store.number(3);
    facts.add(Fact::AtMost(three, a));
    assert_eq!(facts.refuted_by(), [0, 1]);

    // (a - 1000003)·(b - 1000003) = 1, which small values do not satisfy.
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let product = facts.store.product(a, b);
    let prime = 1_000_003;
    facts.equal(product, &[(prime, a), (prime, b)], 1 - prime * prime);
    assert_eq!(facts.store.check(), Verdict::Satisfiable);
    let limit = facts.store.number(prime);
    facts.add(Fact::AtMost(limit, a));
    assert_eq!(facts.store.value_of(b), Value::Forced(prime + 1));
}

#[test]
fn equations_of_two_sizes_agree_with_trying_values() {
    const COEFFICIENTS: std::ops::RangeInclusive<i64> = -3..=3;
    let mut counts = [0; 3];
    for p in COEFFICIENTS.filter(|p| *p != 0) {
        for (q, r, s) in COEFFICIENTS
            .flat_map(|q| COEFFICIENTS.flat_map(move |r| COEFFICIENTS.map(move |s| (q, r, s))))
        {
            // The factors p·x + r and p·y + q are divisors of a number up to 18, or one of them is 0.
            let tried = (1..=30).flat_map(|x| (1..=30).map(move |y| (x, y)));
            let found: Vec<(i64, i64)> = tried
                .filter(|(x, y)| p * x * y + q * x + r * y + s == 0)
                .collect();
            let mut facts = Facts::default();
            let [x, y] = [(); 2].map(|()| facts.store.size());
            let product = facts.store.product(x, y);
            let zero = facts.store.number(0);
            facts.equal(zero, &[(p, product), (q, x), (r, y)], s);
            let verdict = facts.store.check();
            let text = format!("{p}·x·y + {q}·x + {r}·y + {s} = 0: {found:?}");
            match found.first() {
                None => {
                    assert!(
                        matches!(verdict, Verdict::Unsatisfiable(_)),
                        "{text}: {verdict:?}"
                    );
                    counts[0] += 1;
                }
                Some(&(first, _)) => {
                    assert_eq!(verdict, Verdict::Satisfiable, "{text}");
                    let is_forced = found.iter().all(|(x, _)| *x == first);
                    let expected = match is_forced {
                        true => Value::Forced(first),
                        false => Value::Open,
                    };
                    assert_eq!(facts.store.value_of(x), expected, "{text}");
                    counts[1 + usize::from(is_forced)] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn a_size_that_divides_a_constant_is_decided() {
    for root in [2_i64, 100, 1_000_000] {
        for power in [2, 3] {
            let mut facts = Facts::default();
            let x = facts.store.size();
            let square = facts.store.product(x, x);
            let whole = match power {
                2 => square,
                _ => facts.store.product(square, x),
            };
            facts.equal(whole, &[(1, x)], root * root.pow(power - 1) - root);
            assert_eq!(
                facts.store.value_of(x),
                Value::Forced(root),
                "{root}^{power}"
            );
            let two = facts.store.number(root);
            facts.add(Fact::Differ(x, two));
            assert_eq!(facts.refuted_by(), [0, 1], "{root}^{power}");
        }
    }
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

#[test]
fn a_snapshot_of_facts_that_were_dropped_is_refused() {
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let empty = facts.store.snapshot();
    facts.is(a, 3);
    let one = facts.store.snapshot();
    facts.is(b, 4);
    let two = facts.store.snapshot();
    assert_eq!(facts.store.rollback(two), Ok(()));
    assert_eq!(facts.store.value_of(b), Value::Forced(4));
    assert_eq!(facts.store.rollback(one), Ok(()));
    assert_eq!(facts.store.value_of(b), Value::Open);
    assert_eq!(facts.store.rollback(two), Err(StaleSnapshot));
    // Other facts in their place are not those of the snapshot.
    facts.is(b, 5);
    assert_eq!(facts.store.rollback(two), Err(StaleSnapshot));
    assert_eq!(facts.store.value_of(b), Value::Forced(5));
    assert_eq!(facts.store.rollback(empty), Ok(()));
    assert_eq!(facts.store.value_of(a), Value::Open);
    assert_eq!(facts.store.rollback(one), Err(StaleSnapshot));
}

#[test]
fn a_fact_that_is_too_large_to_be_stored_is_a_part_of_a_snapshot() {
    let mut facts = Facts::default();
    let size = facts.store.size();
    let mut large = size;
    for _ in 0..70 {
        large = facts.store.sum(&[(4, large)], 0);
    }
    facts.is(size, 3);
    let without = facts.store.snapshot();
    facts.is(large, 1);
    let with = facts.store.snapshot();
    facts.is(large, 2);
    assert_eq!(facts.store.rollback(with), Ok(()));
    assert_eq!(facts.store.check(), Verdict::Unknown(Limit::Overflow));
    assert_eq!(facts.store.rollback(without), Ok(()));
    assert_eq!(facts.store.check(), Verdict::Satisfiable);
    assert_eq!(facts.store.rollback(with), Err(StaleSnapshot));
}

#[test]
fn a_factor_may_be_negative() {
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.integer());
    let product = facts.store.product(a, b);
    facts.is(product, 6);
    let sum = facts.store.sum(&[(1, a), (1, b)], 0);
    let start = facts.store.snapshot();
    facts.is(sum, -5);
    facts.add(Fact::Less(a, b));
    assert_eq!(facts.store.value_of(a), Value::Forced(-3));
    facts.store.rollback(start).expect("it is fresh");
    facts.is(sum, -6);
    assert_eq!(facts.refuted_by(), [0, 3]);
}

#[test]
fn long_sums_are_factors() {
    // One size, the sum of 39 others, and their product.
    let terms = |facts: &mut Facts| {
        let [factor, others @ ..] = [(); 40].map(|()| facts.store.size());
        let sum = facts.store.sum(&others.map(|size| (1, size)), 0);
        (factor, sum, facts.store.product(factor, sum))
    };
    let mut facts = Facts::default();
    let (_, _, product) = terms(&mut facts);
    let least = facts.store.number(39);
    let fact = Fact::AtMost(least, product);
    assert!(matches!(facts.store.entails(fact), Entailment::Yes(_)));

    let mut facts = Facts::default();
    let (factor, sum, product) = terms(&mut facts);
    facts.is(sum, 50);
    facts.is(factor, 3);
    assert_eq!(facts.store.value_of(product), Value::Forced(150));
}

#[test]
fn a_term_that_was_asked_about_has_the_value_that_later_facts_give_it() {
    let mut facts = Facts::default();
    let [a, b] = [(); 2].map(|()| facts.store.size());
    let product = facts.store.product(a, b);
    let one = facts.store.number(1);
    let fact = Fact::AtMost(one, product);
    assert!(matches!(facts.store.entails(fact), Entailment::Yes(_)));
    facts.is(a, 3);
    facts.is(b, 4);
    let model = facts.store.model().expect("it is satisfiable");
    assert_eq!(model.value(product), Some(12));
    assert_eq!(facts.store.value_of(product), Value::Forced(12));
}
