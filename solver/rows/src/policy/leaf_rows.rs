//! Order in which leaf rows commit.
//!
//! The open rows below leaves are taken component by component of their inequalities, from below, found once: closing
//! binds no row to another, so that it adds no inequality between rows. A component is looked at again only when
//! something has changed in it or directly below it. It is in one of three states:
//!
//! - *clear*: no leaf with a final bound stands in it or below it; its own bounds are up to date;
//! - *ready*: nothing below it is in the way, and it has leaves whose bounds have no hole;
//! - *waiting*: for a component below that is ready or waiting, or for a leaf dimension in the bound of one of its
//!   rows.
//!
//! The bounds of a component are found when it is clear or ready, never while it waits, so that a chain of leaves finds
//! each bound once. A component that changes from clear to ready makes all above it wait. Leaves are the operands of a
//! program, which little lies above; where much does and one leaf after the other is found out, this is the part that
//! is not linear.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lozenge_vocabulary::Tag;
use lozenge_vocabulary::alignment::Flank;
use rustc_hash::FxHashMap;

use crate::ids::{ComponentId, DimVarId, IdVec, RowVarId};
use crate::policy::bounds::Bounds;
use crate::policy::components::Components;
use crate::policy::inheritance::Tags;
use crate::policy::leaf_dims::LeafDims;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Failure;
use crate::state::rows::Binding;
use crate::term::Term;

/// The progress of the closing of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unseen,
    Clear,
    Ready,
    Waiting,
}

/// The bound of a leaf row, in the order in which leaves commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Its bound has no hole.
    Known,
    /// Its bound has a hole: this dimension variable, which nothing bounds.
    Holed(Term),
    /// It has no bound.
    Unbounded,
}

/// The open leaf rows of one closing, and the rows below them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafRows {
    components: Components<RowVarId>,
    /// The component of each row variable that is, or is below, a leaf.
    of: IdVec<RowVarId, Option<ComponentId>>,
    state: IdVec<ComponentId, State>,
    /// For each component, true if its bounds have to be found again.
    stale: IdVec<ComponentId, bool>,
    queued: IdVec<ComponentId, bool>,
    due: BinaryHeap<Reverse<ComponentId>>,
    /// For each component the one that it waits for, the first of those that wait for it, and the next that waits for
    /// the same.
    waits_for: IdVec<ComponentId, Option<ComponentId>>,
    first_waiting: IdVec<ComponentId, Option<ComponentId>>,
    next_waiting: IdVec<ComponentId, Option<ComponentId>>,
    /// The leaves; those that are closed are dropped from the end.
    leaves: Vec<RowVarId>,
    ready: Vec<ComponentId>,
    /// Leaves that had a hole in their bound, or no bound, when they were looked at.
    holed: Vec<RowVarId>,
    unbounded: Vec<RowVarId>,
    /// Leaves of one of these kinds that wait for a component with another one of the same kind.
    parked: FxHashMap<ComponentId, Vec<RowVarId>>,
    /// For each row the last search that reached it, and the component of a candidate that was found below, if any.
    reached: IdVec<RowVarId, (u32, Option<ComponentId>)>,
    /// For each component the last search in which it has a candidate.
    candidates: IdVec<ComponentId, u32>,
    search: u32,
    pub(crate) bounds: Bounds,
}

impl LeafRows {
    /// Compares the component of a row variable that is, or is below, a leaf.
    pub(crate) fn component_of(&self, var: RowVarId) -> Option<ComponentId> {
        *self.of.get(var)?
    }

    fn is_blocking(&self, component: ComponentId) -> bool {
        matches!(self.state[component], State::Ready | State::Waiting)
    }

    /// Puts a component on the work list. One that was never looked at is going to be anyway.
    pub(crate) fn enqueue(&mut self, component: ComponentId) {
        if self.state[component] != State::Unseen && !self.queued[component] {
            self.queued[component] = true;
            self.due.push(Reverse(component));
        }
    }

    fn enqueue_stale(&mut self, var: RowVarId) {
        if let Some(component) = self.component_of(var) {
            self.stale[component] = true;
            self.enqueue(component);
        }
    }

    /// Lets a component wait for another one.
    fn wait(&mut self, component: ComponentId, below: ComponentId) {
        self.waits_for[component] = Some(below);
        self.next_waiting[component] = self.first_waiting[below].replace(component);
    }

    /// Looks again at the components that wait for one.
    fn release(&mut self, component: ComponentId) {
        let mut next = self.first_waiting[component].take();
        while let Some(waiting) = next {
            next = self.next_waiting[waiting].take();
            self.waits_for[waiting] = None;
            self.enqueue(waiting);
        }
    }

    /// Returns the members of a component.
    pub(crate) fn members(&self, component: ComponentId) -> &[RowVarId] {
        self.components.get(component)
    }

