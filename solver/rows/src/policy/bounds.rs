//! The bound of a row variable: the join of everything that is known to lie below it (Prop. 2.7, Def. 6.1).
//!
//! A *cap* of a row variable s is an inequality `l·⟨σ⟩·r ⊑ a·⟨s⟩·b` between unsolved rows, or one with a closed result.
//! The axes that the result has beyond `a`, `b` and the known axes of s lie below the rest of s. The bound of s takes
//! the shorter of its caps' flanks, and at each position the join of their axes. Where σ has a bound itself, that bound
//! stands for σ, so that ground bounds are forwarded through rows that nobody has closed.
//!
//! Three cases need care:
//!
//! - A cap that is a bare variable without a bound, with no axes of its own, is an adjacency (Def. 4.1). It adds
//!   nothing to the bound, and a row that has no other caps has no bound.
//! - In a cap with axes of its own, a variable without a bound stands for no further axes.
//! - A bound may rest on itself, as that of r in `[3 <r>] <= <r>` does. Bounds of a component of the inequalities are
//!   found from the caps that do not depend on the component. Where there are none, the caps with axes of their own
//!   begin, with no axes for the variables of the component; everything else follows from them.
//!
//! The axes of a bound are dimension variables above the axes that they join. An atom arrives at them as at every
//! dimension variable, whenever it becomes known (DI-cap). They lie below nothing else, so no conclusion uses them
//! except the value to which a leaf is closed.

mod axes;

use std::collections::VecDeque;

use lozenge_vocabulary::Tag;
use lozenge_vocabulary::alignment::{Flank, PerFlank};

use crate::ids::{BoundId, Id, IdVec, InequalityId, RowVarId};
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Failure, Reason};
use crate::state::rows::Binding;
use crate::term::{RowId, Term};

/// The bound of a row variable: from the outer edges, its known axes included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bound {
    pub(crate) len: PerFlank<u32>,
    /// The numbers of axes that the variable was known to have when the axes were found.
    from: PerFlank<u32>,
    /// The places of the axes from there on, and the position up to which they have been found.
    axes: PerFlank<u32>,
    until: PerFlank<u32>,
    pub(crate) reason: Option<Reason>,
}

/// The bounds of the row variables that have caps, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    /// The bound of each variable that has one.
    numbers: IdVec<RowVarId, Option<BoundId>>,
    list: Vec<Bound>,
    /// None while nothing is known to be below an axis.
    axes: Vec<Option<Term>>,
    /// The component in work, and for each variable the last one that it was in.
    component: u32,
    components: IdVec<RowVarId, u32>,
    /// Rows whose axes are to be joined, and the caps of one of them: lists that are used again for each component.
    due: VecDeque<RowVarId>,
    caps: Vec<Cap>,
    /// The inequalities that have been looked at and are not counted as work yet.
    seen: usize,
}

impl Bounds {
    pub(crate) fn get(&self, var: RowVarId) -> Option<&Bound> {
        let bound = (*self.numbers.get(var)?)?;
        self.list.get(bound.index())
    }

    fn get_mut(&mut self, var: RowVarId) -> Option<&mut Bound> {
        let bound = (*self.numbers.get(var)?)?;
        self.list.get_mut(bound.index())
    }

    fn insert(&mut self, var: RowVarId, bound: Bound) {
        *self.numbers.entry(var, None) = Some(BoundId::at(self.list.len()));
        self.list.push(bound);
    }

    fn enter(&mut self, component: &[RowVarId]) {
        self.component += 1;
        for var in component {
            *self.components.entry(*var, 0) = self.component;
        }
    }

    /// Says whether a variable is in the component in work.
    fn is_inside(&self, var: RowVarId) -> bool {
        self.components.get(var) == Some(&self.component)
    }

    pub(crate) fn forget(&mut self, var: RowVarId) {
        if let Some(number) = self.numbers.get_mut(var) {
            *number = None;
        }
    }

    /// Gives up the bound that was found last, when it is that of a variable that is closed now: it is not asked for
    /// any more.
    pub(crate) fn drop_last(&mut self, var: RowVarId) {
        let Some(Some(bound)) = self.numbers.get(var).copied() else {
            return;
        };
        if bound.index() + 1 == self.list.len()
            && let Some(bound) = self.list.pop()
        {
            self.axes.truncate(bound.axes[Flank::Leading] as usize);
            self.numbers[var] = None;
        }
    }

    /// Returns the axis of a variable's bound at a position beyond the axes that the variable is known to have.
    pub(crate) fn axis(&self, var: RowVarId, flank: Flank, position: u32) -> Option<Term> {
        self.place(var, flank, position)?
    }

    /// Returns the same; `Some(None)` for an axis of which nothing is known yet.
    fn place(&self, var: RowVarId, flank: Flank, position: u32) -> Option<Option<Term>> {
        let bound = self.get(var)?;
        let at = position.checked_sub(bound.from[flank])?;
        (position < bound.until[flank]).then(|| self.axes[(bound.axes[flank] + at) as usize])
    }
}

