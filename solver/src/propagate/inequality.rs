//! Row inequalities (Def. 4.3), flank by flank: the order of Def. 2.3 splits completely.
//!
//! For each flank, the result has at least as many axes as the operand, counted from the outer edge, and each of the
//! operand's axes constrains the result axis that it faces. Lengths are difference constraints; they are brought to
//! their least solution first, then the axes are compared.

use lozenge_vocabulary::{Rule, Tag};

use crate::state::engine::{Engine, MintedAxis, Step};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::{Binding, Inequality, Storage};
use crate::term::{NONE, RowId, Term};

/// Flags of the work lists.
const LENGTHS: u8 = 1;
const AXES: u8 = 2;

impl Engine {
    /// Enters an inequality under its variables. What stands for an aliased variable is spelled out first.
    pub(crate) fn register(&mut self, row: u32, reason: Reason, done: [u32; 2]) {
        let inequality = self.inequality(row, reason, done);
        let at = self.rows.inequalities.push(inequality);
        self.link(at);
    }

    /// The record of an inequality, which is under no variable yet.
    pub(crate) fn inequality(&mut self, row: u32, reason: Reason, done: [u32; 2]) -> Inequality {
        let (row, reason) = self.through_aliases(row, reason);
        let (left, right) = (self.row(row), self.row(row + 1));
        let surplus = |side| right.flank(side) as i32 - left.flank(side) as i32;
        Inequality {
            row,
            reason,
            left: left.var,
            right: right.var,
            surplus: [surplus(0), surplus(1)],
            is_variable: left.var != NONE && left.lead + left.trail == 0,
            due: LENGTHS,
            done,
            next_result: NONE,
            next_operand: NONE,
        }
    }

    /// Puts an inequality under its variables and on the work list.
    pub(crate) fn link(&mut self, at: u32) {
        let Inequality {
            left,
            right,
            is_variable,
            surplus,
            ..
        } = self.rows.inequalities.get(at);
        // A row is below itself. Nothing follows from it, and its axes would be looked for in itself.
        if is_variable && left == right && surplus == [0; 2] {
            return;
        }
        if left != NONE {
            let node = self.rows.nodes.edit(left);
            let first = std::mem::replace(&mut node.results, at);
            node.multi_result |= first != NONE;
            self.rows.inequalities.edit(at).next_result = first;
        }
        if right != NONE {
            let node = self.rows.nodes.edit(right);
            let first = std::mem::replace(&mut node.operands, at);
            self.rows.inequalities.edit(at).next_operand = first;
        }
        self.lengths_due.push(at);
        for var in [left, right] {
            if var != NONE && matches!(self.binding(var), Binding::Content(_)) {
                self.contents_found.push(var);
            }
        }
    }

    /// Brings all lengths to the least that the inequalities allow: operands before results where they can be.
    pub(crate) fn repair_lengths(&mut self) -> Step {
        if self.lengths_due.is_empty() {
            return Ok(());
        }
        let mut stack = std::mem::take(&mut self.search);
        while !self.lengths_due.is_empty() {
            self.round += 1;
            let mut seeds = std::mem::take(&mut self.lengths_due);
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
            if self.lengths_due.is_empty() {
                self.lengths_due = seeds;
            }
        }
        self.search = stack;
        Ok(())
    }

    /// The inequalities that may still lengthen the operand of this one go first.
    #[inline]
    fn push_results_of_operand(&mut self, at: u32, stack: &mut Vec<u32>) {
        let operand = self.rows.inequalities.at(at).right;
        if operand == NONE {
            return;
        }
        let node = self.rows.nodes.get(operand);
        if node.results == NONE || node.searched == self.round {
            return;
        }
        self.rows.nodes.edit(operand).searched = self.round;
        let mut next = node.results;
        while next != NONE {
            let inequality = self.rows.inequalities.at(next);
            if inequality.due & LENGTHS != 0 {
                stack.push(next);
            }
            next = inequality.next_result;
        }
    }

    #[inline]
    fn len_of(&self, var: u32, side: usize) -> u32 {
        if var == NONE {
            0
        } else {
            self.rows.nodes.at(var).len[side]
        }
    }