    /// Says whether no component is to be looked at or to be closed, and no leaf is parked.
    pub(crate) fn is_idle(&self) -> bool {
        self.due.is_empty() && self.ready.is_empty() && self.parked.is_empty()
    }

    /// Compares the component that waits for another one, when there is exactly one.
    pub(crate) fn only_waiting(&self, component: ComponentId) -> Option<ComponentId> {
        let waiting = (*self.first_waiting.get(component)?)?;
        self.next_waiting[waiting].is_none().then_some(waiting)
    }

    /// Notes that the only leaf of a component has been closed, and the only component that waits for it commits.
    pub(crate) fn go_on(&mut self, component: ComponentId, closed: RowVarId) {
        self.bounds.forget(closed);
        (self.state[component], self.stale[component]) = (State::Clear, false);
        if let Some(waiting) = self.first_waiting[component].take() {
            self.waits_for[waiting] = None;
        }
    }

    /// Moves the components with leaves whose bounds have no hole and that nothing is in the way of into an empty list.
    pub(crate) fn take_ready(&mut self, ready: &mut Vec<ComponentId>) {
        std::mem::swap(ready, &mut self.ready);
        ready.retain(|component| self.state[*component] == State::Ready);
        ready.sort_unstable();
        ready.dedup();
    }

    /// Lets every leaf that waits for another one of its kind be looked at again. False when none does.
    pub(crate) fn release_parked(&mut self) -> bool {
        let parked = std::mem::take(&mut self.parked);
        let any = !parked.is_empty();
        self.holed.extend(parked.into_values().flatten());
        any
    }
}

impl Engine {
    pub(crate) fn is_open_leaf(&self, var: RowVarId, tags: &Tags) -> bool {
        tags.row(var) != Tag::Interior && self.binding(var) == Binding::Open
    }

    /// Says whether a row, or one on a cycle with it, is a leaf that is still open. A leaf that has been closed is
    /// known, though other rows of its cycle may be open yet.
    pub(crate) fn has_open_leaf(&self, var: RowVarId, rows: &LeafRows, tags: &Tags) -> bool {
        let cycle = rows.component_of(var);
        let cycle = cycle.map_or(std::slice::from_ref(&var), |at| rows.members(at));
        cycle.iter().any(|row| self.is_open_leaf(*row, tags))
    }

    /// Returns the leaf rows, with everything that lies below them.
    pub(crate) fn leaf_rows(&self, tags: &Tags) -> LeafRows {
        let len = self.rows.nodes.len();
        let leaves: Vec<RowVarId> = self
            .rows
            .nodes
            .ids()
            .filter(|var| self.is_open_leaf(*var, tags))
            .collect();
        if leaves.is_empty() {
            return LeafRows::default();
        }
        let components = Components::of(len, leaves.iter().copied(), |var, into| {
            self.rows_beneath(var, into);
        });
        let count = components.len();
        let mut of = IdVec::of(len, None);
        for id in components.ids() {
            for var in components.get(id) {
                of[*var] = Some(id);
            }
        }
        LeafRows {
            components,
            of,
            state: IdVec::of(count, State::Unseen),
            stale: IdVec::of(count, true),
            queued: IdVec::of(count, false),
            waits_for: IdVec::of(count, None),
            first_waiting: IdVec::of(count, None),
            next_waiting: IdVec::of(count, None),
            leaves,
            ..LeafRows::default()
        }
    }

    /// Looks at every component of which something is new, from below.
    pub(crate) fn look_at_rows(
        &mut self,
        tags: &Tags,
        rows: &mut LeafRows,
        dims: &mut LeafDims,
    ) -> EngineResult {
        let mut changed = std::mem::take(&mut self.changed);
        while let Some(var) = rows.leaves.last()
            && !self.is_open_leaf(*var, tags)
        {
            rows.leaves.pop();
        }
        if rows.leaves.is_empty() {
            rows.due.clear();
            changed.clear();
            self.changed = changed;
            return Ok(());
        }
        changed.sort_unstable();
        changed.dedup();
        for var in changed.drain(..) {
            if !self.is_settled(var, rows) {
                rows.enqueue_stale(var);
            }
            let seen = self.each_row_above(var, |above| rows.enqueue_stale(above));
            self.count(1 + seen);
        }
        self.changed = changed;
        if rows.state.get(ComponentId::of(0)) == Some(&State::Unseen) {
            for component in rows.components.ids() {
                self.look_at_component(component, tags, rows, dims)?;
            }
        }
        while let Some(Reverse(component)) = rows.due.pop() {
            rows.queued[component] = false;
            self.look_at_component(component, tags, rows, dims)?;
        }
        Ok(())
    }

