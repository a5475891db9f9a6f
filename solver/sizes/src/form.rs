//! Linear forms `a₁·v₁ + … + aₙ·vₙ + c` with integer coefficients, in normal form: variables ascending, no
//! coefficient 0. Two forms denote one function iff they are equal as values.

use std::cmp::Ordering;

use crate::number::{Int, Overflow, add, gcd, multiply};

/// A variable of a form: an atom of the store, or one that an elimination introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// A source of variables that no form mentions yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh(pub(crate) u32);

impl Fresh {
    pub(crate) fn next(&mut self) -> Variable {
        let variable = Variable(self.0);
        self.0 += 1;
        variable
    }
}

/// A linear form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Form {
    terms: Vec<(Variable, Int)>,
    /// The value of the form where all variables are 0.
    pub constant: Int,
}

impl Form {
    /// Returns a form without variables.
    pub fn constant(constant: Int) -> Form {
        Form {
            terms: Vec::new(),
            constant,
        }
    }

    /// Returns a variable.
    pub fn variable(variable: Variable) -> Form {
        Form {
            terms: vec![(variable, 1)],
            constant: 0,
        }
    }

    /// Returns the variables with their coefficients, ascending.
    pub fn terms(&self) -> &[(Variable, Int)] {
        &self.terms
    }

    /// Returns the variables, ascending.
    pub fn variables(&self) -> impl DoubleEndedIterator<Item = Variable> + '_ {
        self.terms.iter().map(|(variable, _)| *variable)
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns the value of a form without variables.
    pub fn as_constant(&self) -> Option<Int> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the variable, if the form is a single variable with coefficient 1.
    pub(crate) fn as_variable(&self) -> Option<Variable> {
        match (self.terms.as_slice(), self.constant) {
            ([(variable, 1)], 0) => Some(*variable),
            _ => None,
        }
    }

    /// Returns the coefficient of a variable, 0 if the form does not mention it.
    pub fn coefficient(&self, variable: Variable) -> Int {
        match self.terms.binary_search_by_key(&variable, |term| term.0) {
            Ok(position) => self.terms[position].1,
            Err(_) => 0,
        }
    }

    /// Returns the form without its constant.
    pub(crate) fn direction(&self) -> Form {
        Form {
            terms: self.terms.clone(),
            constant: 0,
        }
    }

    /// Returns the form without one variable.
    pub fn without(&self, variable: Variable) -> Form {
        let terms = self.terms.iter().filter(|term| term.0 != variable);
        Form {
            terms: terms.copied().collect(),
            constant: self.constant,
        }
    }

    /// Returns `self + factor * other`.
    ///
    /// # Errors
    /// When a number is too large.
    pub fn plus(&self, factor: Int, other: &Form) -> Result<Form, Overflow> {
        let (left, right) = (&self.terms, &other.terms);
        let mut terms = Vec::with_capacity(left.len() + right.len());
        let (mut i, mut j) = (0, 0);
        while i < left.len() || j < right.len() {
            let order = match (left.get(i), right.get(j)) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (_, None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            };
            let (variable, mut coefficient) = if order.is_le() {
                left[i]
            } else {
                (right[j].0, 0)
            };
            if order.is_ge() {
                coefficient = add(coefficient, multiply(factor, right[j].1)?)?;
            }
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
            if coefficient != 0 {
                terms.push((variable, coefficient));
            }
        }
        Ok(Form {
            terms,
            constant: add(self.constant, multiply(factor, other.constant)?)?,
        })
    }

    /// Returns `self + constant`.
    ///
    /// # Errors
    /// When a number is too large.
    pub fn shifted(mut self, constant: Int) -> Result<Form, Overflow> {
        self.constant = add(self.constant, constant)?;
        Ok(self)
    }

    /// Returns `factor * self`.
    ///
    /// # Errors
    /// When a number is too large.
    pub fn scaled(&self, factor: Int) -> Result<Form, Overflow> {
        Form::default().plus(factor, self)
    }

