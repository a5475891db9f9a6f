//! The atoms of terms: variables, and expressions that are not linear in other atoms. Atoms are interned, so that equal
//! ones are identical, and are defined by constraints.

use crate::constraint::{Constraint, Linear, Product};
use crate::form::{Form, Variable};
use crate::number::{Int, Overflow};

/// The integers that a variable ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Range {
    Positive,
    Natural,
    Integer,
}

/// An atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom {
    /// A variable.
    Variable(Range),
    /// `⌊form / by⌋` with `by` above 1.
    Floor { form: Form, by: Int },
    /// The largest of at least two forms.
    Max(Vec<Form>),
    /// A product of at least two atoms, none of which is a product, in ascending order.
    Product(Vec<Variable>),
    /// A form that is a factor of a product.
    Named(Form),
}

impl Range {
    /// Returns the least member, if there is one.
    pub(crate) fn least(self) -> Option<Int> {
        match self {
            Range::Positive => Some(1),
            Range::Natural => Some(0),
            Range::Integer => None,
        }
    }
}

impl Atom {
    /// Returns the atoms that the definition of this one mentions.
    pub(crate) fn parts(&self) -> Vec<Variable> {
        match self {
            Atom::Variable(_) => Vec::new(),
            Atom::Floor { form, .. } | Atom::Named(form) => form.variables().collect(),
            Atom::Max(forms) => forms.iter().flat_map(Form::variables).collect(),
            Atom::Product(factors) => factors.clone(),
        }
    }

    /// Returns the constraints that define the atom with this number. `tail` is the number of the product of all
    /// factors but the first.
    pub(crate) fn definition(
        &self,
        number: Variable,
        tail: Option<Variable>,
    ) -> Result<Vec<Constraint>, Overflow> {
        let own = Form::variable(number);
        let at_least_zero = |form| Constraint::Linear(Linear::NonNegative(form));
        let mut constraints = Vec::new();
        match self {
            Atom::Variable(range) => {
                if let Some(least) = range.least() {
                    constraints.push(at_least_zero(own.shifted(-least)?));
                }
            }
            Atom::Floor { form, by } => {
                let rest = form.plus(-by, &own)?;
                constraints.push(at_least_zero(rest.scaled(-1)?.shifted(by - 1)?));
                constraints.push(at_least_zero(rest));
            }
            Atom::Max(forms) => {
                let mut attained = Vec::new();
                for form in forms {
                    constraints.push(at_least_zero(own.plus(-1, form)?));
                    attained.push(vec![Linear::NonNegative(form.plus(-1, &own)?)]);
                }
                constraints.push(Constraint::Any(attained));
            }
            Atom::Product(factors) => {
                if let (Some(first), Some(tail)) = (factors.first(), tail) {
                    constraints.push(Constraint::Product(Product {
                        whole: number,
                        factors: [*first, tail],
                    }));
                }
            }
            Atom::Named(form) => {
                constraints.push(Constraint::Linear(Linear::Zero(form.plus(-1, &own)?)));
            }
        }
        Ok(constraints)
    }
}
