//! Flanks whose axes an operand pins.
//!
//! A row that gets its first axes of a flank from an operand all of whose axes are atoms has just these atoms (DI-pin).
//! They get no variables of their own: the flank has the operand's terms as its axes, and the reason for the flank's
//! length is also the reason for its axes. Where the operand is a row variable alone, the two rows share the storage of
//! the axes.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::Flank;

use crate::ids::{InequalityId, RowVarId};
use crate::state::engine::Engine;
use crate::state::inferences::Reason;
use crate::state::rows::{Binding, Inequality, Storage};
use crate::term::{RowId, Term};

/// The number of axes that are copied where an operand writes some out and has a variable for the others. In a chain of
/// rows each longer than the next they would be quadratically many.
const COPIED: u32 = 8;

impl Engine {
    /// Gives the variable of an inequality's result its first `count` axes of a flank, which has had none, when the
    /// operand pins all of them.
    pub(crate) fn pin_flank(&mut self, at: InequalityId, left: RowVarId, flank: Flank, count: u32) {
        let inequality = self.rows.inequalities.get(at);
        if self.rows.room(left, flank) != 0 {
            return;
        }
        if !inequality.is_variable {
            self.copy_pinned(inequality, left, flank, count);
            return;
        }
        // The result writes nothing out, so that what the operand writes out is all surplus.
        let written = inequality.surplus[flank] as u32;
        let pinned = match inequality.right {
            Some(right) if written == 0 && self.is_pinned(right, flank, count) => {
                self.rows.share_storage(right, left, flank);
                true
            }
            _ => self.copy_pinned(inequality, left, flank, count),
        };
        if pinned {
            self.rows.inequalities.edit(at).done[flank] = count;
        }
    }

    /// Copies the axes that the variable of the result faces, when all are atoms and few or written out.
    fn copy_pinned(
        &mut self,
        inequality: Inequality,
        var: RowVarId,
        flank: Flank,
        count: u32,
    ) -> bool {
        let (result, operand) = (self.row(inequality.row), self.row(inequality.row.right()));
        let first = result.flank(flank);
        let axes = first..first + count;
        if count > COPIED.max(operand.flank(flank).saturating_sub(first))
            || !axes.clone().all(|at| self.is_atom_at(operand, flank, at))
        {
            return false;
        }
        // From the last one, so that room is made once.
        for at in axes.rev() {
            let axis = self.axis(operand, flank, at).unwrap_or(Term::UNIT);
            self.write_axis(var, flank, at - first, axis);
        }
        self.rows.nodes.edit(var).storage[flank] = Storage::Pinned;
        true
    }

    fn is_atom_at(&mut self, row: RowId, flank: Flank, position: u32) -> bool {
        let axis = self.axis(row, flank, position);
        axis.is_some_and(|axis| self.is_atom(axis))
    }

    fn is_atom(&mut self, term: Term) -> bool {
        let root = self.dims.find(term);
        !root.is_var() && root != Term::UNIT
    }

    /// Says whether the first `count` axes of a flank are atoms.
    fn is_pinned(&mut self, var: RowVarId, flank: Flank, count: u32) -> bool {
        if self.rows.axis(var, flank, count - 1).is_none() {
            return false;
        }
        self.count(count as usize);
        // An open row shares the axes of another one only where they are pinned. A closed leaf may share any values,
        // units among them, and nothing is pinned by a unit above it.
        let node = self.rows.nodes.at(var);
        (node.storage[flank] != Storage::Owned && node.binding == Binding::Open)
            || (0..count).all(|position| {
                let axis = self.rows.axis(var, flank, position);
                axis.is_some_and(|axis| self.is_atom(axis))
            })
    }

    /// Returns the reason for the axes of a flank, where they are not variables with reasons of their own.
    pub(crate) fn axes_reason(&mut self, var: RowVarId, flank: Flank) -> Option<Reason> {
        let node = self.rows.nodes.at(var);
        let (fixed, grown) = (node.fixed, node.length_reasons[flank]);
        if node.storage[flank] != Storage::Owned {
            self.inferences.both(Rule::RiDeficit, fixed, grown)
        } else {
            fixed
        }
    }
}
