//! The conditions in which the premises of the rules are stated: what may hold of a constraint, and of the bounds and
//! what waits, at the moment when a rule reads it. No rule is named here; [`crate::premises`] finds out, from the
//! rules, which of them are the premises of which.

mod of_sizes;

use lozenge_spec::bounds::Bounds;
use lozenge_spec::sizes::Sizes;
use lozenge_vocabulary::alignment::{aligned, total};
use lozenge_vocabulary::composite::Composition;
use lozenge_vocabulary::constraint::Constraint::{self, DimEq, DimLe, RowEq, RowLe};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::term::{DimTerm, RowTerm};

use of_sizes::{ATOMS, BASES, BOUNDS, COMPOSITES, COUNTED, FITS, WINDOWS};

/// A condition on a constraint and what the rules read beside it.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// The condition in words, as a clause.
    pub text: &'static str,
    /// The test of whether it holds.
    pub holds: fn(&Constraint, Sizes) -> bool,
}

/// Returns the conditions on constraints with the relation of this one; none for rows side by side, which no rule
/// reads.
pub fn conditions(constraint: &Constraint) -> impl Iterator<Item = &'static Condition> + Clone {
    let lists: [&[Condition]; 4] = match constraint {
        DimEq(..) => [DIMS, &[], &[], &[]],
        DimLe(..) => [ORDERED_DIMS, DIMS, &[], &[]],
        RowEq(..) => [ROWS, EQUAL_ROWS, &[], &[]],
        RowLe(..) => [ORDERED_ROWS, ROWS, &[], &[]],
        Constraint::Window(_) => [ATOMS, BASES, WINDOWS, FITS],
        Constraint::Composite(of) if of.composition == Composition::Concat => {
            [ATOMS, BASES, COMPOSITES, FITS]
        }
        Constraint::Composite(_) => [ATOMS, COMPOSITES, FITS, &[]],
        Constraint::Elements(of) if of.closed().is_some() => [ATOMS, COMPOSITES, FITS, &[]],
        Constraint::Elements(_) => [ATOMS, COUNTED, &[], &[]],
        Constraint::AtLeast { .. } => [BOUNDS, &[], &[], &[]],
        Constraint::Flat(_) => [&[]; 4],
    };
    lists.into_iter().flatten()
}

macro_rules! conditions {
    ($list:ident of $sort:ident: $($text:literal |$a:ident, $b:ident $(, $bounds:ident)?| $holds:expr;)*) => {
        const $list: &[Condition] = &[$(Condition {
            text: $text,
            holds: |constraint, _sizes| {
                let Some(($a, $b)) = $sort(constraint) else { return false };
                $(let $bounds = _sizes.bounds;)?
                $holds
            },
        }),*];
    };
}

fn dims(constraint: &Constraint) -> Option<(&DimTerm, &DimTerm)> {
    match constraint {
        DimEq(a, b) | DimLe(a, b) => Some((a, b)),
        _ => None,
    }
}

fn rows(constraint: &Constraint) -> Option<(&RowTerm, &RowTerm)> {
    match constraint {
        RowEq(a, b) | RowLe(a, b) => Some((a, b)),
        _ => None,
    }
}

fn is_unit(term: &DimTerm) -> bool {
    term.ground() == Some(&Dim::Unit)
}

fn is_atom(term: &DimTerm) -> bool {
    term.ground().is_some_and(Dim::is_atom)
}

/// Returns the atom known below the operand of an inequality.
fn known<'a>(operand: &DimTerm, bounds: &'a Bounds) -> Option<&'a Dim> {
    match operand {
        DimTerm::Var(var) => bounds.lower_bound(var).map(|(atom, _)| atom),
        DimTerm::Const(_) => None,
    }
}

/// Tells whether the operand of an inequality is a variable that is known to be an atom.
fn is_known_atom(operand: &DimTerm, bounds: &Bounds) -> bool {
    matches!(operand, DimTerm::Var(var) if bounds.atom(var).is_some())
}

fn is_known_below(low: &DimTerm, high: &DimTerm, bounds: &Bounds) -> bool {
    match (low, high) {
        (DimTerm::Var(low), DimTerm::Var(high)) => bounds.path(low, high).is_some(),
        _ => false,
    }
}

/// Counts the axes that each side has beyond the other's flanks.
fn surpluses(a: &RowTerm, b: &RowTerm) -> [usize; 2] {
    let rows = aligned(a.flanks(), b.flanks());
    [total(rows.left), total(rows.right)]
}

