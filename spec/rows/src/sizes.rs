//! The known facts about sizes (§8): records in B, and the windows that wait.
//!
//! B records a fact about an unsolved variable as a constraint of the notation: `α = 1*α` says that α is an atom, and
//! `n = 1*1 + α` that its size is n.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use crate::bounds::Bounds;
use crate::cause::{Cause, Pending};
use crate::records::{has_size, is_atom};
use lozenge_vocabulary::composite::Composition;
use lozenge_vocabulary::constraint::Constraint::{self, DimLe};
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::term::{DimTerm, DimVar};
use lozenge_vocabulary::window::Window;

/// The input of the rules of sizes: the store, and the constraints that wait.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    /// B.
    pub bounds: &'a Bounds,
    /// The constraints that wait.
    pub deferred: &'a [Pending],
}

impl<'a> Sizes<'a> {
    fn known(&self, record: &Constraint) -> Option<&'a Cause> {
        let mut all = self.bounds.iter();
        all.find_map(|(bound, cause)| (bound == record).then_some(cause))
    }

    /// Returns the cause for which a variable is an atom, if it is known to be one.
    pub fn atom(&self, var: &DimVar) -> Option<&'a Cause> {
        self.known(&is_atom(var))
    }

    /// Returns the size of a term, and why it has it.
    pub fn size(&self, term: &DimTerm) -> Option<(u64, Cause)> {
        let var = match term {
            DimTerm::Const(dim) => return Some((dim.size(), Cause::default())),
            DimTerm::Var(var) => var,
        };
        self.bounds.iter().find_map(|(bound, cause)| match bound {
            Constraint::Window(Window {
                axis: DimTerm::Const(dim),
                ..
            }) if NonZeroU64::new(dim.size()).is_some_and(|size| *bound == has_size(var, size)) => {
                Some((dim.size(), cause.clone()))
            }
            _ => None,
        })
    }

    /// Returns the basis of a term: its own, or that of an atom that a chain of waiting windows and concatenations
    /// connects with it, since each of these relates axes of one basis.
    pub fn basis(&self, term: &DimTerm) -> Option<(Basis, Cause)> {
        let mut seen = BTreeSet::new();
        let mut due = vec![(term.clone(), Cause::default())];
        while let Some((term, cause)) = due.pop() {
            if let DimTerm::Const(Dim::Atom { basis, .. }) = &term {
                return Some((basis.clone(), cause));
            }
            if !seen.insert(term.clone()) {
                continue;
            }
            for waiting in self.deferred {
                let ends = of_one_basis(&waiting.constraint);
                if ends.contains(&&term) {
                    let cause = cause.and(&waiting.cause);
                    due.extend(ends.into_iter().map(|end| (end.clone(), cause.clone())));
                }
            }
        }
        None
    }

    /// Returns the stored bounds below a variable.
    pub fn below(&self, var: &DimVar) -> Vec<(Constraint, Cause)> {
        let stored = self.bounds.iter();
        let below = stored
            .filter(|(bound, _)| matches!(bound, DimLe(_, DimTerm::Var(high)) if high == var));
        below
            .map(|(bound, cause)| (bound.clone(), cause.clone()))
            .collect()
    }
}

/// Returns the axes that have the same basis by a constraint.
fn of_one_basis(constraint: &Constraint) -> Vec<&DimTerm> {
    match constraint {
        Constraint::Window(window) => vec![&window.axis, &window.over],
        Constraint::Composite(composite) if composite.composition == Composition::Concat => {
            composite.axes().collect()
        }
        _ => Vec::new(),
    }
}
