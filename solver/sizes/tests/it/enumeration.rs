//! The arithmetic compared with enumeration of a box.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use lozenge_sizes::{Entailment, Fact, Limit, Limits, Reason, Store, Term, Value, Verdict};
use lozenge_testkit::arithmetic::{Expression, Range, Relation, System, system};
use lozenge_testkit::random::Random;

/// A system in a store.
pub(crate) struct Loaded {
    pub(crate) store: Store,
    pub(crate) variables: Vec<Term>,
}

impl Loaded {
    fn new(system: &System) -> Loaded {
        Loaded::limited(
            system,
            Limits {
                work: WORK,
                minimising: 4 * WORK,
            },
        )
    }

    pub(crate) fn limited(system: &System, limits: Limits) -> Loaded {
        let mut store = Store::with_limits(limits);
        let variables = system.variables.iter().map(|range| match range {
            Range::Size => store.size(),
            Range::Natural => store.natural(),
        });
        let variables = variables.collect();
        Loaded { store, variables }
    }

    fn term(&mut self, expression: &Expression) -> Term {
        let by = |number: &u32| NonZeroU64::new(u64::from(*number)).expect("not 0");
        match expression {
            Expression::Number(number) => self.store.number(*number),
            Expression::Variable(variable) => self.variables[*variable],
            Expression::Sum(parts) => {
                let parts = parts
                    .iter()
                    .map(|(factor, part)| (*factor, self.term(part)));
                let parts: Vec<_> = parts.collect();
                self.store.sum(&parts, 0)
            }
            Expression::Floor(of, divisor) => {
                let of = self.term(of);
                self.store.floor_div(of, by(divisor))
            }
            Expression::Ceil(of, divisor) => {
                let of = self.term(of);
                self.store.ceil_div(of, by(divisor))
            }
            Expression::Min(of) => {
                let of = of.each_ref().map(|part| self.term(part));
                self.store.min(&of).expect("two terms")
            }
            Expression::Max(of) => {
                let of = of.each_ref().map(|part| self.term(part));
                self.store.max(&of).expect("two terms")
            }
            Expression::Product(of) => {
                let [left, right] = of.each_ref().map(|part| self.term(part));
                self.store.product(left, right)
            }
        }
    }

    pub(crate) fn fact(&mut self, relation: &Relation) -> Fact {
        let by = |number: &u32| NonZeroU64::new(u64::from(*number)).expect("not 0");
        match relation {
            Relation::Equal(a, b) => Fact::Equal(self.term(a), self.term(b)),
            Relation::Differ(a, b) => Fact::Differ(self.term(a), self.term(b)),
            Relation::AtMost(a, b) => Fact::AtMost(self.term(a), self.term(b)),
            Relation::Less(a, b) => Fact::Less(self.term(a), self.term(b)),
            Relation::Divides(divisor, of) => Fact::Divides(by(divisor), self.term(of)),
            Relation::DoesNotDivide(divisor, of) => Fact::DoesNotDivide(by(divisor), self.term(of)),
        }
    }

    pub(crate) fn assert(&mut self, fact: &[Relation], reason: u32) {
        let facts: Vec<Fact> = fact.iter().map(|relation| self.fact(relation)).collect();
        self.store.assert_any(&facts, Reason(reason));
    }

    /// Returns a store with those facts of a system whose numbers are selected.
    fn with(system: &System, numbers: impl Fn(u32) -> bool) -> Loaded {
        let mut loaded = Loaded::new(system);
        for (fact, number) in system.facts.iter().zip(0..) {
            if numbers(number) {
                loaded.assert(fact, number);
            }
        }
        loaded
    }

    /// Returns the solution that the store has found.
    fn point(&mut self) -> Vec<i64> {
        let model = self.store.model().expect("it is satisfiable");
        let values = self.variables.iter().map(|variable| model.value(*variable));
        values.map(|value| value.expect("it fits")).collect()
    }
}

