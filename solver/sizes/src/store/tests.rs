//! Answers of a store about facts that are not stored, and the check of solutions.

use super::*;
use crate::form::Form;

/// Returns a quotient whose definition has a number that is too large, as no quotient of terms has.
fn undefinable(store: &mut Store) -> Term {
    store.terms.floor(Form::constant(-5), 1 << 126)
}

#[test]
fn what_a_term_is_that_cannot_be_defined_is_not_known() {
    let mut store = Store::new();
    let size = store.size();
    let quotient = undefinable(&mut store);
    // Values that satisfy all stored facts prove nothing of facts that are not stored.
    let unknown = Entailment::Unknown(Limit::Overflow);
    assert_eq!(store.entails(Fact::Less(quotient, size)), unknown);
    // The question leaves no trace: other questions are answered, also in the negative.
    let two = store.number(2);
    assert_eq!(store.entails(Fact::Less(size, two)), Entailment::No);
    assert_eq!(store.check(), Verdict::Satisfiable);
    let before = store.snapshot();
    store.assert(Fact::AtMost(size, quotient), Reason(0));
    assert_eq!(store.check(), Verdict::Unknown(Limit::Overflow));
    store.rollback(before).expect("it is fresh");
    assert_eq!(store.check(), Verdict::Satisfiable);
}

#[test]
fn a_solution_that_is_none_is_not_returned() {
    let mut store = Store::new();
    let [a, b] = [(); 2].map(|()| store.size());
    let (sum, seven) = (store.sum(&[(1, a), (1, b)], 0), store.number(7));
    store.assert(Fact::Equal(sum, seven), Reason(0));
    let all: Vec<u32> = (0..store.constraints.len() as u32).collect();
    let values = |a, b| Values::from_iter([(Variable(0), a), (Variable(1), b)]);
    assert_eq!(store.verify(&all, &values(3, 4)), Ok(()));
    assert_eq!(store.verify(&all, &values(3, 5)), Err(Limit::Unverified));
    assert_eq!(store.verify(&all, &values(0, 7)), Err(Limit::Unverified));
    // Sizes are numbers of 64 bits.
    let most = i128::from(i64::MAX);
    assert_eq!(store.verify(&[], &values(1, most)), Ok(()));
    assert_eq!(
        store.verify(&[], &values(1, most + 1)),
        Err(Limit::Overflow)
    );
}