    fn check_lengths(&mut self, at: u32) -> Step {
        let inequality = self.rows.inequalities.get(at);
        let mut faced = [0; 2];
        for (side, faced) in faced.iter_mut().enumerate() {
            *faced = self.len_of(inequality.right, side) as i32 + inequality.surplus[side];
            if *faced > self.len_of(inequality.left, side) as i32 {
                self.require_length(at, side, *faced as u32)?;
            }
        }
        self.compare_later(at, faced);
        Ok(())
    }

    /// Axes are compared when all lengths are known. Where the result is a bare variable with nothing written,
    /// there is nothing to compare: its axes face the operand's from now on.
    #[inline]
    fn compare_later(&mut self, at: u32, faced: [i32; 2]) {
        let inequality = self.rows.inequalities.get(at);
        let (mut explicit, mut unmaterialised) = ([0; 2], false);
        if inequality.is_variable {
            let node = self.rows.nodes.at(inequality.left);
            unmaterialised = node.is_unmaterialised()
                && node.binding == Binding::Open
                && self.problem.row_tag(inequality.left) == Tag::Interior;
        } else {
            let row = self.row(inequality.row);
            explicit = [row.lead as i32, row.trail as i32];
        }
        let faced = [0, 1].map(|side| (faced[side] + explicit[side]).max(0) as u32);
        if faced[0] <= inequality.done[0] && faced[1] <= inequality.done[1] {
            return;
        }
        if unmaterialised {
            let done = &mut self.rows.inequalities.edit(at).done;
            *done = [done[0].max(faced[0]), done[1].max(faced[1])];
        } else if inequality.due & AXES == 0 {
            self.rows.inequalities.edit(at).due |= AXES;
            self.axes_due.push(at);
        }
    }

    /// Why the operand's flank has its axes.
    fn operand_reason(&mut self, reason: Reason, operand: u32, side: usize) -> Reason {
        if operand == NONE {
            return reason;
        }
        let node = self.rows.nodes.get(operand);
        let known = self
            .inferences
            .both(Rule::RiDeficit, node.length_reasons[side], node.fixed);
        self.inferences.both(Rule::RiDeficit, reason, known)
    }

    /// The result of an inequality has to have `needed` axes in its variable's flank.
    fn require_length(&mut self, at: u32, side: usize, needed: u32) -> Step {
        let Inequality {
            reason,
            left,
            right,
            ..
        } = self.rows.inequalities.get(at);
        if left == NONE {
            let reason = self.operand_reason(reason, right, side);
            return Err(too_short(&[reason]));
        }
        let node = self.rows.nodes.get(left);
        match node.binding {
            Binding::Closed => {
                let reason = self.operand_reason(reason, right, side);
                Err(too_short(&[reason, node.fixed]))
            }
            // Its length is settled when it is placed.
            Binding::Alias(_) => Ok(()),
            Binding::Content(content) => {
                let row = self.row(self.rows.contents.at(content).row);
                if row.var != NONE {
                    return Ok(());
                }
                let reason = self.operand_reason(reason, right, side);
                self.consume(left, content, side, needed, reason)
            }
            Binding::Open => self.extend_flank(at, side, needed),
        }
    }

    /// An open row comes to have more axes (Def. 4.3(iv)).
    fn extend_flank(&mut self, at: u32, side: usize, needed: u32) -> Step {
        let Inequality {
            reason,
            left,
            right,
            ..
        } = self.rows.inequalities.get(at);
        let rule = Rule::RiDeficit;
        let known = self.operand_reason(Reason::NONE, right, side);
        let conclusion = Conclusion::AtLeast(left, side as u8, needed);
        let inference = self.inferences.record(rule, conclusion, [reason, known]);
        let first = self.rows.nodes.at(left).len[side] == 0;
        self.set_length(left, side, needed, inference);
        if first {
            self.pin_flank(at, side, needed);
        }
        self.extensions += 1;
        if self.extensions.is_power_of_two() && self.extends_itself(inference, side) {
            return Err(Failure {
                rule: Rule::RankCycle,
                reasons: vec![inference],
                terms: Vec::new(),
                message: "each row of the cycle has to be longer than itself".into(),
                is_limit: false,
            });
        }
        self.flank_extended(left);
        Ok(())
    }