const BOX: i64 = 6;
/// Far less than the default, so that a system that takes long is skipped.
const WORK: u64 = 1 << 20;
const SYSTEMS: u64 = 400;

/// Checks a system that was not decided with the little work that is allowed: only systems with products may need more.
fn given_up(system: &System, limit: Limit) {
    assert!(
        has_product(system) && limit != Limit::Unverified,
        "{limit}: {system}"
    );
}

/// Tells whether a store finds a solution of a system; `None` where it gives up.
fn satisfiable(system: &System, loaded: &mut Loaded) -> Option<bool> {
    match loaded.store.check() {
        Verdict::Satisfiable => Some(true),
        Verdict::Unsatisfiable(_) => Some(false),
        Verdict::Unknown(limit) => {
            given_up(system, limit);
            None
        }
    }
}

/// Checks that every answer of a store about a system in a box agrees with the enumerated solutions.
fn agrees(system: &System) {
    let solutions: Vec<Vec<i64>> = system.solutions(BOX).collect();
    let mut loaded = Loaded::with(system, |_| true);
    match loaded.store.check() {
        Verdict::Satisfiable => {
            assert!(system.holds(&loaded.point()), "the model of\n{system}");
            assert!(!solutions.is_empty());
        }
        Verdict::Unsatisfiable(reasons) => {
            assert_eq!(solutions.first(), None, "satisfiable:\n{system}");
            // The question whether a fact is needed can be one about unbounded products.
            assert!(reasons.is_minimal || has_product(system), "{system}");
            if reasons.is_minimal {
                minimal(system, &reasons.reasons);
            }
        }
        Verdict::Unknown(limit) => return given_up(system, limit),
    }
    forced(system, &mut loaded, &solutions);
}

fn has_product(system: &System) -> bool {
    system.to_string().contains(") * ")
}

/// Checks that a set of reasons suffices, and that there is a solution if any of them is dropped.
fn minimal(system: &System, reasons: &[Reason]) {
    let all: BTreeSet<u32> = reasons.iter().map(|reason| reason.0).collect();
    let mut cited = system.clone();
    let mut number = 0;
    cited.facts.retain(|_| {
        number += 1;
        all.contains(&(number - 1))
    });
    assert_eq!(cited.solutions(BOX).next(), None, "{all:?} of\n{system}");
    for dropped in &all {
        let mut fewer = Loaded::with(system, |number| number != *dropped && all.contains(&number));
        match satisfiable(system, &mut fewer) {
            Some(found) => assert!(found, "{all:?} without {dropped} of\n{system}"),
            None => continue,
        }
        let point = fewer.point();
        let mut facts = system.facts.iter().zip(0u32..);
        let holds = facts.all(|(fact, number)| {
            number == *dropped
                || !all.contains(&number)
                || fact.iter().any(|relation| relation.holds(&point))
        });
        assert!(holds, "{point:?} without {dropped} of {all:?} of\n{system}");
    }
}

/// Checks that a value is forced iff all solutions have it.
fn forced(system: &System, loaded: &mut Loaded, solutions: &[Vec<i64>]) {
    for (variable, term) in loaded.variables.clone().into_iter().enumerate() {
        let values: BTreeSet<i64> = solutions.iter().map(|point| point[variable]).collect();
        let expected = match (values.len(), values.first()) {
            (1, Some(value)) => Value::Forced(*value),
            (0, _) => Value::Contradiction,
            _ => Value::Open,
        };
        match loaded.store.value_of(term) {
            Value::Unknown(limit) => given_up(system, limit),
            value => assert_eq!(value, expected, "v{variable} of\n{system}"),
        }
    }
}

