//! Row inequalities (Def. 4.3), flank by flank: the order of Def. 2.3 splits completely.
//!
//! For each flank, the result has at least as many axes as the operand, counted from the outer edge, and each of the
//! operand's axes constrains the result axis that it faces. Lengths are difference constraints; they are brought to
//! their least solution first, then the axes are compared.

use lozenge_vocabulary::alignment::{Flank, PerFlank};
use lozenge_vocabulary::{Rule, Tag};

use crate::ids::{Id, InequalityId, RowTermId, RowVarId};
use crate::state::engine::{Engine, EngineResult, MintedAxis, Place};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::{Binding, Inequality, Storage, Written};
use crate::term::{RowId, Term};

/// Flags of the work lists.
const LENGTHS: u8 = 1;
const AXES: u8 = 2;

impl Engine {
    /// Records an inequality and lists it with its variables. An aliased variable is replaced by its content first.
    pub(crate) fn register(&mut self, row: RowTermId, reason: Reason, done: PerFlank<u32>) {
        let inequality = self.inequality(row, reason, done);
        let at = self.rows.inequalities.push(inequality);
        self.link(at);
    }

    /// Returns the record of an inequality that is listed with no variable yet.
    pub(crate) fn inequality(
        &mut self,
        row: RowTermId,
        reason: Reason,
        done: PerFlank<u32>,
    ) -> Inequality {
        let (row, reason) = self.through_aliases(row, reason);
        let (left, right) = (self.row(row), self.row(row.right()));
        let surplus = |flank| right.flank(flank) as i32 - left.flank(flank) as i32;
        Inequality {
            row,
            reason,
            left: left.var,
            right: right.var,
            surplus: PerFlank::each(surplus),
            is_variable: left.var.is_some() && left.lead + left.trail == 0,
            due: LENGTHS,
            done,
            next_result: None,
            next_operand: None,
        }
    }

    /// Lists an inequality with its variables, and queues it.
    pub(crate) fn link(&mut self, at: InequalityId) {
        let Inequality {
            left,
            right,
            is_variable,
            surplus,
            ..
        } = self.rows.inequalities.get(at);
        // A row is below itself. Nothing follows from it, and its axes would be looked for in itself.
        if is_variable && left == right && surplus == PerFlank::both(0) {
            return;
        }
        if let Some(left) = left {
            let node = self.rows.nodes.edit(left);
            let first = node.results.replace(at);
            if first.is_some() && node.written == Written::Never {
                node.written = Written::WhenCompared;
            }
            self.rows.inequalities.edit(at).next_result = first;
            self.below_from_now_on(left, right);
        }
        if let Some(right) = right {
            let node = self.rows.nodes.edit(right);
            let first = node.operands.replace(at);
            self.rows.inequalities.edit(at).next_operand = first;
        }
        self.agenda.lengths.push(at);
        for var in [left, right].into_iter().flatten() {
            if matches!(self.binding(var), Binding::Content(_)) {
                self.contents_found.push(var);
            }
        }
    }

    /// Brings all lengths to the least that the inequalities allow: operands before results where they can be.
    pub(crate) fn repair_lengths(&mut self) -> EngineResult {
        if self.agenda.lengths.is_empty() {
            return Ok(());
        }
        let mut stack = std::mem::take(&mut self.agenda.search);
        while !self.agenda.lengths.is_empty() {
            self.round += 1;
            let mut seeds = std::mem::take(&mut self.agenda.lengths);
            for seed in seeds.drain(..) {
                if self.rows.inequalities.at(seed).due & LENGTHS == 0 {
                    continue;
                }
                stack.push(seed);
                while let Some(at) = stack.last().copied() {
                    if self.rows.inequalities.at(at).due & LENGTHS != 0 {
                        self.rows.inequalities.edit(at).due &= !LENGTHS;
                        self.push_results_of_operand(at, &mut stack);
                    } else {
                        stack.pop();
                        self.check_lengths(at)?;
                    }
                }
            }
            if self.agenda.lengths.is_empty() {
                self.agenda.lengths = seeds;
            }
        }
        self.agenda.search = stack;
        Ok(())
    }

