//! The normal form of terms: sums of multiples of atoms.

use std::collections::BTreeMap;
use std::sync::Arc;

use thiserror::Error;

use crate::dim::{DimId, DimNode, DimVar, Op, Pool};

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
struct Overflow;

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
    fn as_monomial(&self) -> Option<(&Atom, i64)> {
        match self.terms.as_slice() {
            [(atom, coefficient)] if self.constant == 0 => Some((atom, *coefficient)),
            _ => None,
        }
    }

    fn atom(atom: Atom) -> Linear {
        Linear {
            terms: vec![(atom, 1)],
            constant: 0,
        }
    }

    /// Returns `self + factor * other`; none if a number leaves 64 bits.
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        self.combined(factor, other).ok()
    }

    fn combined(&self, factor: i64, other: &Linear) -> Result<Linear, Overflow> {
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

    fn scaled(&self, factor: i64) -> Result<Linear, Overflow> {
        Linear::default().combined(factor, self)
    }
}

impl Pool {
    /// Returns the normal form of a term. Two terms of one normal form have the same value wherever both have one; a part that divides
    /// by 0 may be gone from the form.
    ///
    /// # Errors
    /// If a number does not fit 64 bits.
    pub fn linear(&mut self, dim: DimId) -> Result<Arc<Linear>, TooLarge> {
        let mut pending = vec![dim];
        while let Some(&part) = pending.last() {
            if self.forms.contains_key(&part) {
                pending.pop();
                continue;
            }
            if let DimNode::Op(_, left, right) = self.node(part) {
                let missing: Vec<DimId> = [left, right]
                    .into_iter()
                    .filter(|operand| !self.forms.contains_key(operand))
                    .collect();
                if !missing.is_empty() {
                    pending.extend(missing);
                    continue;
                }
            }
            let form = self.form_of_node(part);
            self.forms.insert(part, form);
        }
        self.forms[&dim].clone()
    }

    /// Computes the normal form of a term whose parts have theirs.
    fn form_of_node(&mut self, dim: DimId) -> Result<Arc<Linear>, TooLarge> {
        let form = match self.node(dim) {
            DimNode::Number(number) => Ok(Linear::number(number)),
            DimNode::Var(variable) => Ok(Linear::atom(Atom::Var(variable))),
            DimNode::Ragged(identity) => Ok(Linear::atom(Atom::Ragged(identity))),
            DimNode::Op(op, left, right) => {
                let (left, right) = (self.forms[&left].clone()?, self.forms[&right].clone()?);
                match op {
                    Op::Add => left.combined(1, &right),
                    Op::Subtract => left.combined(-1, &right),
                    Op::Multiply => self.product(&left, &right),
                    Op::Divide => self.quotient(&left, &right),
                }
            }
        };
        match form {
            Ok(form) => Ok(Arc::new(form)),
            Err(Overflow) => Err(TooLarge(self.show(dim).to_string().into())),
        }
    }

    fn product(&mut self, left: &Linear, right: &Linear) -> Result<Linear, Overflow> {
        if let Some(number) = left.as_number() {
            return right.scaled(number);
        }
        if let Some(number) = right.as_number() {
            return left.scaled(number);
        }
        let mut factors: BTreeMap<DimId, u32> = BTreeMap::new();
        let mut coefficient = 1_i64;
        for operand in [left, right] {
            let parts = match operand.as_monomial() {
                Some((Atom::Product(parts), multiple)) => {
                    coefficient = coefficient.checked_mul(multiple).ok_or(Overflow)?;
                    parts.clone()
                }
                Some((atom, multiple)) => {
                    coefficient = coefficient.checked_mul(multiple).ok_or(Overflow)?;
                    vec![(self.term(&Linear::atom(atom.clone())), 1)]
                }
                None => vec![(self.term(operand), 1)],
            };
            for (factor, exponent) in parts {
                let sum = factors.entry(factor).or_default();
                *sum = sum.checked_add(exponent).ok_or(Overflow)?;
            }
        }
        Linear::atom(Atom::Product(factors.into_iter().collect())).scaled(coefficient)
    }

