//! Chains of leaves, each of which waits for the one below it alone.
//!
//! Each leaf of a chain is a round of its own ([`crate::policy::closing`]), because what it commits may change what is
//! known of the next one. Between two such rounds nothing else is to be looked at. So the next leaf is found from the
//! last one directly where all of this holds: no work list has an entry, exactly one leaf waits for the last one,
//! nothing else has changed, and nothing lies below the next leaf that it would have to wait for. Everywhere else the
//! next round is found from the lists.

use crate::ids::{ComponentId, DimVarId, InequalityId, RowVarId};
use crate::policy::closing::Leaves;
use crate::policy::leaf_dims::Near;
use crate::state::engine::{Engine, EngineResult};
use crate::term::Term;

impl Engine {
    /// Closes a bounded leaf dimension that is a round by itself, and those that follow it in a chain.
    pub(crate) fn close_dim_chain(&mut self, first: Term, leaves: &mut Leaves) -> EngineResult {
        let mut term = first;
        loop {
            self.close_bounded_dim(term)?;
            match self.next_dim_in_chain(term.id(), leaves) {
                Some(next) => term = Term::var(next),
                None => return Ok(()),
            }
        }
    }

    /// Returns the leaf dimension that is the next round, when that is clear without a look at any list.
    fn next_dim_in_chain(&mut self, last: DimVarId, leaves: &mut Leaves) -> Option<DimVarId> {
        let next = leaves.dims.only_waiting(last)?;
        let idle = self.changed.is_empty()
            && leaves.tags.due.is_empty()
            && leaves.dims.is_idle()
            && leaves.rows.is_idle();
        let constant = |class: DimVarId| !self.dims.peek(Term::var(class)).is_var();
        let alone = |class: DimVarId| class == last || !leaves.dims.is_awaited(class);
        let mut touched = self.dims.touched().iter();
        if !idle || !touched.all(|class| constant(*class) && alone(*class)) {
            return None;
        }
        let root = Term::var(next);
        let free =
            self.dims.peek(root) == root && self.near_below(next, &leaves.dims) == Near::NoLeaf;
        if !free {
            return None;
        }
        for class in self.dims.touched() {
            leaves.dims.forget_bounded(*class);
        }
        self.dims.clear_touched();
        leaves.dims.go_on(last, next);
        Some(next)
    }

    /// Closes, after a round of one component, the leaf rows that follow it in a chain: rows of which nothing is known
    /// but one closed row of values below them.
    pub(crate) fn close_row_chain(
        &mut self,
        first: ComponentId,
        leaves: &mut Leaves,
    ) -> EngineResult {
        let mut component = first;
        while let Some((next, at, low)) = self.next_row_in_chain(component, leaves) {
            component = next;
            let var = leaves.rows.members(component)[0];
            self.close_like_only_cap(var, at, low);
            self.solve()?;
            self.tag_minted_axes(&mut leaves.tags);
        }
        Ok(())
    }

    /// Returns the component that is the next round, when that is clear without a look at any list; with the inequality
    /// and the row that its leaf is closed to.
    fn next_row_in_chain(
        &mut self,
        last: ComponentId,
        leaves: &mut Leaves,
    ) -> Option<(ComponentId, InequalityId, RowVarId)> {
        let next = leaves.rows.only_waiting(last)?;
        let ([closed], [var]) = (leaves.rows.members(last), leaves.rows.members(next)) else {
            return None;
        };
        let (closed, var) = (*closed, *var);
        let idle = self.dims.is_untouched()
            && leaves.tags.due.is_empty()
            && leaves.dims.is_idle()
            && leaves.rows.is_idle()
            && self.changed.iter().all(|row| *row == closed);
        if !idle || !self.is_open_leaf(var, &leaves.tags) {
            return None;
        }
        let mut others = false;
        self.each_row_above(closed, |above| others |= above != var);
        if others {
            return None;
        }
        let (at, low) = self.closed_only_cap(var)?;
        self.changed.clear();
        leaves.rows.go_on(last, closed);
        Some((next, at, low))
    }
}
