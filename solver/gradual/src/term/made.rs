//! Results of operations on terms, kept by their operands: layers repeat, and ask for the same ones again and again.

use super::{Atom, Formula, Int, Polynomial, Term, Terms, TooLarge};
use rustc_hash::FxHashMap;

/// An operation on two terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Sum,
    Difference,
    Product,
    Quotient,
}

/// The results of operations.
#[derive(Debug, Default)]
pub(super) struct Made {
    numbers: FxHashMap<Int, Term>,
    /// The term of each atom, by its number.
    atoms: Vec<Option<Term>>,
    of_two: FxHashMap<(Operation, Term, Term), Term>,
    pub(super) zero: FxHashMap<Term, Formula>,
    pub(super) at_least_zero: FxHashMap<Term, Formula>,
}

impl Terms {
    /// Makes the number.
    pub fn number(&mut self, value: Int) -> Term {
        if let Some(term) = self.made.numbers.get(&value) {
            return *term;
        }
        let term = self.intern(Polynomial::constant(value));
        self.made.numbers.insert(value, term);
        term
    }

    /// Makes the term that is an atom and nothing else.
    pub(crate) fn of_atom(&mut self, atom: Atom) -> Term {
        let at = atom.0 as usize;
        if let Some(Some(term)) = self.made.atoms.get(at) {
            return *term;
        }
        let term = self.intern(Polynomial::atom(atom));
        if self.made.atoms.len() <= at {
            self.made.atoms.resize(at + 1, None);
        }
        self.made.atoms[at] = Some(term);
        term
    }

    /// Returns the result of an operation, computed if it is not known yet. One that is too large is not kept.
    pub(super) fn of_two(
        &mut self,
        operation: Operation,
        left: Term,
        right: Term,
        compute: impl FnOnce(&mut Self) -> Result<Term, TooLarge>,
    ) -> Term {
        let key = (operation, left, right);
        if let Some(term) = self.made.of_two.get(&key) {
            return *term;
        }
        match compute(self) {
            Ok(term) => {
                self.made.of_two.insert(key, term);
                term
            }
            Err(TooLarge) => self.poison(),
        }
    }
}