/// The reading of a variable whose bound is not known yet, where it is in the component whose bounds are being found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    /// Caps with it are left out.
    LeftOut,
    /// It has no axes beyond the known ones.
    Empty,
}

/// A cap: the number of its inequality, and its rows.
#[derive(Clone, Copy, Debug)]
struct Cap {
    id: InequalityId,
    left: RowId,
    right: RowId,
}

impl Engine {
    /// Goes through the caps of an open row variable. `⟨s⟩ ⊑ ⟨s⟩` with nothing more around it says nothing; and the
    /// inequalities of a variable that became an alias have been registered again for the variable that it is an alias
    /// of. Returns how many inequalities were looked at.
    fn each_cap(&self, var: RowVarId, mut each: impl FnMut(Cap)) -> usize {
        let (mut at, mut seen) = (self.rows.nodes.at(var).operands, 0);
        while let Some(id) = at {
            let inequality = self.rows.inequalities.at(id);
            let (left, right) = (self.row(inequality.row), self.row(inequality.row.right()));
            let is_alias = |var| matches!(self.binding(var), Binding::Alias(_));
            let stale = left.var.is_some_and(is_alias);
            let nothing = left.var == Some(var) && inequality.surplus == PerFlank::both(0);
            if !stale && !nothing {
                each(Cap { id, left, right });
            }
            at = inequality.next_operand;
            seen += 1;
        }
        seen
    }

    /// Returns the inequality and the variable of the only cap of an open row, when both sides of it are variables
    /// alone.
    pub(crate) fn only_cap(&self, var: RowVarId) -> Option<(InequalityId, RowVarId)> {
        let (mut found, mut caps) = (None, 0);
        self.each_cap(var, |cap| {
            let inequality = self.rows.inequalities.at(cap.id);
            let alone = inequality.is_variable && inequality.surplus == PerFlank::both(0);
            found = inequality.left.filter(|_| alone).map(|low| (cap.id, low));
            caps += 1;
        });
        found.filter(|_| caps == 1)
    }

    /// Says whether the caps of an open row whose variables are `inside` have as many axes beside them as it has.
    pub(crate) fn is_level_within(&self, var: RowVarId, inside: impl Fn(RowVarId) -> bool) -> bool {
        let mut level = true;
        self.each_cap(var, |cap| {
            let surplus = self.rows.inequalities.at(cap.id).surplus;
            level &= surplus == PerFlank::both(0) || !cap.left.var.is_some_and(&inside);
        });
        level
    }

    /// Goes through the open rows in the caps of an open row. Returns how many inequalities were looked at.
    pub(crate) fn rows_beneath(&self, var: RowVarId, into: &mut Vec<RowVarId>) -> usize {
        if self.binding(var) != Binding::Open {
            return 0;
        }
        let is_open = |low: &RowVarId| self.binding(*low) == Binding::Open;
        self.each_cap(var, |cap| into.extend(cap.left.var.filter(is_open)))
    }

    /// Returns the first thing that is found of an open row in the caps of an open row. The inequalities that were
    /// looked at are added to `seen`.
    pub(crate) fn find_row_beneath<T>(
        &self,
        var: RowVarId,
        seen: &mut usize,
        find: impl Fn(RowVarId) -> Option<T>,
    ) -> Option<T> {
        let mut found = None;
        if self.binding(var) == Binding::Open {
            *seen += self.each_cap(var, |cap| {
                if found.is_none()
                    && let Some(low) = cap.left.var
                    && self.binding(low) == Binding::Open
                {
                    found = find(low);
                }
            });
        }
        found
    }

    /// Finds the bounds of the rows of one component of the caps. The bounds of everything below are known. Returns
    /// whether the extent of one of them is another one than before.
    pub(crate) fn renew_bounds(
        &mut self,
        component: &[RowVarId],
        bounds: &mut Bounds,
    ) -> Result<bool, Box<Failure>> {
        let extent = |bounds: &Bounds, var: RowVarId| bounds.get(var).map(|bound| bound.len);
        if let [var] = *component {
            let before = extent(bounds, var);
            bounds.forget(var);
            if self.binding(var) == Binding::Open {
                bounds.enter(component);
                self.find_extent(var, bounds);
                if bounds.get(var).is_some() {
                    self.find_axes(component, bounds)?;
                }
            }
            return Ok(extent(bounds, var) != before);
        }
        let before: Vec<_> = component.iter().map(|var| extent(bounds, *var)).collect();
        component.iter().for_each(|var| bounds.forget(*var));
        let open: Vec<RowVarId> = component
            .iter()
            .copied()
            .filter(|var| self.binding(*var) == Binding::Open)
            .collect();
        bounds.enter(&open);
        self.find_extents(&open, bounds)?;
        let bounded: Vec<RowVarId> = open
            .into_iter()
            .filter(|var| bounds.get(*var).is_some())
            .collect();
        self.find_axes(&bounded, bounds)?;
        let mut after = component.iter().map(|var| extent(bounds, *var));
        Ok(before.iter().any(|len| after.next() != Some(*len)))
    }

