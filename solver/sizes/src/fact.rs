//! Facts about terms, and the constraints that they are lowered to.

use std::num::NonZeroU64;

use crate::constraint::{Constraint, Linear};
use crate::form::Form;
use crate::number::Overflow;
use crate::term::{Term, Terms};

/// A fact about terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// The terms are equal.
    Equal(Term, Term),
    /// The terms are not equal.
    Differ(Term, Term),
    /// The first term is at most the second.
    AtMost(Term, Term),
    /// The first term is less than the second.
    Less(Term, Term),
    /// The number divides the term.
    Divides(NonZeroU64, Term),
    /// The number does not divide the term.
    DoesNotDivide(NonZeroU64, Term),
}

impl Fact {
    /// Returns the fact that holds exactly where this one does not.
    #[must_use]
    pub fn negation(self) -> Fact {
        match self {
            Fact::Equal(a, b) => Fact::Differ(a, b),
            Fact::Differ(a, b) => Fact::Equal(a, b),
            Fact::AtMost(a, b) => Fact::Less(b, a),
            Fact::Less(a, b) => Fact::AtMost(b, a),
            Fact::Divides(divisor, term) => Fact::DoesNotDivide(divisor, term),
            Fact::DoesNotDivide(divisor, term) => Fact::Divides(divisor, term),
        }
    }

    /// Returns the fact as alternatives, each a linear constraint.
    pub(crate) fn alternatives(self, terms: &mut Terms) -> Result<Vec<Linear>, Overflow> {
        Ok(match self {
            Fact::Equal(a, b) => vec![Linear::Zero(difference(a, b, terms)?)],
            Fact::AtMost(a, b) => vec![Linear::NonNegative(difference(b, a, terms)?)],
            Fact::Less(a, b) => vec![less(a, b, terms)?],
            Fact::Differ(a, b) => vec![less(a, b, terms)?, less(b, a, terms)?],
            Fact::Divides(divisor, term) => vec![Linear::Zero(rest(divisor, term, terms)?)],
            Fact::DoesNotDivide(divisor, term) => {
                vec![Linear::NonNegative(
                    rest(divisor, term, terms)?.shifted(-1)?,
                )]
            }
        })
    }
}

/// Returns the constraint that at least one of these facts holds.
pub(crate) fn any(facts: &[Fact], terms: &mut Terms) -> Result<Constraint, Overflow> {
    let mut alternatives = Vec::with_capacity(facts.len());
    for fact in facts {
        alternatives.append(&mut fact.alternatives(terms)?);
    }
    Ok(match <[Linear; 1]>::try_from(alternatives) {
        Ok([linear]) => Constraint::Linear(linear),
        Err(alternatives) => Constraint::Any(
            alternatives
                .into_iter()
                .map(|linear| vec![linear])
                .collect(),
        ),
    })
}

/// Returns `a - b`.
fn difference(a: Term, b: Term, terms: &Terms) -> Result<Form, Overflow> {
    terms.form(a)?.plus(-1, terms.form(b)?)
}

/// Returns the constraint `b - a - 1 ≥ 0`.
fn less(a: Term, b: Term, terms: &Terms) -> Result<Linear, Overflow> {
    Ok(Linear::NonNegative(difference(b, a, terms)?.shifted(-1)?))
}

/// Returns the remainder of a term: `term - divisor · ⌊term / divisor⌋`.
fn rest(divisor: NonZeroU64, term: Term, terms: &mut Terms) -> Result<Form, Overflow> {
    let quotient = terms.floor_div(term, divisor);
    terms
        .form(term)?
        .plus(-i128::from(divisor.get()), terms.form(quotient)?)
}