    /// Says whether a row is closed that is a component by itself. Nothing is left to find out about it, so the rows
    /// that wait for it are looked at next.
    fn is_settled(&self, var: RowVarId, rows: &mut LeafRows) -> bool {
        let Some(component) = rows.component_of(var) else {
            return true;
        };
        if rows.members(component).len() > 1
            || rows.waits_for[component].is_some()
            || rows.state[component] == State::Unseen
            || self.binding(var) == Binding::Open
        {
            return false;
        }
        rows.bounds.forget(var);
        (rows.state[component], rows.stale[component]) = (State::Clear, false);
        rows.release(component);
        if !rows.parked.is_empty() {
            rows.holed
                .extend(rows.parked.remove(&component).unwrap_or_default());
        }
        true
    }

    /// Goes through the rows of the inequalities above a row.
    ///
    /// Returns how many inequalities were looked at.
    pub(crate) fn each_row_above(&self, var: RowVarId, mut each: impl FnMut(RowVarId)) -> usize {
        let (mut next, mut seen) = (self.rows.nodes.at(var).results, 0);
        while let Some(id) = next {
            let inequality = self.rows.inequalities.at(id);
            if let Some(above) = inequality.right.filter(|above| *above != var) {
                each(above);
            }
            next = inequality.next_result;
            seen += 1;
        }
        seen
    }

    fn look_at_component(
        &mut self,
        component: ComponentId,
        tags: &Tags,
        rows: &mut LeafRows,
        dims: &mut LeafDims,
    ) -> EngineResult {
        let before = rows.state[component];
        let state = self.next_state(component, tags, rows, dims)?;
        rows.state[component] = state;
        if state == State::Ready {
            rows.ready.push(component);
        }
        if !rows.parked.is_empty() {
            rows.holed
                .extend(rows.parked.remove(&component).unwrap_or_default());
        }
        match (before, rows.is_blocking(component)) {
            (_, false) => rows.release(component),
            (State::Clear, true) => self.enqueue_above(component, false, rows),
            _ => {}
        }
        Ok(())
    }

    fn enqueue_above(&mut self, component: ComponentId, stale: bool, rows: &mut LeafRows) {
        for at in 0..rows.members(component).len() {
            let var = rows.members(component)[at];
            let seen = self.each_row_above(var, |above| match rows.component_of(above) {
                Some(other) if other != component && stale => rows.enqueue_stale(above),
                Some(other) if other != component => rows.enqueue(other),
                _ => {}
            });
            self.count(seen);
        }
    }

    fn next_state(
        &mut self,
        component: ComponentId,
        tags: &Tags,
        rows: &mut LeafRows,
        dims: &mut LeafDims,
    ) -> Result<State, Box<Failure>> {
        if rows.waits_for[component].is_some() {
            return Ok(State::Waiting);
        }
        let mut seen = 1;
        let below = self.blocking_below(component, rows, &mut seen);
        self.step(seen)?;
        if let Some(below) = below {
            rows.wait(component, below);
            return Ok(State::Waiting);
        }
        if let [var] = *rows.members(component)
            && self.is_open_leaf(var, tags)
            && self.closed_only_cap(var).is_some()
        {
            return Ok(State::Ready);
        }
        let stale = std::mem::take(&mut rows.stale[component]);
        let members = rows.components.get(component);
        let renewed = stale && self.renew_bounds(members, &mut rows.bounds)?;
        // Components are seen from below, so that what lies above one that was not seen yet is going to be looked at.
        if renewed && rows.state[component] != State::Unseen {
            self.enqueue_above(component, true, rows);
        }
        let mut state = State::Clear;
        for at in 0..rows.members(component).len() {
            let var = rows.members(component)[at];
            // The rows above wait as well, although fewer axes of this row may reach them.
            let leaf = self.bounded_leaf_in_bound(var, &rows.bounds, dims);
            self.count(dims.take_seen());
            if let Some(root) = leaf {
                dims.await_class(root, component);
                return Ok(State::Waiting);
            }
            if !self.is_open_leaf(var, tags) {
                continue;
            }
            match self.standing(var, &rows.bounds) {
                Standing::Known => state = State::Ready,
                Standing::Holed(hole) => {
                    dims.await_class(hole.id(), component);
                    rows.holed.push(var);
                }
                Standing::Unbounded => rows.unbounded.push(var),
            }
        }
        Ok(state)
    }

    /// Compares a component directly below another one that has to be closed before it.
    fn blocking_below(
        &self,
        component: ComponentId,
        rows: &LeafRows,
        seen: &mut usize,
    ) -> Option<ComponentId> {
        let is_blocking = |low: RowVarId| {
            let below = rows.component_of(low)?;
            (below != component && rows.is_blocking(below)).then_some(below)
        };
        let members = rows.members(component).iter();
        members
            .copied()
            .find_map(|var| self.find_row_beneath(var, seen, is_blocking))
    }

