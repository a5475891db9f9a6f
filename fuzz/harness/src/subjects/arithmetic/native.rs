//! The arithmetic of `lozenge-sizes`.

use std::num::NonZeroU64;

use lozenge_sizes::{Fact, Limit, Limits, Reason, Store, Term, Verdict};
use lozenge_testkit::arithmetic::{Expression, Range, Relation, System};

/// The answer of the arithmetic about a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A solution.
    Satisfiable(Vec<i64>),
    /// There is no solution, because of the facts with these numbers.
    Unsatisfiable {
        /// The facts.
        reasons: Vec<usize>,
        /// True if each of the facts is known to be needed.
        is_minimal: bool,
    },
    /// A limit was reached.
    Unknown(Limit),
}

/// Asks the arithmetic about a system. Finding the fewest reasons of a refusal takes at most `minimising` steps.
pub fn answer(system: &System, minimising: u64) -> Answer {
    let mut store = Store::with_limits(Limits {
        work: 1 << 20,
        minimising,
    });
    let variables = system.variables.iter().map(|range| match range {
        Range::Size => store.size(),
        Range::Natural => store.natural(),
    });
    let variables: Vec<Term> = variables.collect();
    for (fact, number) in system.facts.iter().zip(0..) {
        let facts = fact
            .iter()
            .map(|relation| lowered(relation, &variables, &mut store));
        let facts: Vec<Fact> = facts.collect();
        store.assert_any(&facts, Reason(number));
    }
    match store.check() {
        Verdict::Unknown(limit) => Answer::Unknown(limit),
        Verdict::Unsatisfiable(reasons) => Answer::Unsatisfiable {
            reasons: reasons
                .reasons
                .iter()
                .map(|reason| reason.0 as usize)
                .collect(),
            is_minimal: reasons.is_minimal,
        },
        Verdict::Satisfiable => {
            let model = store.model();
            let value = |variable: &Term| model.as_ref()?.value(*variable);
            let values: Option<Vec<i64>> = variables.iter().map(value).collect();
            values.map_or(Answer::Unknown(Limit::Overflow), Answer::Satisfiable)
        }
    }
}

fn lowered(relation: &Relation, variables: &[Term], store: &mut Store) -> Fact {
    let mut term = |expression| term(expression, variables, store);
    match relation {
        Relation::Equal(a, b) => Fact::Equal(term(a), term(b)),
        Relation::Differ(a, b) => Fact::Differ(term(a), term(b)),
        Relation::AtMost(a, b) => Fact::AtMost(term(a), term(b)),
        Relation::Less(a, b) => Fact::Less(term(a), term(b)),
        Relation::Divides(by, of) => Fact::Divides(divisor(*by), term(of)),
        Relation::DoesNotDivide(by, of) => Fact::DoesNotDivide(divisor(*by), term(of)),
    }
}

fn divisor(by: u32) -> NonZeroU64 {
    NonZeroU64::new(u64::from(by)).unwrap_or(NonZeroU64::MIN)
}

/// Returns the term of an expression. The recursion is at most four levels deep, because the generator makes no deeper
/// expressions.
fn term(expression: &Expression, variables: &[Term], store: &mut Store) -> Term {
    match expression {
        Expression::Number(number) => store.number(*number),
        Expression::Variable(variable) => variables[*variable],
        Expression::Sum(parts) => {
            let parts = parts
                .iter()
                .map(|(factor, part)| (*factor, term(part, variables, store)));
            let parts: Vec<(i64, Term)> = parts.collect();
            store.sum(&parts, 0)
        }
        Expression::Floor(of, by) => {
            let of = term(of, variables, store);
            store.floor_div(of, divisor(*by))
        }
        Expression::Ceil(of, by) => {
            let of = term(of, variables, store);
            store.ceil_div(of, divisor(*by))
        }
        Expression::Min(of) => {
            let of = of.each_ref().map(|part| term(part, variables, store));
            store.min(&of).unwrap_or(of[0])
        }
        Expression::Max(of) => {
            let of = of.each_ref().map(|part| term(part, variables, store));
            store.max(&of).unwrap_or(of[0])
        }
        Expression::Product(of) => {
            let [left, right] = of.each_ref().map(|part| term(part, variables, store));
            store.product(left, right)
        }
    }
}
