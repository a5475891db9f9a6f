//! The values of terms in a solution of the facts of a store.

use rustc_hash::FxHashMap;

use crate::atom::Atom;
use crate::constraint::Values;
use crate::form::{Form, Variable};
use crate::number::{Int, Overflow, floor_div, multiply};
use crate::term::{Term, Terms};

/// A solution of the facts of a store. It gives a value to every term; a variable that no fact mentions has its least
/// value.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    pub(crate) terms: &'a Terms,
    pub(crate) values: &'a Values,
}

impl Model<'_> {
    /// Returns the value of a term; `None` if it, or a number on the way to it, is too large.
    pub fn value(&self, term: Term) -> Option<i64> {
        let form = self.terms.form(term).ok()?;
        let of = |variable| self.values.get(&variable).copied();
        let value = evaluate(form, self.terms, of).ok()?;
        i64::try_from(value).ok()
    }
}

/// Returns the value of a form. Atoms without a value get theirs from their definitions; variables get their least one.
pub(crate) fn evaluate(
    form: &Form,
    terms: &Terms,
    of: impl Fn(Variable) -> Option<Int>,
) -> Result<Int, Overflow> {
    let mut known: FxHashMap<Variable, Int> = FxHashMap::default();
    // A definition mentions only older atoms, so the parts of an atom are evaluated before it is visited again.
    let mut pending: Vec<Variable> = form.variables().collect();
    while let Some(variable) = pending.pop() {
        if known.contains_key(&variable) {
            continue;
        }
        if let Some(value) = of(variable) {
            known.insert(variable, value);
            continue;
        }
        let Some(atom) = terms.atom(variable) else {
            continue;
        };
        let missing = atom
            .parts()
            .into_iter()
            .filter(|part| !known.contains_key(part));
        let missing: Vec<Variable> = missing.collect();
        if missing.is_empty() {
            let value = defined(atom, &known)?;
            known.insert(variable, value);
        } else {
            pending.push(variable);
            pending.extend(missing);
        }
    }
    form.value(|variable| known.get(&variable).copied().unwrap_or(0))
}

/// Returns the value that a definition gives to an atom.
fn defined(atom: &Atom, known: &FxHashMap<Variable, Int>) -> Result<Int, Overflow> {
    let of = |variable: Variable| known.get(&variable).copied().unwrap_or(0);
    match atom {
        Atom::Variable(range) => Ok(range.least().unwrap_or(0)),
        Atom::Floor { form, by } => Ok(floor_div(form.value(of)?, *by)),
        Atom::Named(form) => form.value(of),
        Atom::Product(factors) => {
            let mut factors = factors.iter();
            factors.try_fold(1, |product, factor| multiply(product, of(*factor)))
        }
        Atom::Max(forms) => {
            let mut largest: Option<Int> = None;
            for form in forms {
                let value = form.value(of)?;
                largest = Some(largest.map_or(value, |largest| largest.max(value)));
            }
            Ok(largest.unwrap_or(0))
        }
    }
}