    /// Returns the form with another form in place of a variable.
    ///
    /// # Errors
    /// When a number is too large.
    pub fn substituted(&self, variable: Variable, by: &Form) -> Result<Form, Overflow> {
        match self.coefficient(variable) {
            0 => Ok(self.clone()),
            coefficient => self.without(variable).plus(coefficient, by),
        }
    }

    /// Returns the greatest common divisor of the coefficients, 0 if there are none.
    pub fn content(&self) -> Int {
        let coefficients = self.terms.iter().map(|term| term.1);
        let mut divisor = 0;
        for coefficient in coefficients {
            divisor = gcd(divisor, coefficient);
            if divisor == 1 {
                break;
            }
        }
        divisor
    }

    /// Maps each coefficient and the constant.
    #[must_use]
    pub fn map(&self, map: impl Fn(Int) -> Int) -> Form {
        let terms = self
            .terms
            .iter()
            .map(|(variable, value)| (*variable, map(*value)));
        Form {
            terms: terms.filter(|term| term.1 != 0).collect(),
            constant: map(self.constant),
        }
    }

    /// Returns the value of the form.
    ///
    /// # Errors
    /// When a number is too large.
    pub fn value(&self, of: impl Fn(Variable) -> Int) -> Result<Int, Overflow> {
        let terms = self.terms.iter();
        terms
            .copied()
            .try_fold(self.constant, |sum, (variable, coefficient)| {
                add(sum, multiply(coefficient, of(variable))?)
            })
    }
}

/// Returns the sum of multiples of forms.
pub(crate) fn sum<'a>(parts: impl IntoIterator<Item = (Int, &'a Form)>) -> Result<Form, Overflow> {
    let mut terms = Vec::new();
    let mut constant = 0;
    for (factor, form) in parts {
        constant = add(constant, multiply(factor, form.constant)?)?;
        for (variable, coefficient) in &form.terms {
            terms.push((*variable, multiply(factor, *coefficient)?));
        }
    }
    terms.sort_unstable_by_key(|term: &(Variable, Int)| term.0);
    let mut joined: Vec<(Variable, Int)> = Vec::with_capacity(terms.len());
    for (variable, coefficient) in terms {
        match joined.last_mut() {
            Some(last) if last.0 == variable => last.1 = add(last.1, coefficient)?,
            _ => joined.push((variable, coefficient)),
        }
    }
    joined.retain(|term| term.1 != 0);
    Ok(Form {
        terms: joined,
        constant,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(terms: &[(u32, Int)], constant: Int) -> Form {
        let single = |(variable, coefficient): &(u32, Int)| {
            Form::variable(Variable(*variable)).scaled(*coefficient)
        };
        let forms: Result<Vec<Form>, _> = terms.iter().map(single).collect();
        let constant = Form::constant(constant);
        let forms = forms.expect("small numbers");
        sum(forms.iter().chain([&constant]).map(|form| (1, form))).expect("small numbers")
    }

    #[test]
    fn sums_are_in_normal_form() {
        let a = form(&[(2, 3), (1, 1), (2, -3)], 4);
        assert_eq!(a, form(&[(1, 1)], 4));
        assert_eq!(a.plus(-1, &a), Ok(Form::default()));
        assert_eq!(
            form(&[(1, 2)], 1).plus(3, &form(&[(0, 1), (1, -1)], 2)),
            Ok(form(&[(0, 3), (1, -1)], 7))
        );
    }

    #[test]
    fn substitution_puts_a_form_for_a_variable() {
        let by = form(&[(5, 2)], 1);
        let into = form(&[(1, 3), (5, -6)], 0);
        assert_eq!(into.substituted(Variable(1), &by), Ok(Form::constant(3)));
        assert_eq!(into.substituted(Variable(9), &by), Ok(into));
    }
}
