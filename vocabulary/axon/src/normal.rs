//! The computation of normal forms, each once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::dim::{DimNode, Pool};
use crate::linear::{Atom, Linear, Overflow, TooLarge};
use crate::name::{DimId, Op};

impl Pool {
    /// Returns the normal form of a term. Two terms of one normal form have the same value wherever both have one; a
    /// part that divides by 0 may be gone from the form.
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

    /// Computes a quotient. A multiple of the divisor is taken out of it: `floor((c*q + r) / c) = q + floor(r / c)`.
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
