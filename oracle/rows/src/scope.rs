//! The scope of a question: its constraints and variables, and the lengths that its rows may have to have.

use std::collections::BTreeSet;

use lozenge_vocabulary::{Constraint, ConstraintSet, DimVar, RowTerm, Var};

use crate::limits::Reason;
use crate::overlap::{self, Overlaps};
use crate::symbols::Symbols;
use crate::unbounded::has_unbounded_product;

/// The constraints that a question is about, and the variables that are in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'a> {
    pub constraints: Vec<&'a Constraint>,
    pub vars: BTreeSet<Var>,
    /// Constraints that are not asserted but asked about; they count for the size of the window.
    pub goals: Vec<&'a Constraint>,
    /// Pairs of rows: the variable of the second has its marker at the place of the first row's marker, if possible.
    pub aligned: Vec<(RowTerm, RowTerm)>,
    /// The variables that may be 0 (§8).
    pub summands: BTreeSet<DimVar>,
    /// The variables of `summands` that are 0.
    pub zeros: BTreeSet<DimVar>,
}

impl<'a> Scope<'a> {
    pub fn new(constraints: &'a [Constraint], vars: BTreeSet<Var>) -> Scope<'a> {
        Scope {
            constraints: constraints.iter().collect(),
            vars,
            ..Scope::default()
        }
    }

    /// Returns the scope of a question about a whole set.
    pub fn of(set: &'a ConstraintSet) -> Scope<'a> {
        Scope {
            summands: set.summands.clone(),
            ..Scope::new(&set.constraints, set.vars())
        }
    }

    /// Tells whether a constraint is about sizes.
    pub fn is_of_sizes(&self) -> bool {
        let mut all = self.constraints.iter().chain(&self.goals);
        all.any(|constraint| constraint.is_of_sizes())
    }

    /// Returns the reason why Z3 has no answer, in view of what it was asked: it may never find one for a product of
    /// sizes that nothing bounds, whatever time it has.
    pub fn put_down(&self, reason: Reason) -> Reason {
        let has_no_end = matches!(reason, Reason::Time | Reason::Solver(_));
        match has_no_end && has_unbounded_product(&self.constraints) {
            true => Reason::Form("a product of unbounded sizes".to_owned()),
            false => reason,
        }
    }

    /// Returns the overlaps of the constraints.
    pub fn overlaps(&self, symbols: &mut Symbols) -> Overlaps {
        overlap::overlaps(self.constraints.iter().copied(), symbols)
    }

    /// Returns the windows to try: at first the longest row that is written or that equations need, then doubled up to
    /// the rank bound.
    pub fn windows(&self, widest: u32) -> Vec<u32> {
        let rows = || {
            let all = self.constraints.iter().chain(&self.goals);
            all.flat_map(|constraint| row_terms(constraint))
        };
        let longest = rows().map(RowTerm::explicit).max().unwrap_or(0) as u32;
        let reach = self.overlaps(&mut Symbols::default()).reach;
        let first = longest.max(reach.min(widest)) + 1;
        let bound = self.rank_bound().min(widest).max(first);
        let doubled = std::iter::successors(Some(first), |w| Some(w * 2));
        let mut windows: Vec<u32> = doubled.take_while(|&w| w < bound).collect();
        windows.push(bound);
        windows
    }

    /// Returns the rank bound: the number of explicit axes, and the rank that periods need.
    pub fn rank_bound(&self) -> u32 {
        let all = self.constraints.iter().chain(&self.goals);
        let explicit: usize = all
            .flat_map(|constraint| row_terms(constraint))
            .map(RowTerm::explicit)
            .sum();
        explicit as u32 + self.overlaps(&mut Symbols::default()).reach + 1
    }
}

fn row_terms(constraint: &Constraint) -> impl Iterator<Item = &RowTerm> {
    let terms = match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => [Some(a), Some(b)],
        _ => [None, None],
    };
    terms.into_iter().flatten()
}
