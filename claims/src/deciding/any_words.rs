//! Row terms in Z3 whose flanks and values are words of any length.

use z3::ast::{Bool, Int};

use crate::symbolic::prover::Dim;
use crate::symbolic::unbounded::{AnyRow, Fact, Flank, number};

/// A term `l <r> t`: written axes of any number around a value of any rank.
pub struct Term {
    /// The written axes in front of the value.
    pub left: Flank,
    /// The value of the row variable.
    pub row: AnyRow,
    /// The written axes behind it, counted from the right edge.
    pub right: Flank,
    /// The value of the term (Def. 3.2).
    pub whole: AnyRow,
}

impl Term {
    /// Makes any term.
    pub fn any(name: &str) -> Term {
        let left = Flank::any(&format!("{name}.left"));
        let right = Flank::any(&format!("{name}.right"));
        Term::new(left, AnyRow::any(name), right)
    }

    /// Returns the term with these written axes.
    pub fn new(left: Flank, row: AnyRow, right: Flank) -> Term {
        let whole = AnyRow {
            leading: after(&left, &row.leading),
            trailing: after(&right, &row.trailing),
        };
        Term {
            left,
            row,
            right,
            whole,
        }
    }

    /// States that no part has a negative length.
    pub fn formed(&self) -> Vec<Bool> {
        let parts = [
            &self.left,
            &self.right,
            &self.row.leading,
            &self.row.trailing,
        ];
        parts.map(|part| part.length.ge(number(0))).to_vec()
    }

    /// Returns the number of axes that are written.
    pub fn written(&self) -> Int {
        &self.left.length + &self.right.length
    }
}

/// Returns the axes of `outer`, and then those of `inner`.
fn after(outer: &Flank, inner: &Flank) -> Flank {
    let (first, then) = (outer.clone(), inner.clone());
    Flank::new(&outer.length + &inner.length, move |place| {
        let beyond = then.axis(&(place - &first.length));
        Dim::select(&place.lt(&first.length), &first.axis(place), &beyond)
    })
}

/// Returns a flank of one axis.
pub fn one(axis: &Dim) -> Flank {
    Flank::around(vec![axis.clone()], None)
}

/// Returns a flank without axes.
pub fn none() -> Flank {
    Flank::around(Vec::new(), None)
}

/// Returns the statements that some facts make of one place.
pub fn at(facts: &[Fact], place: &Int) -> Vec<Bool> {
    facts.iter().map(|fact| fact.at(place)).collect()
}

/// Tells whether a dimension is an atom. Its basis does not matter: no other dimension is the same.
pub fn is_atom(dim: &Dim) -> Bool {
    dim.size.gt(number(0))
}

/// Returns a number.
pub fn any_number(name: &str) -> Int {
    Int::new_const(name)
}
