//! The normal form of terms: sums of multiples of atoms.

use std::sync::Arc;

use thiserror::Error;

use crate::name::{DimId, DimVar};

/// A part of a normal form that is no sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A name.
    Var(DimVar),
    /// A product of two or more factors, each in normal form with its exponent, in the order of their numbers.
    Product(Vec<(DimId, u32)>),
    /// A quotient, rounded down, of two terms in normal form.
    Quotient(DimId, DimId),
    /// A ragged dimension.
    Ragged(u32),
}

/// A sum of multiples of atoms and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Linear {
    /// The atoms with their coefficients, none of which is 0, in the order of the atoms.
    pub terms: Vec<(Atom, i64)>,
    /// The constant.
    pub constant: i64,
}

/// The error for a term whose normal form has a number that does not fit 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a number in `{0}` does not fit 64 bits")]
pub struct TooLarge(pub Arc<str>);

/// A number left 64 bits.
pub(crate) struct Overflow;

impl Linear {
    /// Returns a constant.
    pub fn number(constant: i64) -> Linear {
        Linear {
            terms: Vec::new(),
            constant,
        }
    }

    /// Returns the value if the form is a constant.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the name if the form is one.
    pub fn as_var(&self) -> Option<DimVar> {
        match self.as_monomial()? {
            (Atom::Var(variable), 1) => Some(*variable),
            _ => None,
        }
    }

    /// Returns the atom and its coefficient if nothing else is there.
    pub(crate) fn as_monomial(&self) -> Option<(&Atom, i64)> {
        match self.terms.as_slice() {
            [(atom, coefficient)] if self.constant == 0 => Some((atom, *coefficient)),
            _ => None,
        }
    }

    pub(crate) fn atom(atom: Atom) -> Linear {
        Linear {
            terms: vec![(atom, 1)],
            constant: 0,
        }
    }

    /// Returns `self + factor * other`; none if a number leaves 64 bits.
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        self.combined(factor, other).ok()
    }

    /// Tells whether the form is at least as large as another one whatever the values of the names, by the signs of
    /// their difference alone: a name is at least 1.
    pub fn is_never_below(&self, other: &Linear) -> bool {
        let Some(difference) = self.plus(-1, other) else {
            return false;
        };
        let mut least = i128::from(difference.constant);
        for (atom, factor) in &difference.terms {
            if !matches!(atom, Atom::Var(_)) || *factor < 0 {
                return false;
            }
            least += i128::from(*factor);
        }
        least >= 0
    }

    pub(crate) fn combined(&self, factor: i64, other: &Linear) -> Result<Linear, Overflow> {
        let add = |left: i64, right: i64| {
            let product = right.checked_mul(factor).ok_or(Overflow)?;
            left.checked_add(product).ok_or(Overflow)
        };
        let constant = add(self.constant, other.constant)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((one, _)), Some((other, _))) => one.cmp(other),
            };
            let own = if order.is_le() { left.next() } else { None };
            let others = if order.is_ge() { right.next() } else { None };
            let atom = own.or(others).map(|(atom, _)| atom.clone());
            let coefficient = add(
                own.map_or(0, |term| term.1),
                others.map_or(0, |term| term.1),
            )?;
            if let (Some(atom), true) = (atom, coefficient != 0) {
                terms.push((atom, coefficient));
            }
        }
        Ok(Linear { terms, constant })
    }

    pub(crate) fn scaled(&self, factor: i64) -> Result<Linear, Overflow> {
        Linear::default().combined(factor, self)
    }
}
