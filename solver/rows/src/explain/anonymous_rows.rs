//! Names for anonymous rows.
//!
//! Solving makes up an anonymous row for the axes between the known flanks of a row. A reader knows only the second
//! row, so the anonymous one is called the *middle* of it, and a commitment of the middle is told as a commitment of
//! that row.

use lozenge_vocabulary::{RowTerm, RowVar};

use crate::ids::{RowTermId, RowVarId};
use crate::state::engine::Engine;
use crate::state::rows::{Binding, Middles};

impl Engine {
    fn middles(&self) -> &Middles {
        self.middles.get_or_init(|| {
            let mut around = Middles::default();
            for var in self.rows.nodes.ids() {
                if let Binding::Alias(content) = self.binding(var)
                    && let Some(inner) = self.row(self.rows.contents.at(content).row).var
                    && !self.problem.row_names.is_named(inner)
                {
                    around.insert(inner, var);
                }
            }
            // Each row of a chain is led to its end once.
            let mut path = Vec::new();
            for start in self.rows.nodes.ids() {
                let mut end = start;
                while let Some(outer) = around.get(&end) {
                    path.push(end);
                    end = *outer;
                }
                for inner in path.drain(..) {
                    around.insert(inner, end);
                }
            }
            around
        })
    }

    /// Returns the row with a name that a row is, or in which it is the middle.
    pub(crate) fn outer_row(&self, var: RowVarId) -> RowVarId {
        match self.problem.row_names.is_named(var) {
            true => var,
            false => self.middles().get(&var).copied().unwrap_or(var),
        }
    }

    /// Returns the name under which a row variable is told.
    pub(crate) fn row_called(&self, var: RowVarId) -> RowVar {
        match self.outer_row(var) {
            outer if outer == var => self.problem.row_var(var),
            outer => RowVar::new(&format!("middle of {}", self.problem.row_var(outer).name())),
        }
    }

    /// Returns a row term in which variables are called so.
    pub(crate) fn row_shown(&self, row: RowTermId) -> RowTerm {
        let mut shown = self.problem.show_row(row);
        shown.var = self.row(row).var.map(|var| self.row_called(var));
        shown
    }
}