    /// Processes first the inequalities that may still extend the operand of this one.
    #[inline]
    fn push_results_of_operand(&mut self, at: InequalityId, stack: &mut Vec<InequalityId>) {
        let Some(operand) = self.rows.inequalities.at(at).right else {
            return;
        };
        let node = self.rows.nodes.get(operand);
        if node.results.is_none() || node.searched == self.round {
            return;
        }
        self.rows.nodes.edit(operand).searched = self.round;
        let mut next = node.results;
        while let Some(at) = next {
            let inequality = self.rows.inequalities.at(at);
            if inequality.due & LENGTHS != 0 {
                stack.push(at);
            }
            next = inequality.next_result;
        }
    }

    #[inline]
    fn len_of(&self, var: Option<RowVarId>, flank: Flank) -> u32 {
        var.map_or(0, |var| self.rows.nodes.at(var).len[flank])
    }

    #[inline]
    fn lens_of(&self, var: Option<RowVarId>) -> PerFlank<u32> {
        var.map_or(PerFlank::both(0), |var| self.rows.nodes.at(var).len)
    }

    fn check_lengths(&mut self, at: InequalityId) -> EngineResult {
        self.count(1);
        let inequality = self.rows.inequalities.at(at);
        let (own, above) = (
            self.lens_of(inequality.left),
            self.lens_of(inequality.right),
        );
        let faced = above.zip(inequality.surplus, |len, surplus| len as i32 + surplus);
        // A demand on one flank does not change the length of the other.
        for flank in Flank::BOTH {
            if faced[flank] > own[flank] as i32 {
                self.require_length(at, flank, faced[flank] as u32)?;
            }
        }
        self.compare_later(at, faced);
        Ok(())
    }

    /// Queues the comparison of axes, which waits until all lengths are known. A result that is a variable alone and
    /// has no materialised axis needs none: its axes are looked up in the operand from now on.
    #[inline]
    fn compare_later(&mut self, at: InequalityId, faced: PerFlank<i32>) {
        let inequality = self.rows.inequalities.at(at);
        let (mut explicit, mut unmaterialised) = (PerFlank::both(0), false);
        if inequality.is_variable
            && let Some(left) = inequality.left
        {
            let node = self.rows.nodes.at(left);
            unmaterialised = node.is_unmaterialised()
                && node.binding == Binding::Open
                && self.problem.row_tag(left) == Tag::Interior;
        } else {
            let row = self.row(inequality.row);
            explicit = PerFlank::each(|flank| row.flank(flank) as i32);
        }
        let faced = PerFlank::each(|flank| (faced[flank] + explicit[flank]).max(0) as u32);
        if Flank::BOTH
            .into_iter()
            .all(|flank| faced[flank] <= inequality.done[flank])
        {
            return;
        }
        if unmaterialised {
            let done = &mut self.rows.inequalities.edit(at).done;
            *done = PerFlank::each(|flank| done[flank].max(faced[flank]));
        } else if inequality.due & AXES == 0 {
            self.rows.inequalities.edit(at).due |= AXES;
            self.agenda.axes.push(at);
        }
    }

    /// Returns the reason for the length and the axes of the operand's flank, joined with another reason.
    fn operand_reason(
        &mut self,
        reason: Option<Reason>,
        operand: Option<RowVarId>,
        flank: Flank,
    ) -> Option<Reason> {
        let Some(operand) = operand else {
            return reason;
        };
        let node = self.rows.nodes.get(operand);
        let known = self
            .inferences
            .both(Rule::RiDeficit, node.length_reasons[flank], node.fixed);
        self.inferences.both(Rule::RiDeficit, reason, known)
    }

