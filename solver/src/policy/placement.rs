//! The policy steps of solving: where markers go, and how deferred equations are resolved.

use lozenge_vocabulary::Rule;

use crate::propagate::equality::{Middle, Residue};
use crate::state::engine::{Deferred, Engine, Step};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::{Binding, Content};
use crate::term::{NONE, RowId, Term};

impl Engine {
    /// Places the marker of the next variable that an inequality asks about; false when none is left.
    pub(crate) fn place_next(&mut self) -> Result<bool, Failure> {
        while self.placed < self.contents_found.len() {
            let var = self.contents_found.get(self.placed as u32);
            self.placed += 1;
            if matches!(self.binding(var), Binding::Content(_)) {
                self.place_with_tail(var);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Places a variable; the variables that its content ends in go first, so that each is spelled out once.
    fn place_with_tail(&mut self, var: u32) {
        let mut chain = vec![var];
        while let Some(Binding::Content(content)) = chain.last().map(|var| self.binding(*var)) {
            let tail = self.row(self.rows.contents.at(content).row).var;
            if tail == NONE || !matches!(self.binding(tail), Binding::Content(_)) {
                break;
            }
            chain.push(tail);
        }
        while let Some(var) = chain.pop() {
            if let Binding::Content(content) = self.binding(var) {
                self.place(var, content);
            }
        }
    }

    /// Commits the marker: where the content was split, which is the split that a closed side declared where it
    /// falls inside the middle and the left edge otherwise; or where the variable of the content stands.
    pub(crate) fn place(&mut self, var: u32, content: u32) {
        let Content { row, reason } = self.rows.contents.get(content);
        let middle = self.row(row);
        let rule = if middle.var == NONE {
            Rule::ReOpenClosed
        } else {
            Rule::ReNested
        };
        self.counters.placements += 1;
        let known = self.flat_reason(var);
        let flat = self.inferences.both(rule, known, reason);
        let inference =
            self.inferences
                .commit(rule, Conclusion::Placed(var), [reason, Reason::NONE]);
        self.rows.nodes.edit(var).binding = Binding::Closed;
        self.absorb(var, 0, middle, middle.lead, inference);
        self.absorb(var, 1, middle, middle.trail, inference);
        let fixed = self.rows.nodes.at(var).fixed;
        let fixed = self.inferences.both(rule, fixed, inference);
        let node = self.rows.nodes.edit(var);
        (node.fixed, node.flat) = (fixed, flat);
        if middle.var == NONE {
            self.closed(var);
            return;
        }
        let alias = self.content_row(&Middle::new(Vec::new(), middle.var, Vec::new()));
        let alias = self.rows.contents.push(Content {
            row: alias,
            reason: Reason::NONE,
        });
        self.rows.nodes.edit(var).binding = Binding::Alias(alias);
        self.pass_on(var);
    }

    /// Lets `count` axes of a middle become axes of a flank.
    fn absorb(&mut self, var: u32, side: usize, middle: RowId, count: u32, inference: Reason) {
        let len = self.rows.nodes.at(var).len[side];
        for position in 0..count {
            let axis = self.problem.terms[middle.place(side, position) as usize];
            self.rows.write(var, side, len + position, axis);
        }
        if count > 0 {
            let grown = self.rows.nodes.at(var).length_reasons[side];
            let grown = self.inferences.both(Rule::ReOpenClosed, grown, inference);
            let node = self.rows.nodes.edit(var);
            node.len[side] = len + count;
            node.length_reasons[side] = grown;
        }
    }

    /// States every inequality on an aliased variable again, on the variable that it is an alias of.
    pub(crate) fn pass_on(&mut self, var: u32) {
        let node = self.rows.nodes.get(var);
        let mut all = Vec::new();
        let mut next = node.results;
        while next != NONE {
            all.push(next);
            next = self.rows.inequalities.at(next).next_result;
        }
        next = node.operands;
        while next != NONE {
            let row = self.rows.inequalities.at(next).row;
            if self.row(row).var != var {
                all.push(next);
            }
            next = self.rows.inequalities.at(next).next_operand;
        }
        all.sort_unstable();
        for at in all {
            let inequality = self.rows.inequalities.get(at);
            self.register(inequality.row, inequality.reason, inequality.done);
        }
    }

    /// A pair of rows with aliased variables spelled out.
    pub(crate) fn through_aliases(&mut self, row: u32, reason: Reason) -> (u32, Reason) {
        if self.rows.contents.len() == 0 {
            return (row, reason);
        }
        let (left, right) = (self.row(row), self.row(row + 1));
        let aliased =
            |e: &Engine, var: u32| var != NONE && matches!(e.binding(var), Binding::Alias(_));
        if !aliased(self, left.var) && !aliased(self, right.var) {
            return (row, reason);
        }
        let (left, reason) = self.through_alias(left, reason);
        let (right, reason) = self.through_alias(right, reason);
        (self.problem.pair(left, right), reason)
    }

    fn through_alias(&mut self, row: RowId, mut reason: Reason) -> (RowId, Reason) {
        let mut var = row.var;
        let axes = |e: &Engine, from: u32, count: u32| -> Vec<Term> {
            e.problem.terms[from as usize..(from + count) as usize].to_vec()
        };
        let mut lead = axes(self, row.start, row.lead);
        let mut trail = axes(self, row.start + row.lead, row.trail);
        trail.reverse();
        while var != NONE
            && let Binding::Alias(content) = self.binding(var)
        {
            let node = self.rows.nodes.get(var);
            lead.extend((0..node.len[0]).filter_map(|at| self.rows.axis(var, 0, at)));
            trail.extend((0..node.len[1]).filter_map(|at| self.rows.axis(var, 1, at)));
            let [lead, trail] = [0, 1].map(|side| self.axes_reason(var, side));
            let axes = self.inferences.both(Rule::ReNested, lead, trail);
            reason = self.inferences.both(Rule::ReNested, reason, axes);
            var = self.row(self.rows.contents.at(content).row).var;
        }
        trail.reverse();
        (self.problem.row_of(&lead, var, &trail), reason)
    }

    /// A variable with a known closed content has to have more axes in a flank: they are the content's.
    pub(crate) fn consume(
        &mut self,
        var: u32,
        content: u32,
        side: usize,
        needed: u32,
        reason: Reason,
    ) -> Step {
        let Content { row, reason: known } = self.rows.contents.get(content);
        let (middle, len) = (self.row(row), self.rows.nodes.at(var).len[side]);
        let (more, word) = (needed - len, middle.lead + middle.trail);
        if more > word {
            return Err(Failure {
                rule: Rule::RiShort,
                reasons: vec![reason, known],
                terms: Vec::new(),
                message: format!("the content leaves {word} axes where {more} are needed"),
                is_limit: false,
            });
        }
        let conclusion = Conclusion::AtLeast(var, side as u8, needed);
        let inference = self
            .inferences
            .record(Rule::RiDeficit, conclusion, [reason, known]);
        let (taken, rest, split) = self.split_off(middle, side, more as usize);
        for (position, axis) in taken.into_iter().enumerate() {
            self.rows.write(var, side, len + position as u32, axis);
        }
        let fixed = self.rows.nodes.at(var).fixed;
        let fixed = self.inferences.both(Rule::ReOpenClosed, fixed, inference);
        self.rows.nodes.edit(var).fixed = fixed;
        self.set_length(var, side, needed, inference);
        let rest = Middle::new(rest[..split].to_vec(), NONE, rest[split..].to_vec());
        let row = self.content_row(&rest);
        self.set_content(var, row, inference);
        self.flank_extended(var);
        Ok(())
    }

    /// Some outer axes of a closed row, from the edge inward, what is left of it, and where that is split.
    fn split_off(&self, row: RowId, side: usize, more: usize) -> (Vec<Term>, Vec<Term>, usize) {
        let start = row.start as usize;
        let mut axes = self.problem.terms[start..start + (row.lead + row.trail) as usize].to_vec();
        if side == 0 {
            let rest = axes.split_off(more);
            return (axes, rest, (row.lead as usize).saturating_sub(more));
        }
        let mut taken = axes.split_off(axes.len() - more);
        taken.reverse();
        let split = (row.lead as usize).min(axes.len());
        (taken, axes, split)
    }

    /// Resolves the first equation that is still deferred: one variable is closed upward, to the empty row, and the
    /// equation says the rest. Of the two variables of a split it is the one whose closing its lengths allow, and
    /// the one with the longer known side when they allow both.
    pub(crate) fn resolve_next(&mut self) -> Result<bool, Failure> {
        while (self.resolved as usize) < self.deferred.len() {
            let id = self.resolved;
            let Deferred { row, reason, done } = self.deferred.get(id);
            if done {
                self.resolved += 1;
                continue;
            }
            let (a, b) = (self.spell(row)?, self.spell(row + 1)?);
            let known = self.inferences.both(Rule::ReNested, a.reason, b.reason);
            let reason = self.inferences.both(Rule::ReNested, reason, known);
            let var = match self.reduce(&a, &b, reason)? {
                Residue::Split(x, y, s, t) => {
                    if s >= t {
                        x
                    } else {
                        y
                    }
                }
                Residue::Rotation(x) => x,
                Residue::Done | Residue::Bind(..) => {
                    self.equations_due.push_back((row, reason, id));
                    return Ok(true);
                }
            };
            self.counters.resolutions += 1;
            let empty = self.content_row(&Middle::empty());
            let conclusion = Conclusion::Content(var, empty);
            let inference =
                self.inferences
                    .commit(Rule::CloseDeferred, conclusion, [reason, Reason::NONE]);
            self.set_content(var, empty, inference);
            return Ok(true);
        }
        Ok(false)
    }
}
