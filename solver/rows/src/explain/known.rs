//! Facts about a row while its problem still grows.

use lozenge_vocabulary::Row;

use crate::ids::RowVarId;
use crate::state::engine::{Engine, EngineResult};
use crate::state::rows::Binding;
use crate::term::RowId;

/// The value of a row in a solved form, as far as it is forced.
///
/// Solving concludes what the constraints force, and places markers that an inequality asks about. It closes nothing: a
/// row that may have more axes stays open, and an axis whose size nothing says has none. Constraints that are added
/// later can only make more known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The row at its top: it ends where it is known to end, and an axis without a size is `1∅`. As long as nothing is
    /// a parameter or a leaf, this is what closing gives the row (Prop. 5.4).
    pub row: Row,
    /// True if the row may have more axes at its marker.
    pub open: bool,
    /// True if the place of the marker among the axes is still to be chosen.
    pub unplaced: bool,
    /// The number of its axes that have no size yet.
    pub unknown_sizes: usize,
}

impl Known {
    /// Says whether closing and constraints that are added later leave the row as it is, or are refused.
    pub fn is_settled(&self) -> bool {
        !self.open && !self.unplaced && self.unknown_sizes == 0
    }
}

impl Engine {
    /// Gives every axis of a row a term.
    pub(crate) fn write_row(&mut self, row: RowId) -> EngineResult {
        let mut var = row.var;
        while let Some(known) = var.filter(|var| self.rows.knows(*var)) {
            self.write_all(known)?;
            var = self.rest_of(known);
        }
        // An axis that was written down may have become the root of a class whose size is known.
        if self.sizes.is_on {
            self.settle()?;
            self.decide_sizes()?;
        }
        Ok(())
    }

    /// Returns the variable in the content of another one, if there is one.
    fn rest_of(&self, var: RowVarId) -> Option<RowVarId> {
        match self.binding(var) {
            Binding::Content(content) | Binding::Alias(content) => {
                self.row(self.rows.contents.at(content).row).var
            }
            Binding::Open | Binding::Closed => None,
        }
    }

    /// Returns the last variable in the content of the content of a row variable, or the variable itself.
    pub(crate) fn last_of(&self, var: RowVarId) -> RowVarId {
        let known = |var: &RowVarId| self.rows.knows(*var);
        let inner = |var: &RowVarId| self.rest_of(*var).filter(known);
        let vars = std::iter::successors(Some(var).filter(known), inner);
        vars.last().unwrap_or(var)
    }

    /// Says whether a row may have more axes, and whether a marker in it has no place yet.
    pub(crate) fn end_of(&self, row: RowId) -> (bool, bool) {
        let (mut var, mut unplaced) = (row.var, false);
        while let Some(known) = var {
            if !self.rows.knows(known) {
                return (true, unplaced);
            }
            match self.binding(known) {
                Binding::Open => return (true, unplaced),
                Binding::Content(_) => unplaced = true,
                Binding::Closed | Binding::Alias(_) => {}
            }
            var = self.rest_of(known);
        }
        (false, unplaced)
    }
}