    /// Requires that the variable of an inequality's result has `needed` axes in a flank.
    fn require_length(&mut self, at: InequalityId, flank: Flank, needed: u32) -> EngineResult {
        let Inequality {
            reason,
            left,
            right,
            ..
        } = self.rows.inequalities.get(at);
        let Some(left) = left else {
            let reason = self.operand_reason(Some(reason), right, flank);
            return Err(too_short(reason));
        };
        let node = self.rows.nodes.get(left);
        match node.binding {
            Binding::Closed => {
                let reason = self.operand_reason(Some(reason), right, flank);
                Err(too_short(reason.into_iter().chain(node.fixed)))
            }
            // Its length is settled when it is placed.
            Binding::Alias(_) => Ok(()),
            Binding::Content(content) => {
                let row = self.row(self.rows.contents.at(content).row);
                if row.var.is_some() {
                    return Ok(());
                }
                let known = self.operand_reason(None, right, flank);
                let reason = self.inferences.with(Rule::RiDeficit, reason, known);
                self.consume(left, content, flank, needed, reason)
            }
            Binding::Open => self.extend_flank(at, left, flank, needed),
        }
    }

    /// Extends a flank of an open row (Def. 4.3(iv)).
    fn extend_flank(
        &mut self,
        at: InequalityId,
        left: RowVarId,
        flank: Flank,
        needed: u32,
    ) -> EngineResult {
        let Inequality { reason, right, .. } = self.rows.inequalities.get(at);
        let rule = Rule::RiDeficit;
        let known = self.operand_reason(None, right, flank);
        let conclusion = Conclusion::AtLeast(left, flank, needed);
        let inference = self
            .inferences
            .record(rule, conclusion, [Some(reason), known]);
        let first = self.rows.nodes.at(left).len[flank] == 0;
        self.set_length(left, flank, needed, inference);
        if first {
            self.pin_flank(at, left, flank, needed);
        }
        self.progress.extensions += 1;
        if self.progress.extensions.is_power_of_two() && self.extends_itself(inference, flank) {
            return Err(Box::new(Failure {
                rule: Rule::RankCycle,
                reasons: vec![inference],
                terms: Vec::new(),
                message: "each row of the cycle has to be longer than itself".into(),
                is_limit: false,
            }));
        }
        self.flank_extended(left);
        self.step(0)
    }

    /// Records a new length of a flank. Axes that were pinned stay what they are for the reason that they had.
    pub(crate) fn set_length(&mut self, var: RowVarId, flank: Flank, len: u32, inference: Reason) {
        if self.rows.nodes.at(var).storage[flank] != Storage::Owned {
            let fixed = self.axes_reason(var, flank);
            self.rows.nodes.edit(var).fixed = fixed;
        }
        let node = self.rows.nodes.edit(var);
        (node.len[flank], node.length_reasons[flank]) = (len, Some(inference));
    }