    /// Records a new length of a flank. Axes that were pinned stay what they are for the reason that they had.
    pub(crate) fn set_length(&mut self, var: u32, side: usize, len: u32, inference: Reason) {
        if self.rows.nodes.at(var).storage[side] != Storage::Owned {
            let fixed = self.axes_reason(var, side);
            self.rows.nodes.edit(var).fixed = fixed;
        }
        let node = self.rows.nodes.edit(var);
        (node.len[side], node.length_reasons[side]) = (len, inference);
    }

    /// Whether the lengthening that a fact tells of leads back to the same variable: a cycle of positive weight.
    /// It is asked whenever the number of lengthenings doubles, so that it costs a constant for each: when the
    /// lengthening never ends, every one of them comes from the cycle after a while.
    fn extends_itself(&self, inference: Reason, side: usize) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut at = inference.as_inference();
        while let Some(index) = at {
            let inference = self.inferences.get(index);
            at = match inference.conclusion {
                // Where axes are pinned, the length of the other flank is behind this one's as well.
                Conclusion::AtLeast(var, s, _) if usize::from(s) == side => {
                    if !seen.insert(var) {
                        return true;
                    }
                    inference.parents[1].as_inference()
                }
                Conclusion::Both => inference.parents[0].as_inference(),
                _ => None,
            };
        }
        false
    }

    /// A flank of a variable has become longer: what depends on it is looked at again.
    pub(crate) fn flank_extended(&mut self, var: u32) {
        let mut next = self.rows.nodes.at(var).operands;
        while next != NONE {
            self.look_again(next);
            next = self.rows.inequalities.at(next).next_operand;
        }
        self.wake(var);
    }

    /// A variable is closed now: what waited for its marker is looked at again as well.
    pub(crate) fn closed(&mut self, var: u32) {
        self.closed_below(var);
        self.flank_extended(var);
    }

    /// The part of that which concerns the rows of which it is the result.
    pub(crate) fn closed_below(&mut self, var: u32) {
        let mut next = self.rows.nodes.at(var).results;
        while next != NONE {
            self.look_again(next);
            next = self.rows.inequalities.at(next).next_result;
        }
    }

    #[inline]
    fn look_again(&mut self, inequality: u32) {
        if self.rows.inequalities.at(inequality).due & LENGTHS == 0 {
            self.rows.inequalities.edit(inequality).due |= LENGTHS;
            self.lengths_due.push(inequality);
        }
    }

    /// Compares what has come to face each other.
    pub(crate) fn compare_axes(&mut self) -> Step {
        let mut due = std::mem::take(&mut self.axes_due);
        for at in due.drain(..) {
            self.rows.inequalities.edit(at).due &= !AXES;
            for side in 0..2 {
                self.compare_flank(at, side)?;
            }
        }
        self.axes_due = due;
        Ok(())
    }

    fn compare_flank(&mut self, at: u32, side: usize) -> Step {
        let inequality = self.rows.inequalities.get(at);
        let (left, right) = (self.row(inequality.row), self.row(inequality.row + 1));
        let from = inequality.done[side];
        let faced = right.flank(side) + self.len_of(right.var, side);
        let until = faced.min(left.flank(side) + self.len_of(left.var, side));
        if until <= from {
            return Ok(());
        }
        self.rows.inequalities.edit(at).done[side] = until;
        if inequality.surplus == [0; 2]
            && inequality.is_variable
            && self.rows.shares_storage(left.var, right.var, side)
        {
            return Ok(());
        }
        let write = left.var != NONE && self.writes(left.var);
        let last = match (left.var, write) {
            (NONE, _) | (_, true) => until,
            (var, false) => until.min(left.flank(side) + self.rows.room(var, side)),
        };
        let mut reasons = [Reason::NONE; 2];
        for position in from..last {
            let low = match self.axis(left, side, position) {
                Some(low) => low,
                None if write => {
                    let axis =
                        self.materialise_axis(left.var, side, position - left.flank(side))?;
                    // Writing an axis compares it with all that it faces.
                    let _ = axis;
                    continue;
                }
                None => continue,
            };
            self.compare_axis(inequality, side, position, low, &mut reasons)?;
        }
        Ok(())
    }

    /// Whether the axes of a variable are written as they come to be.
    pub(crate) fn writes(&mut self, var: u32) -> bool {
        let node = self.rows.nodes.at(var);
        if node.materialised {
            return true;
        }
        if !node.multi_result && self.problem.row_tag(var) != Tag::Param {
            return false;
        }
        self.rows.nodes.edit(var).materialised = true;
        true
    }

    /// The axis of a row at a position of a flank, when it has a term.
    #[inline]
    pub(crate) fn axis(&self, row: RowId, side: usize, position: u32) -> Option<Term> {
        if position < row.flank(side) {
            Some(self.problem.terms[row.place(side, position) as usize])
        } else {
            self.rows.axis(row.var, side, position - row.flank(side))
        }
    }

    /// `low`, the result's axis at a position, is below the operand's.
    fn compare_axis(
        &mut self,
        inequality: Inequality,
        side: usize,
        position: u32,
        low: Term,
        reasons: &mut [Reason; 2],
    ) -> Step {
        let (left, right) = (self.row(inequality.row), self.row(inequality.row + 1));
        let explicit = position < right.flank(side);
        let high = match self.axis(right, side, position) {
            Some(high) => high,
            None => self.materialise_axis(right.var, side, position - right.flank(side))?,
        };
        if self.dims.holds(low, high) {
            return Ok(());
        }
        let reason = &mut reasons[usize::from(explicit)];
        if *reason == Reason::NONE {
            *reason = inequality.reason;
            if left.var != NONE {
                let fixed = self.axes_reason(left.var, side);
                *reason = self.inferences.both(Rule::RiDeficit, *reason, fixed);
            }
            if !explicit {
                *reason = self.operand_reason(*reason, right.var, side);
            }
        }
        self.dims.below(low, high, *reason, &mut self.inferences)
    }

    /// Gives an unwritten axis a variable of its own, and all that it has to be below likewise.
    pub(crate) fn materialise_axis(
        &mut self,
        var: u32,
        side: usize,
        position: u32,
    ) -> Result<Term, Failure> {
        let axis = self.fresh_axis(var, side, position);
        let mut born = vec![(var, position, axis)];
        while let Some((var, position, low)) = born.pop() {
            let mut next = self.rows.nodes.at(var).results;
            while next != NONE {
                let inequality = self.rows.inequalities.get(next);
                next = inequality.next_result;
                let (left, right) = (self.row(inequality.row), self.row(inequality.row + 1));
                let position = position + left.flank(side);
                if position >= inequality.done[side] {
                    continue;
                }
                if self.axis(right, side, position).is_none() {
                    let above = position - right.flank(side);
                    let high = self.fresh_axis(right.var, side, above);
                    born.push((right.var, above, high));
                }
                self.compare_axis(inequality, side, position, low, &mut [Reason::NONE; 2])?;
            }
        }
        Ok(axis)
    }

    pub(crate) fn fresh_axis(&mut self, var: u32, side: usize, position: u32) -> Term {
        let axis = self.problem.unnamed_dim(self.problem.row_tag(var));
        self.dims.grow(axis.id() as usize + 1);
        self.rows.write(var, side, position, axis);
        self.minted.push(MintedAxis {
            dim: axis.id(),
            var,
            place: 2 * position + side as u32,
        });
        axis
    }

    /// Writes every axis of a variable, now and from now on.
    pub(crate) fn write_all(&mut self, var: u32) -> Step {
        self.rows.nodes.edit(var).materialised = true;
        for side in 0..2 {
            for position in 0..self.rows.nodes.at(var).len[side] {
                if self.rows.axis(var, side, position).is_none() {
                    self.materialise_axis(var, side, position)?;
                }
            }
        }
        Ok(())
    }
}

fn too_short(reasons: &[Reason]) -> Failure {
    Failure {
        rule: Rule::RiShort,
        reasons: reasons.to_vec(),
        terms: Vec::new(),
        message: "the result is closed and has fewer axes in a flank than the operand".into(),
        is_limit: false,
    }
}