    /// Classifies an open row whose bound is up to date.
    pub(crate) fn standing(&self, var: RowVarId, bounds: &Bounds) -> Standing {
        let Some(bound) = bounds.get(var) else {
            return Standing::Unbounded;
        };
        let known = self.rows.nodes.at(var).len;
        for flank in Flank::BOTH {
            for position in known[flank]..bound.len[flank] {
                let axis = bounds.axis(var, flank, position);
                let root = axis.map_or(Term::UNIT, |axis| self.dims.peek(axis));
                if root.is_var() && self.dims.cap(root).is_none() {
                    return Standing::Holed(root);
                }
            }
        }
        Standing::Known
    }

    /// Returns a bounded leaf dimension among the axes of a row's bound or below one of them.
    fn bounded_leaf_in_bound(
        &self,
        var: RowVarId,
        bounds: &Bounds,
        dims: &mut LeafDims,
    ) -> Option<DimVarId> {
        let bound = bounds.get(var)?;
        let known = self.rows.nodes.at(var).len;
        for flank in Flank::BOTH {
            dims.see(bound.len[flank] as usize);
            for position in known[flank]..bound.len[flank] {
                let axis = bounds.axis(var, flank, position);
                let root = axis.map_or(Term::UNIT, |axis| self.dims.peek(axis));
                if root.is_var()
                    && let Some(below) = self.bounded_leaf_at(root, dims)
                {
                    return Some(below);
                }
            }
        }
        None
    }

    /// Returns the leaves with a hole in their bound that have no other such leaf below them.
    pub(crate) fn ready_holed(&mut self, tags: &Tags, rows: &mut LeafRows) -> Vec<RowVarId> {
        let mut leaves = std::mem::take(&mut rows.holed);
        let is_holed = |var: &RowVarId, rows: &LeafRows| {
            self.is_open_leaf(*var, tags)
                && matches!(self.standing(*var, &rows.bounds), Standing::Holed(_))
        };
        // Leaves without a bound may have been parked with these.
        let unbounded =
            |var: &RowVarId| self.is_open_leaf(*var, tags) && rows.bounds.get(*var).is_none();
        rows.unbounded
            .extend(leaves.iter().copied().filter(unbounded));
        leaves.retain(|var| is_holed(var, rows));
        self.lowest(leaves, rows)
    }

    /// Returns the leaves without a bound that have no other such leaf below them.
    pub(crate) fn ready_unbounded(&mut self, tags: &Tags, rows: &mut LeafRows) -> Vec<RowVarId> {
        let mut leaves = std::mem::take(&mut rows.unbounded);
        leaves.retain(|var| self.is_open_leaf(*var, tags) && rows.bounds.get(*var).is_none());
        self.lowest(leaves, rows)
    }

    /// Returns the minimal ones of some leaves: none of the others lies below them, except within their own component.
    /// The others are parked.
    fn lowest(&mut self, mut leaves: Vec<RowVarId>, rows: &mut LeafRows) -> Vec<RowVarId> {
        leaves.sort_unstable();
        leaves.dedup();
        rows.search += 1;
        rows.reached.resize(self.rows.nodes.len(), (0, None));
        rows.candidates.resize(rows.components.len(), 0);
        for var in &leaves {
            if let Some(component) = rows.component_of(*var) {
                rows.candidates[component] = rows.search;
            }
        }
        let mut seen = leaves.len();
        leaves.retain(|var| match self.candidate_below(*var, rows, &mut seen) {
            Some(below) => {
                rows.parked.entry(below).or_default().push(*var);
                false
            }
            None => true,
        });
        self.count(seen);
        leaves
    }

    /// Compares the component of a candidate of the search below an open row, other than the row's own.
    fn candidate_below(
        &self,
        from: RowVarId,
        rows: &mut LeafRows,
        seen: &mut usize,
    ) -> Option<ComponentId> {
        let own = rows.component_of(from);
        let (mut stack, mut beneath, mut found) = (vec![(from, false)], Vec::new(), None);
        while found.is_none()
            && let Some((var, searched)) = stack.pop()
        {
            let component = rows.component_of(var);
            if searched {
                continue;
            }
            if component != own
                && let Some(below) = component
                && rows.candidates[below] == rows.search
            {
                found = Some(below);
            } else if rows.reached[var].0 == rows.search {
                let (_, below) = rows.reached[var];
                found = below;
            } else {
                rows.reached[var] = (rows.search, None);
                stack.push((var, true));
                *seen += 1 + self.rows_beneath(var, &mut beneath);
                stack.extend(beneath.drain(..).map(|low| (low, false)));
            }
        }
        for (var, searched) in stack {
            if searched && let Some(below) = found {
                rows.reached[var] = (rows.search, Some(below));
            }
        }
        found
    }
}