    /// Computes a quotient. What the divisor divides leaves it: `floor((c*q + r) / c) = q + floor(r / c)`.
    fn quotient(&mut self, dividend: &Linear, divisor: &Linear) -> Result<Linear, Overflow> {
        let Some(number) = divisor.as_number().filter(|number| *number != 0) else {
            let (dividend, divisor) = (self.term(dividend), self.term(divisor));
            return Ok(Linear::atom(Atom::Quotient(dividend, divisor)));
        };
        // Both are negated if the divisor is negative.
        let number_positive = number.checked_abs().ok_or(Overflow)?;
        let dividend = dividend.scaled(number.signum())?;
        let mut whole = Linear::number(dividend.constant.div_euclid(number_positive));
        let mut rest = Linear::number(dividend.constant.rem_euclid(number_positive));
        for (atom, coefficient) in &dividend.terms {
            for (form, part) in [
                (&mut whole, coefficient.div_euclid(number_positive)),
                (&mut rest, coefficient.rem_euclid(number_positive)),
            ] {
                if part != 0 {
                    form.terms.push((atom.clone(), part));
                }
            }
        }
        if rest.terms.is_empty() {
            return Ok(whole);
        }
        let (rest, divisor) = (self.term(&rest), self.number(number_positive));
        whole.combined(1, &Linear::atom(Atom::Quotient(rest, divisor)))
    }

    /// Returns the term of a normal form: what is added first, what is subtracted next, the constant last.
    pub fn term(&mut self, form: &Linear) -> DimId {
        let mut sum: Option<DimId> = None;
        let is_added = |term: &&(Atom, i64)| term.1 > 0;
        let any_added = form.terms.iter().any(|term| term.1 > 0);
        if !any_added {
            sum = Some(self.number(form.constant));
        }
        for (atom, coefficient) in form.terms.iter().filter(is_added) {
            let multiple = self.multiple(atom, *coefficient);
            sum = Some(match sum {
                None => multiple,
                Some(sum) => self.op(Op::Add, sum, multiple),
            });
        }
        for (atom, coefficient) in form.terms.iter().filter(|term| !is_added(term)) {
            // The least number has no opposite of 64 bits, so it stays a factor.
            let (op, factor) = match coefficient.checked_neg() {
                Some(factor) => (Op::Subtract, factor),
                None => (Op::Add, *coefficient),
            };
            let multiple = self.multiple(atom, factor);
            sum = sum.map(|sum| self.op(op, sum, multiple));
        }
        let sum = match sum {
            Some(sum) => sum,
            None => self.number(form.constant),
        };
        if !any_added || form.constant == 0 {
            return sum;
        }
        let (op, constant) = match form.constant.checked_neg() {
            Some(opposite) if form.constant < 0 => (Op::Subtract, opposite),
            _ => (Op::Add, form.constant),
        };
        let constant = self.number(constant);
        self.op(op, sum, constant)
    }

    fn multiple(&mut self, atom: &Atom, coefficient: i64) -> DimId {
        let term = match atom {
            Atom::Var(variable) => self.var(*variable),
            Atom::Ragged(identity) => self.ragged_with(*identity),
            Atom::Quotient(dividend, divisor) => self.op(Op::Divide, *dividend, *divisor),
            Atom::Product(factors) => self.powers(factors),
        };
        if coefficient == 1 {
            return term;
        }
        let number = self.number(coefficient);
        self.op(Op::Multiply, term, number)
    }

    /// Returns a product of powers. A power is a product of its squares, so a large exponent takes few nodes.
    fn powers(&mut self, factors: &[(DimId, u32)]) -> DimId {
        let mut product: Option<DimId> = None;
        for &(factor, exponent) in factors {
            let (mut square, mut left) = (factor, exponent);
            while left > 0 {
                if left % 2 == 1 {
                    product = Some(match product {
                        None => square,
                        Some(product) => self.op(Op::Multiply, product, square),
                    });
                }
                left /= 2;
                if left > 0 {
                    square = self.op(Op::Multiply, square, square);
                }
            }
        }
        match product {
            Some(product) => product,
            None => self.number(1),
        }
    }

    /// Returns the term of the normal form of a term.
    ///
    /// # Errors
    /// If a number does not fit 64 bits.
    pub fn canonical(&mut self, dim: DimId) -> Result<DimId, TooLarge> {
        let form = self.linear(dim)?;
        Ok(self.term(&form))
    }
}
