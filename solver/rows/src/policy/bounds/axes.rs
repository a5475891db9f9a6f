//! The axes of a bound: at each position the join of those of its caps.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::{Flank, PerFlank};

use super::{Bound, Bounds, Cap, Unknown};
use crate::ids::{Id, RowVarId};
use crate::state::engine::Engine;
use crate::state::inferences::{Failure, Reason};
use crate::state::rows::Binding;
use crate::term::Term;

impl Engine {
    /// Goes through the caps of an open row that have a part in its bound.
    fn caps_of_bound(&mut self, var: RowVarId, bounds: &Bounds, into: &mut Vec<Cap>) {
        let seen = self.each_cap(var, |cap| {
            if self.extent(var, cap, Unknown::Empty, bounds).is_some() {
                into.push(cap);
            }
        });
        self.count(seen);
    }

    /// Says where the axes of a bound are going to lie, and how many they are.
    pub(super) fn lay_axes(&self, var: RowVarId, bounds: &mut Bounds) -> u32 {
        let from = self.rows.nodes.at(var).len;
        let start = bounds.axes.len() as u32;
        let Some(bound) = bounds.get_mut(var) else {
            return 0;
        };
        let PerFlank([lead, trail]) = bound.len.zip(from, u32::saturating_sub);
        (bound.from, bound.until) = (from, from.zip(PerFlank([lead, trail]), |a, b| a + b));
        bound.axes = PerFlank([start, start + lead]);
        lead + trail
    }

