//! Linear forms over integers, by the names of their variables. Numbers that do not fit 128 bits are refused.

use std::collections::BTreeMap;

use crate::format::Linear;
use crate::{Rejected, rejected};

/// A linear form. No coefficient is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    terms: BTreeMap<String, i128>,
    constant: i128,
}

/// The position of a case: a nonnegative integer that only the case mentions.
pub(crate) const POSITION: &str = "P";

/// Tells whether a name is that of a length: `X<r>` or `Y<r>`, or that of the position of a case.
pub(crate) fn is_natural(name: &str) -> bool {
    name == POSITION || (name.starts_with("X<") || name.starts_with("Y<")) && name.ends_with('>')
}

/// Returns the number of the quotient that has this name; `None` where the name is another one, such as `q01`.
pub(crate) fn quotient(name: &str) -> Option<usize> {
    let number: usize = name.strip_prefix('q')?.parse().ok()?;
    (name == format!("q{number}")).then_some(number)
}

impl Form {
    pub(crate) fn read(linear: &Linear) -> Form {
        let mut form = Form::default();
        for (name, factor) in linear {
            match name.as_str() {
                "1" => form.constant = i128::from(*factor),
                _ if *factor != 0 => {
                    form.terms.insert(name.clone(), i128::from(*factor));
                }
                _ => {}
            }
        }
        form
    }

    pub(crate) fn variable(name: &str) -> Form {
        Form {
            terms: BTreeMap::from([(name.to_string(), 1)]),
            constant: 0,
        }
    }

    pub(crate) fn number(constant: i128) -> Form {
        Form {
            terms: BTreeMap::new(),
            constant,
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.keys().map(String::as_str)
    }

    /// Returns the value of a form without variables.
    pub(crate) fn as_number(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(crate) fn is_negative_number(&self) -> bool {
        self.as_number().is_some_and(|number| number < 0)
    }

    /// Returns `self + factor * other`.
    pub(crate) fn plus(&self, factor: i128, other: &Form) -> Result<Form, Rejected> {
        let mut sum = self.clone();
        for (name, own) in &other.terms {
            let term = sum.terms.entry(name.clone()).or_insert(0);
            *term = added(*term, factor, *own)?;
        }
        sum.terms.retain(|_, factor| *factor != 0);
        sum.constant = added(sum.constant, factor, other.constant)?;
        Ok(sum)
    }

    pub(crate) fn times(&self, factor: i128) -> Result<Form, Rejected> {
        Form::default().plus(factor, self)
    }

    pub(crate) fn shifted(&self, by: i128) -> Result<Form, Rejected> {
        self.plus(1, &Form::number(by))
    }

    /// Returns the form that is equivalent to `form ≥ 0` over integers: divided by the common divisor of the
    /// coefficients, with the constant rounded down.
    pub(crate) fn rounded(&self) -> Form {
        let divisor = self.terms.values().fold(0, |a, b| gcd(a, b.unsigned_abs()));
        let Some(divisor) = i128::try_from(divisor).ok().filter(|divisor| *divisor > 1) else {
            return self.clone();
        };
        let terms = self.terms.iter();
        Form {
            terms: terms
                .map(|(name, factor)| (name.clone(), factor / divisor))
                .collect(),
            constant: self.constant.div_euclid(divisor),
        }
    }
}

/// Returns `a + factor * b`.
fn added(a: i128, factor: i128, b: i128) -> Result<i128, Rejected> {
    match factor
        .checked_mul(b)
        .and_then(|product| a.checked_add(product))
    {
        Some(sum) => Ok(sum),
        None => rejected("a number has more than 128 bits"),
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