    /// Says whether the extension that an inference records leads back to the same variable: a cycle of positive
    /// weight. It is asked whenever the number of extensions doubles, so that it costs a constant for each: when they
    /// never end, every one of them comes from the cycle after a while.
    fn extends_itself(&self, inference: Reason, flank: Flank) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut at = inference.as_inference();
        while let Some(index) = at {
            let inference = self.inferences.get(index);
            at = match inference.conclusion {
                // Where axes are pinned, the length of the other flank is behind this one's as well.
                Conclusion::AtLeast(var, extended, _) if extended == flank => {
                    if !seen.insert(var) {
                        return true;
                    }
                    inference.parents[1].and_then(Reason::as_inference)
                }
                Conclusion::Both => inference.parents[0].and_then(Reason::as_inference),
                _ => None,
            };
        }
        false
    }

    /// Queues what depends on a variable of which a flank has been extended.
    pub(crate) fn flank_extended(&mut self, var: RowVarId) {
        let mut next = self.rows.nodes.at(var).operands;
        while let Some(at) = next {
            self.count(1);
            self.look_again(at);
            next = self.rows.inequalities.at(at).next_operand;
        }
        self.wake(var);
    }

    /// Queues what depends on a variable that has been closed.
    pub(crate) fn closed(&mut self, var: RowVarId) {
        self.closed_below(var);
        self.flank_extended(var);
    }

    /// Queues the inequalities in which a closed variable is the result.
    pub(crate) fn closed_below(&mut self, var: RowVarId) {
        let mut next = self.rows.nodes.at(var).results;
        while let Some(at) = next {
            self.count(1);
            self.look_again(at);
            next = self.rows.inequalities.at(at).next_result;
        }
    }

    #[inline]
    fn look_again(&mut self, inequality: InequalityId) {
        if self.rows.inequalities.at(inequality).due & LENGTHS == 0 {
            self.rows.inequalities.edit(inequality).due |= LENGTHS;
            self.agenda.lengths.push(inequality);
        }
    }

    /// Compares the axes that face each other since lengths have changed.
    #[inline]
    pub(crate) fn compare_axes(&mut self) -> EngineResult {
        match self.agenda.axes.is_empty() {
            true => Ok(()),
            false => self.compare_due_axes(),
        }
    }

    fn compare_due_axes(&mut self) -> EngineResult {
        let mut due = std::mem::take(&mut self.agenda.axes);
        for at in due.drain(..) {
            self.rows.inequalities.edit(at).due &= !AXES;
            for flank in Flank::BOTH {
                self.compare_flank(at, flank)?;
            }
        }
        self.agenda.axes = due;
        Ok(())
    }

    fn compare_flank(&mut self, at: InequalityId, flank: Flank) -> EngineResult {
        let inequality = self.rows.inequalities.get(at);
        let (left, right) = (self.row(inequality.row), self.row(inequality.row.right()));
        let from = inequality.done[flank];
        let faced = right.flank(flank) + self.len_of(right.var, flank);
        let until = faced.min(left.flank(flank) + self.len_of(left.var, flank));
        if until <= from {
            return Ok(());
        }
        self.rows.inequalities.edit(at).done[flank] = until;
        if inequality.surplus == PerFlank::both(0)
            && inequality.is_variable
            && let (Some(low), Some(high)) = (left.var, right.var)
            && self.rows.shares_storage(low, high, flank)
        {
            return Ok(());
        }
        let written = left.var.filter(|var| self.writes(*var));
        let last = match left.var {
            Some(var) if written.is_none() => {
                until.min(left.flank(flank) + self.rows.room(var, flank))
            }
            _ => until,
        };
        let axes = last.saturating_sub(from) as usize;
        self.step(axes)?;
        let mut reasons = [None; 2];
        for position in from..last {
            match (self.axis(left, flank, position), written) {
                (Some(low), _) => {
                    self.compare_axis(inequality, flank, position, low, &mut reasons)?;
                }
                // A new axis is compared with all that it faces.
                (None, Some(var)) => {
                    self.materialise_axis(var, flank, position - left.flank(flank))?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Says whether the axes of a variable are materialised as soon as they exist.
    pub(crate) fn writes(&mut self, var: RowVarId) -> bool {
        let node = self.rows.nodes.at(var);
        if node.written == Written::Never && self.problem.row_tag(var) != Tag::Param {
            return false;
        }
        self.rows.materialise(var);
        true
    }

    /// Returns the axis of a row at a position of a flank, when it has a term.
    #[inline]
    pub(crate) fn axis(&self, row: RowId, flank: Flank, position: u32) -> Option<Term> {
        if position < row.flank(flank) {
            Some(self.problem.terms[row.place(flank, position) as usize])
        } else {
            self.rows.axis(row.var?, flank, position - row.flank(flank))
        }
    }

    /// States that `low`, the result's axis at a position, is below the operand's.
    fn compare_axis(
        &mut self,
        inequality: Inequality,
        flank: Flank,
        position: u32,
        low: Term,
        reasons: &mut [Option<Reason>; 2],
    ) -> EngineResult {
        let (left, right) = (self.row(inequality.row), self.row(inequality.row.right()));
        let explicit = position < right.flank(flank);
        let high = match (self.axis(right, flank, position), right.var) {
            (Some(high), _) => high,
            (None, Some(var)) => {
                self.materialise_axis(var, flank, position - right.flank(flank))?
            }
            (None, None) => return Ok(()),
        };
        if self.dims.holds(low, high) {
            return Ok(());
        }
        let known = &mut reasons[usize::from(explicit)];
        let reason = match *known {
            Some(reason) => reason,
            None => {
                let reason = self.axis_reason(inequality, left.var, flank);
                let operand = right.var.filter(|_| !explicit);
                let operand = self.operand_reason(None, operand, flank);
                *known.insert(self.inferences.with(Rule::RiDeficit, reason, operand))
            }
        };
        self.dims.below(low, high, reason, &mut self.inferences)
    }

    /// Returns the reason why an axis of an inequality's result is below what it faces.
    fn axis_reason(
        &mut self,
        inequality: Inequality,
        result: Option<RowVarId>,
        flank: Flank,
    ) -> Reason {
        let fixed = result.and_then(|var| self.axes_reason(var, flank));
        self.inferences
            .with(Rule::RiDeficit, inequality.reason, fixed)
    }

    /// Gives an axis a dimension variable of its own, and likewise every axis that it lies below.
    pub(crate) fn materialise_axis(
        &mut self,
        var: RowVarId,
        flank: Flank,
        position: u32,
    ) -> Result<Term, Box<Failure>> {
        let axis = self.fresh_axis(var, flank, position);
        let mut born = vec![(var, position, axis)];
        while let Some((var, position, low)) = born.pop() {
            self.step(1)?;
            let mut next = self.rows.nodes.at(var).results;
            while let Some(at) = next {
                self.count(1);
                let inequality = self.rows.inequalities.get(at);
                next = inequality.next_result;
                let (left, right) = (self.row(inequality.row), self.row(inequality.row.right()));
                let position = position + left.flank(flank);
                if position >= inequality.done[flank] {
                    continue;
                }
                if let (None, Some(above)) = (self.axis(right, flank, position), right.var) {
                    let position = position - right.flank(flank);
                    let high = self.fresh_axis(above, flank, position);
                    born.push((above, position, high));
                }
                self.compare_axis(inequality, flank, position, low, &mut [None; 2])?;
            }
        }
        Ok(axis)
    }

    pub(crate) fn fresh_axis(&mut self, var: RowVarId, flank: Flank, position: u32) -> Term {
        let axis = self.problem.unnamed_dim(self.problem.row_tag(var));
        self.dims.grow(axis.id().index() + 1);
        self.write_axis(var, flank, position, axis);
        self.minted.push(MintedAxis {
            dim: axis.id(),
            var,
            place: Place::new(flank, position),
        });
        axis
    }

    /// Writes an axis, which may move all axes of its flank.
    pub(crate) fn write_axis(&mut self, var: RowVarId, flank: Flank, position: u32, axis: Term) {
        let before = self.rows.places();
        self.rows.write(var, flank, position, axis);
        self.count(1 + self.rows.places() - before);
    }

    /// Materialises every axis of a variable, now and whenever it gets another one.
    pub(crate) fn write_all(&mut self, var: RowVarId) -> EngineResult {
        self.rows.materialise(var);
        let PerFlank([lead, trail]) = self.rows.nodes.at(var).len;
        self.count((lead + trail) as usize);
        for flank in Flank::BOTH {
            for position in 0..self.rows.nodes.at(var).len[flank] {
                if self.rows.axis(var, flank, position).is_none() {
                    self.materialise_axis(var, flank, position)?;
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn too_short(reasons: impl IntoIterator<Item = Reason>) -> Box<Failure> {
    Box::new(Failure {
        rule: Rule::RiShort,
        reasons: reasons.into_iter().collect(),
        terms: Vec::new(),
        message: "the result is closed and has fewer axes in a flank than the operand".into(),
        is_limit: false,
    })
}