    /// Puts the axes of the caps below the axes of the bound.
    pub(super) fn join_caps(
        &mut self,
        var: RowVarId,
        bounds: &mut Bounds,
    ) -> Result<(), Box<Failure>> {
        let mut caps = Vec::new();
        self.caps_of_bound(var, bounds, &mut caps);
        for cap in caps {
            let reason = self.cap_reason(cap, bounds);
            let Some(bound) = bounds.get_mut(var) else {
                continue;
            };
            bound.reason = self
                .inferences
                .both(Rule::RiCap, bound.reason, Some(reason));
            let (from, len) = (bound.from, bound.len);
            for flank in Flank::BOTH {
                self.step(len[flank].saturating_sub(from[flank]) as usize)?;
                for position in from[flank]..len[flank] {
                    let low = self.cap_axis(cap, flank, position, bounds)?;
                    if let (Some(Some(low)), Some(high)) = (low, bounds.axis(var, flank, position))
                    {
                        self.dims.below(low, high, reason, &mut self.inferences)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the same without variables: as long as what comes in from elsewhere is ground, the axes are joins of
    /// atoms. False, and nothing is done, when it is not, or when an axis has nothing below it.
    pub(super) fn join_ground(
        &mut self,
        vars: &[RowVarId],
        bounds: &mut Bounds,
    ) -> Result<bool, Box<Failure>> {
        let start = bounds.axes.len();
        for var in vars {
            let count = self.lay_axes(*var, bounds);
            let axes = bounds.axes.len() + count as usize;
            bounds.axes.resize(axes, None);
        }
        let mut due = std::mem::take(&mut bounds.due);
        let mut caps = std::mem::take(&mut bounds.caps);
        due.extend(vars);
        let mut ground = true;
        while ground && let Some(var) = due.pop_front() {
            caps.clear();
            self.caps_of_bound(var, bounds, &mut caps);
            let axes = self.axes_to_join(var, bounds);
            let steps = std::mem::take(&mut bounds.seen) + axes * caps.len();
            self.step(steps)?;
            match self.raise_axes(var, &caps, bounds)? {
                Some(true) => self.rows_above(var, bounds, &mut due),
                Some(false) => {}
                None => ground = false,
            }
        }
        due.clear();
        (bounds.due, bounds.caps) = (due, caps);
        // Not seen so far: each row of a component has a way to a cap from elsewhere, which reaches as far as the bound
        // does.
        if bounds.axes[start..].contains(&None) {
            ground = false;
        }
        if !ground {
            bounds.axes.truncate(start);
            for bound in vars.iter().filter_map(|var| *bounds.numbers.get(*var)?) {
                bounds.list[bound.index()].reason = None;
            }
        }
        Ok(ground)
    }

    /// Counts the axes of a bound beyond those of its row.
    fn axes_to_join(&self, var: RowVarId, bounds: &Bounds) -> usize {
        let axes = |bound: &Bound| {
            let PerFlank([lead, trail]) = bound.until.zip(bound.from, u32::saturating_sub);
            (lead + trail) as usize
        };
        bounds.get(var).map_or(0, axes)
    }

    /// Raises the axes of a bound to the join of those of its caps that are known; whether that changed any, and
    /// `None` if some cap has a variable at one of the positions.
    fn raise_axes(
        &mut self,
        var: RowVarId,
        caps: &[Cap],
        bounds: &mut Bounds,
    ) -> Result<Option<bool>, Box<Failure>> {
        let Some(Bound {
            from, until, axes, ..
        }) = bounds.get(var).copied()
        else {
            return Ok(Some(false));
        };
        let mut changed = false;
        for flank in Flank::BOTH {
            for position in from[flank]..until[flank] {
                let Some(join) = self.ground_join(caps, flank, position, bounds)? else {
                    return Ok(None);
                };
                let axis = &mut bounds.axes[(axes[flank] + position - from[flank]) as usize];
                changed |= std::mem::replace(axis, join) != join;
            }
        }
        if changed || from == until {
            for cap in caps {
                let reason = self.cap_reason(*cap, bounds);
                if let Some(bound) = bounds.get_mut(var) {
                    bound.reason = self
                        .inferences
                        .both(Rule::RiCap, bound.reason, Some(reason));
                }
            }
        }
        Ok(Some(changed))
    }

    /// Returns the join of the axes of some caps at a position, those left out that are not known yet; none where all
    /// are. `None` when one is no ground one.
    fn ground_join(
        &mut self,
        caps: &[Cap],
        flank: Flank,
        position: u32,
        bounds: &Bounds,
    ) -> Result<Option<Option<Term>>, Box<Failure>> {
        let mut join = None;
        for cap in caps {
            let axis = match self.cap_axis(*cap, flank, position, bounds)? {
                Some(Some(axis)) => self.dims.find(axis),
                Some(None) => continue,
                None => return Ok(None),
            };
            if axis.is_var() {
                return Ok(None);
            }
            join = match join {
                Some(known) if known != axis => Some(Term::UNIT),
                _ => Some(axis),
            };
        }
        Ok(Some(join))
    }

    /// Returns the reason why the axes of a cap are below the row that it caps.
    fn cap_reason(&mut self, cap: Cap, bounds: &Bounds) -> Reason {
        let mut reason = self.rows.inequalities.at(cap.id).reason;
        let Some(var) = cap.left.var else {
            return reason;
        };
        let PerFlank([lead, trail]) = PerFlank::each(|flank| self.axes_reason(var, flank));
        let axes = self.inferences.both(Rule::RiCap, lead, trail);
        reason = self.inferences.with(Rule::RiCap, reason, axes);
        // A closed row's own reasons hold those of its bound.
        match bounds.get(var) {
            Some(inner) if self.binding(var) == Binding::Open => {
                self.inferences.with(Rule::RiCap, reason, inner.reason)
            }
            _ => reason,
        }
    }

    /// Returns the axis of a cap at a position of the variable that it caps: `None` where it has none, `Some(None)`
    /// where nothing is known of it yet.
    fn cap_axis(
        &mut self,
        cap: Cap,
        flank: Flank,
        position: u32,
        bounds: &Bounds,
    ) -> Result<Option<Option<Term>>, Box<Failure>> {
        let at = position + cap.right.flank(flank);
        let Some(inner) = at.checked_sub(cap.left.flank(flank)) else {
            let axis = self.problem.terms[cap.left.place(flank, at) as usize];
            return Ok(Some(Some(axis)));
        };
        let Some(var) = cap.left.var else {
            return Ok(None);
        };
        if inner >= self.rows.nodes.at(var).len[flank] {
            return Ok(bounds.place(var, flank, inner));
        }
        match self.rows.axis(var, flank, inner) {
            Some(axis) => Ok(Some(Some(axis))),
            None => Ok(Some(Some(self.materialise_axis(var, flank, inner)?))),
        }
    }
}