/// Checks that a fact is entailed by the others iff it holds in all their solutions, and that asking leaves no trace.
fn entailed(free: &System) {
    let mut others = free.clone();
    let Some(position) = free.facts.iter().position(|fact| fact.len() == 1) else {
        return;
    };
    let relation = others.facts.remove(position).remove(0);
    let others = others.boxed(BOX);
    let mut loaded = Loaded::with(&others, |_| true);
    let fact = loaded.fact(&relation);
    let expected = others.solutions(BOX).all(|point| relation.holds(&point));
    let before = satisfiable(free, &mut loaded);
    match loaded.store.entails(fact) {
        Entailment::Yes(_) => assert!(expected, "{relation} is not entailed by\n{others}"),
        Entailment::No => assert!(!expected, "{relation} is entailed by\n{others}"),
        Entailment::Unknown(limit) => given_up(free, limit),
    }
    let snapshot = loaded.store.snapshot();
    loaded.store.assert(fact.negation(), Reason(1000));
    let expected = others.solutions(BOX).any(|point| !relation.holds(&point));
    if let Some(found) = satisfiable(free, &mut loaded) {
        assert_eq!(found, expected, "not {relation} and\n{others}");
    }
    loaded.store.rollback(snapshot).expect("it is fresh");
    let after = satisfiable(free, &mut loaded);
    assert!(before.is_none() || after == before);
}

/// Checks that facts asserted one by one with a question after each, or in the opposite order, lead to the same
/// verdict.
fn however_asserted(system: &System) {
    let expected = system.solutions(BOX).next().is_some();
    let mut one_by_one = Loaded::new(system);
    let mut backwards = Loaded::new(system);
    for (fact, number) in system.facts.iter().zip(0..) {
        one_by_one.assert(fact, number);
        one_by_one.store.check();
    }
    let numbered: Vec<_> = system.facts.iter().zip(0..).collect();
    for (fact, number) in numbered.into_iter().rev() {
        backwards.assert(fact, number);
    }
    for mut loaded in [one_by_one, backwards] {
        let Some(found) = satisfiable(system, &mut loaded) else {
            continue;
        };
        assert_eq!(found, expected, "{system}");
        if found {
            assert!(system.holds(&loaded.point()), "{system}");
        }
    }
}

/// Checks that the system without the box is not unsatisfiable if there is a solution in a box.
fn unbounded(system: &System) {
    let mut loaded = Loaded::with(system, |_| true);
    match loaded.store.check() {
        Verdict::Satisfiable => assert!(system.holds(&loaded.point()), "the model of\n{system}"),
        Verdict::Unsatisfiable(reasons) => {
            assert_eq!(
                system.solutions(BOX).next(),
                None,
                "{reasons:?} of\n{system}"
            );
        }
        Verdict::Unknown(_) => {}
    }
}

/// Compares all answers about the system with this number with its solutions.
pub fn examine(index: u64) {
    let free = system(&mut Random::indexed(index));
    unbounded(&free);
    let boxed = free.boxed(BOX);
    agrees(&boxed);
    entailed(&free);
    however_asserted(&boxed);
}

#[test]
fn boxes_agree_with_enumeration() {
    for index in 0..SYSTEMS {
        examine(index);
    }
    // The first point of this system satisfies it only if a factor other than 1 is not divided by.
    examine(530);
}

/// Counts the systems that are found to have a solution, and to have none, with so little work. The figures are exact:
/// propagation that is left out decides fewer, and work that is not counted decides more.
#[test]
fn a_little_work_decides_most_systems() {
    for (work, expected) in [
        (300, [744, 403]),
        (1000, [884, 464]),
        (4000, [955, 499]),
        (20_000, [982, 506]),
    ] {
        let mut decided = [0; 2];
        for index in 0..1500 {
            let free = system(&mut Random::indexed(index));
            let system = match index % 2 {
                0 => free.boxed(BOX),
                _ => free,
            };
            let limits = Limits {
                work,
                minimising: 0,
            };
            let mut loaded = Loaded::limited(&system, limits);
            for (fact, number) in system.facts.iter().zip(0..) {
                loaded.assert(fact, number);
            }
            match loaded.store.check() {
                Verdict::Satisfiable => decided[0] += 1,
                Verdict::Unsatisfiable(_) => decided[1] += 1,
                Verdict::Unknown(_) => {}
            }
        }
        assert_eq!(decided, expected, "with {work}");
    }
}