    /// Finds how far the bound of a row reaches that is a component by itself. A cap in which the row itself stands
    /// says how long the bound is only where no other cap does: it is longer than the row.
    fn find_extent(&self, var: RowVarId, bounds: &mut Bounds) {
        let len = self
            .shortest(var, Unknown::LeftOut, bounds)
            .or_else(|| self.shortest(var, Unknown::Empty, bounds));
        if let Some(len) = len {
            let bound = Bound {
                len,
                ..Bound::default()
            };
            bounds.insert(var, bound);
        }
    }

    /// Finds how far the bounds of a component reach. Those that are still missing then do not exist.
    fn find_extents(&mut self, component: &[RowVarId], bounds: &mut Bounds) -> EngineResult {
        self.shorten(component, bounds)?;
        loop {
            let mut found = Vec::new();
            for var in component {
                if bounds.get(*var).is_none()
                    && let Some(len) = self.shortest(*var, Unknown::Empty, bounds)
                {
                    found.push((*var, len));
                }
            }
            if found.is_empty() {
                return Ok(());
            }
            for (var, len) in found {
                let bound = Bound {
                    len,
                    ..Bound::default()
                };
                bounds.insert(var, bound);
            }
            self.shorten(component, bounds)?;
        }
    }

    /// Finds the axes of the bounds of some rows, whose lengths are known.
    fn find_axes(&mut self, vars: &[RowVarId], bounds: &mut Bounds) -> Result<(), Box<Failure>> {
        if self.join_ground(vars, bounds)? {
            return Ok(());
        }
        for var in vars {
            let count = self.lay_axes(*var, bounds);
            let minted = (0..count).map(|_| Some(self.problem.unnamed_dim(Tag::Interior)));
            bounds.axes.extend(minted);
        }
        self.dims.grow(self.problem.dim_names.len());
        vars.iter().try_for_each(|var| self.join_caps(*var, bounds))
    }

    /// Shortens the flanks of bounds to those of the caps until nothing changes. Caps of which nothing is known are
    /// left out.
    fn shorten(&mut self, component: &[RowVarId], bounds: &mut Bounds) -> EngineResult {
        let mut due: VecDeque<RowVarId> = component.iter().copied().collect();
        while let Some(var) = due.pop_front() {
            self.step(1 + std::mem::take(&mut bounds.seen))?;
            let Some(len) = self.shortest(var, Unknown::LeftOut, bounds) else {
                continue;
            };
            let Some(known) = bounds.get_mut(var) else {
                let bound = Bound {
                    len,
                    ..Bound::default()
                };
                bounds.insert(var, bound);
                self.rows_above(var, bounds, &mut due);
                continue;
            };
            let shorter = len.zip(known.len, u32::min);
            if shorter != known.len {
                known.len = shorter;
                self.rows_above(var, bounds, &mut due);
            }
        }
        Ok(())
    }

    /// Goes through the rows of a component in whose caps a row stands.
    fn rows_above(&self, var: RowVarId, bounds: &mut Bounds, into: &mut VecDeque<RowVarId>) {
        let (mut next, mut seen) = (self.rows.nodes.at(var).results, 0);
        while let Some(id) = next {
            let inequality = self.rows.inequalities.at(id);
            if let Some(above) = inequality.right
                && self.binding(above) == Binding::Open
                && bounds.is_inside(above)
            {
                into.push_back(above);
            }
            seen += 1;
            next = inequality.next_result;
        }
        bounds.seen += seen;
    }

    /// Returns the shorter flanks of the caps; `None` when no cap says anything.
    fn shortest(
        &self,
        var: RowVarId,
        unknown: Unknown,
        bounds: &mut Bounds,
    ) -> Option<PerFlank<u32>> {
        let mut shortest: Option<PerFlank<u32>> = None;
        bounds.seen += self.each_cap(var, |cap| {
            if let Some(len) = self.extent(var, cap, unknown, bounds) {
                shortest = Some(shortest.map_or(len, |before| len.zip(before, u32::min)));
            }
        });
        shortest
    }

    /// Measures how far a cap of a variable reaches, the known axes of the variable included; `None` for a cap that
    /// says nothing.
    fn extent(
        &self,
        var: RowVarId,
        cap: Cap,
        unknown: Unknown,
        bounds: &Bounds,
    ) -> Option<PerFlank<u32>> {
        let (low, mut inner) = (cap.left.var, PerFlank::both(0));
        let mut bounded = true;
        if let Some(low) = low {
            inner = self.rows.nodes.at(low).len;
            if self.binding(low) == Binding::Open {
                match bounds.get(low) {
                    Some(bound) => inner = bound.len.zip(inner, u32::max),
                    None if bounds.is_inside(low) && unknown == Unknown::LeftOut => return None,
                    None => bounded = false,
                }
            }
        }
        let shown = |flank| cap.left.flank(flank) + inner[flank];
        let has_axes = || {
            let known = self.rows.nodes.at(var).len;
            Flank::BOTH
                .into_iter()
                .any(|flank| shown(flank) > cap.right.flank(flank) + known[flank])
        };
        (bounded || has_axes())
            .then(|| PerFlank::each(|flank| shown(flank).saturating_sub(cap.right.flank(flank))))
    }
}
