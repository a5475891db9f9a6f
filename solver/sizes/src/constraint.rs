//! The constraints to which facts are lowered: equations and inequalities of linear forms, alternatives of these,
//! products.

use rustc_hash::FxHashMap;

use crate::form::{Form, Variable};
use crate::number::{Int, Overflow, multiply};
use crate::origin::Origin;

/// A linear constraint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Linear {
    /// The form is 0.
    Zero(Form),
    /// The form is at least 0.
    NonNegative(Form),
}

impl Linear {
    pub(crate) fn form(&self) -> &Form {
        match self {
            Linear::Zero(form) | Linear::NonNegative(form) => form,
        }
    }

    fn holds(&self, values: &Values) -> Result<bool, Overflow> {
        let value = self.form().value(|variable| value(values, variable))?;
        Ok(match self {
            Linear::Zero(_) => value == 0,
            Linear::NonNegative(_) => value >= 0,
        })
    }
}

/// A variable is the product of two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Product {
    pub(crate) whole: Variable,
    pub(crate) factors: [Variable; 2],
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constraint {
    Linear(Linear),
    /// All constraints of at least one alternative hold.
    Any(Vec<Vec<Linear>>),
    Product(Product),
}

/// Values of variables.
pub(crate) type Values = FxHashMap<Variable, Int>;

/// Returns the value of a variable; 0 for one that no constraint mentions.
pub(crate) fn value(values: &Values, variable: Variable) -> Int {
    values.get(&variable).copied().unwrap_or(0)
}

impl Constraint {
    /// Returns the variables, each perhaps more than once.
    pub(crate) fn variables(&self) -> Vec<Variable> {
        match self {
            Constraint::Linear(linear) => linear.form().variables().collect(),
            Constraint::Any(alternatives) => {
                let linear = alternatives.iter().flatten();
                linear
                    .flat_map(|linear| linear.form().variables())
                    .collect()
            }
            Constraint::Product(product) => {
                vec![product.whole, product.factors[0], product.factors[1]]
            }
        }
    }

    /// Tells whether the values satisfy the constraint.
    pub(crate) fn holds(&self, values: &Values) -> Result<bool, Overflow> {
        match self {
            Constraint::Linear(linear) => linear.holds(values),
            Constraint::Any(alternatives) => any(alternatives, values),
            Constraint::Product(product) => product.holds(values),
        }
    }
}

/// Tells whether the values satisfy all constraints of at least one alternative.
pub(crate) fn any(alternatives: &[Vec<Linear>], values: &Values) -> Result<bool, Overflow> {
    for alternative in alternatives {
        let mut all = true;
        for linear in alternative {
            all &= linear.holds(values)?;
        }
        if all {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Product {
    pub(crate) fn holds(&self, values: &Values) -> Result<bool, Overflow> {
        let [left, right] = self.factors.map(|factor| value(values, factor));
        Ok(multiply(left, right)? == value(values, self.whole))
    }
}

/// A linear constraint with its origin.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    pub(crate) linear: Linear,
    pub(crate) origin: Origin,
}