/// Counts the axes that are written in the open row, and those of the closed one, where exactly one row is open.
fn open_and_closed(a: &RowTerm, b: &RowTerm) -> Option<[usize; 2]> {
    match (&a.var, &b.var) {
        (Some(_), None) => Some([a.explicit(), b.explicit()]),
        (None, Some(_)) => Some([b.explicit(), a.explicit()]),
        _ => None,
    }
}

/// Tells whether an operand's flank has axes that the result's flank lacks.
pub fn is_shorter(result: &RowTerm, operand: &RowTerm) -> bool {
    surpluses(result, operand)[1] > 0
}

conditions! { ORDERED_DIMS of dims:
    "the result is a variable" |a, _b| a.ground().is_none();
    "the result is the unit" |a, _b| is_unit(a);
    "the result is an atom" |a, _b| is_atom(a);
    "the operand is a variable" |_a, b| b.ground().is_none();
    "the operand is the unit" |_a, b| is_unit(b);
    "the operand is not the unit" |_a, b| !is_unit(b);
    "the operand is an atom" |_a, b| is_atom(b);
    "the result's dimension is below the operand's" |a, b| a.ground().zip(b.ground()).is_some_and(|(a, b)| a.below(b));
    "the result's dimension is not below the operand's" |a, b| a.ground().zip(b.ground()).is_some_and(|(a, b)| !a.below(b));
    "no atom is known below the operand" |_a, b, bounds| known(b, bounds).is_none();
    "this atom is known below the operand" |a, b, bounds| known(b, bounds).is_some_and(|d| a.ground() == Some(d));
    "another atom is known below the operand" |a, b, bounds| known(b, bounds).is_some_and(|d| a.ground() != Some(d));
    "the operand is known to be an atom" |_a, b, bounds| is_known_atom(b, bounds);
    "the operand is not known to be an atom" |_a, b, bounds| !is_known_atom(b, bounds);
    "the operand is known to be below the result" |a, b, bounds| is_known_below(b, a, bounds);
    "the operand is not known to be below the result" |a, b, bounds| !is_known_below(b, a, bounds);
    "the operand axis has size 1" |_a, b| b.ground().is_some_and(|b| b.size() == 1);
    "the operand axis is longer than 1" |_a, b| b.ground().is_some_and(|b| b.size() > 1);
}

conditions! { DIMS of dims:
    "both sides are constants" |a, b| a.ground().is_some() && b.ground().is_some();
    "both sides are variables" |a, b| a.ground().is_none() && b.ground().is_none();
    "one side is a variable" |a, b| a.ground().is_none() || b.ground().is_none();
    "the sides are the same term" |a, b| a == b;
    "the sides are different terms" |a, b| a != b;
}

conditions! { ORDERED_ROWS of rows:
    "the result is closed" |a, _b| a.var.is_none();
    "the result is open" |a, _b| a.var.is_some();
    "the operand is closed" |_a, b| b.var.is_none();
    "the operand is open" |_a, b| b.var.is_some();
    "a flank of the result is shorter" |a, b| is_shorter(a, b);
    "no flank of the result is shorter" |a, b| !is_shorter(a, b);
    "an axis of the result faces no axis of the operand" |a, b| surpluses(a, b)[0] > 0;
}

conditions! { ROWS of rows:
    "both rows are closed" |a, b| a.var.is_none() && b.var.is_none();
    "exactly one row is open" |a, b| a.var.is_some() != b.var.is_some();
    "both rows are open" |a, b| a.var.is_some() && b.var.is_some();
    "the rows have the same variable" |a, b| a.var.is_some() && a.var == b.var;
    "the rows have no variable in common" |a, b| a.var.is_none() || a.var != b.var;
    "there is no surplus" |a, b| surpluses(a, b) == [0, 0];
    "a tensor has an axis" |a, b| a.explicit() + b.explicit() > 0;
}

conditions! { EQUAL_ROWS of rows:
    "the ranks are equal" |a, b| a.explicit() == b.explicit();
    "the ranks differ" |a, b| a.explicit() != b.explicit();
    "the open row has fewer axes" |a, b| open_and_closed(a, b).is_some_and(|[open, closed]| open < closed);
    "the open row has as many axes" |a, b| open_and_closed(a, b).is_some_and(|[open, closed]| open == closed);
    "the open row has more axes" |a, b| open_and_closed(a, b).is_some_and(|[open, closed]| open > closed);
    "at most one side has a surplus" |a, b| surpluses(a, b).contains(&0);
    "each side has a surplus" |a, b| !surpluses(a, b).contains(&0);
    "the surpluses are of one total" |a, b| { let [m, n] = surpluses(a, b); m == n };
    "the surpluses are of different totals" |a, b| { let [m, n] = surpluses(a, b); m != n };
}
