//! The first policy step of solving: where markers go.

use std::collections::VecDeque;

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::{Flank, PerFlank};
use rustc_hash::FxHashSet;

use crate::ids::{ContentId, Id, RowTermId, RowVarId};
use crate::policy::components::Components;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::placements::Blocker;
use crate::state::rows::{Binding, Content, Inequality, UNDECLARED};
use crate::term::{RowId, Term};

impl Engine {
    /// Places the marker of the next variable that an inequality asks about; false when none is left, or only such as
    /// wait.
    #[inline]
    pub(crate) fn place_next(&mut self) -> Result<bool, Box<Failure>> {
        // Closing solves again after each round, mostly with nothing to place.
        let is_idle = self.agenda.placements.due.is_empty()
            && self.progress.placed == self.contents_found.len();
        match is_idle {
            true => Ok(false),
            false => self.place_one(),
        }
    }

    fn place_one(&mut self) -> Result<bool, Box<Failure>> {
        let before = self.progress.counters.placements;
        self.take_in_contents();
        if self.progress.counters.placements > before {
            return Ok(true);
        }
        while let Some(var) = self.agenda.placements.due.pop_front() {
            if !matches!(self.binding(var), Binding::Content(_)) {
                continue;
            }
            match self.blocker(var) {
                Some(blocker) => self.agenda.placements.wait(var, blocker),
                None => {
                    self.place_with_tail(var)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Places the marker of a row that waits for itself, since it lies on a cycle; false where none does. The other
    /// rows of the cycle have to follow it.
    #[inline]
    pub(crate) fn place_on_cycle(&mut self) -> Result<bool, Box<Failure>> {
        match self.agenda.placements.is_empty() {
            true => Ok(false),
            false => self.place_one_on_cycle(),
        }
    }

    fn place_one_on_cycle(&mut self) -> Result<bool, Box<Failure>> {
        loop {
            let Some(mut rows) = self.agenda.placements.cycles.pop_front() else {
                self.agenda.placements.cycles = self.cycles_left();
                if self.agenda.placements.cycles.is_empty() {
                    return Ok(false);
                }
                continue;
            };
            rows.retain(|var| matches!(self.binding(*var), Binding::Content(_)));
            let first = rows.iter().copied().min_by_key(|var| self.declared(*var));
            if let Some(first) = first {
                self.agenda
                    .placements
                    .due
                    .extend(rows.iter().filter(|var| **var != first));
                self.agenda.placements.cycles.push_front(rows);
                self.place_with_tail(first)?;
                return Ok(true);
            }
        }
    }

    /// Returns the rows that wait, those that wait for each other together, and those above before those below.
    fn cycles_left(&mut self) -> VecDeque<Vec<RowVarId>> {
        let mut waiting = self.agenda.placements.pending();
        waiting.retain(|var| matches!(self.binding(*var), Binding::Content(_)));
        self.agenda.placements.stop_waiting();
        if waiting.is_empty() {
            return VecDeque::new();
        }
        self.count(waiting.len());
        let wanted: FxHashSet<RowVarId> = waiting.iter().copied().collect();
        let components = Components::of(self.rows.nodes.len(), waiting, |var, into| {
            self.each_operand(var, |inequality| {
                into.extend(self.behind_names(inequality.right));
            });
            into.extend(self.content_end(var));
        });
        let rows = components.ids().map(|id| {
            let rows = components.get(id).iter().copied();
            let mut rows: Vec<RowVarId> = rows.filter(|var| wanted.contains(var)).collect();
            rows.sort_unstable();
            rows
        });
        rows.filter(|rows| !rows.is_empty()).collect()
    }

    /// Orders the rows of a cycle by which gets its marker first: a closed one before an open one, one for which a
    /// place is declared before one for which none is, and of two places the one that is nearer to the middle.
    fn declared(&self, var: RowVarId) -> (bool, bool, u32, u32) {
        let Binding::Content(content) = self.binding(var) else {
            return (true, true, 0, 0);
        };
        let (content, node) = (
            self.row(self.rows.contents.at(content).row),
            self.rows.nodes.at(var),
        );
        let PerFlank([outer, beyond]) = node.len;
        let (place, len) = (
            outer + content.lead,
            outer + content.lead + content.trail + beyond,
        );
        let is_open = content.var.is_some();
        (
            is_open,
            node.beyond == UNDECLARED,
            (2 * place).abs_diff(len),
            place,
        )
    }

    /// Takes in the variables of which the content has become known.
    fn take_in_contents(&mut self) {
        if self.progress.placed == self.contents_found.len() {
            return;
        }
        let found = (self.progress.placed..self.contents_found.len()).map(|at| at as u32);
        let found: Vec<RowVarId> = found.map(|at| self.contents_found.get(at)).collect();
        self.progress.placed = self.contents_found.len();
        let found = self.without_names(found);
        for var in &found {
            self.note_parts(*var);
        }
        self.agenda.placements.due.extend(found);
    }

    /// Returns the variables that are not just other names. A name hands on what inequalities ask of it before any
    /// marker is placed.
    fn without_names(&mut self, found: Vec<RowVarId>) -> Vec<RowVarId> {
        let is_name = |engine: &Engine, content: ContentId| {
            let middle = engine.row(engine.rows.contents.at(content).row);
            middle.lead + middle.trail == 0 && middle.var.is_some()
        };
        let mut others = Vec::new();
        for mut var in found {
            while let Binding::Content(content) = self.binding(var)
                && is_name(self, content)
            {
                self.place(var, content);
                var = self
                    .row(self.rows.contents.at(content).row)
                    .var
                    .unwrap_or(var);
            }
            if matches!(self.binding(var), Binding::Content(_)) {
                others.push(var);
            }
        }
        others
    }

    /// Places a variable; the variables that its content ends in go first, so that each is spelled out once. One that
    /// is just another name hands on at once what inequalities ask of it. Where a row has to have axes before its
    /// equation is resolved, this is all that happens, and the outermost such row comes first: what is asked of it may
    /// be asked of the others.
    fn place_with_tail(&mut self, var: RowVarId) -> EngineResult {
        if let Binding::Content(content) = self.binding(var)
            && self.row(self.rows.contents.at(content).row).var.is_none()
        {
            self.place(var, content);
            return Ok(());
        }
        let mut chain = std::mem::take(&mut self.agenda.placements.chain);
        let step = self.place_chain(var, &mut chain);
        chain.clear();
        self.agenda.placements.chain = chain;
        step
    }

    /// Places the same, with a list to write to.
    fn place_chain(&mut self, var: RowVarId, chain: &mut Vec<RowVarId>) -> EngineResult {
        let mut end = Some(var);
        while let Some(var) = end
            && let Binding::Content(content) = self.binding(var)
        {
            let middle = self.row(self.rows.contents.at(content).row);
            match middle.lead + middle.trail == 0 && middle.var.is_some() {
                true => self.place(var, content),
                false => chain.push(var),
            }
            end = middle.var;
        }
        for at in 0..chain.len() {
            let row = chain[at];
            if let Binding::Content(content) = self.binding(row)
                && self.asks_across(row)
            {
                self.ask_first(row, content)?;
                self.agenda.placements.due.extend(chain.drain(..at).rev());
                return Ok(());
            }
        }
        while let Some(var) = chain.pop() {
            if let Binding::Content(content) = self.binding(var) {
                let content = self.as_declared(var, content)?;
                self.place(var, content);
            }
        }
        Ok(())
    }

    /// Returns the content of a variable, spelled out where the marker is declared outside of the variable in which it
    /// ends. Of `[a <r>] ~ <s>; [b <s>] ~ [3, 4]` the closed row says that the marker of `s` is at its front, though
    /// `r`, of which `s` is a part, has nothing in front of which it could stand. Likewise where inequalities ask for
    /// more axes of one flank than stand there: of `[a <r>] ~ <s>; <r> ~ [4]; <s> <= [3, 4]` the marker of `s` is at
    /// its front, wherever `r` has one.
    fn as_declared(
        &mut self,
        var: RowVarId,
        content: ContentId,
    ) -> Result<ContentId, Box<Failure>> {
        let Content { row, reason } = self.rows.contents.get(content);
        let end = self.row(row).var;
        if end.is_none() || self.open_in(end).is_some() {
            return Ok(content);
        }
        let spelled = self.spell(row)?;
        let asked = self.asked(var);
        let PerFlank([front, back]) = asked.zip(self.rows.nodes.at(var).len, |asked, len| {
            (asked - len) as usize
        });
        let declared = spelled.declared() as usize;
        let place = match spelled.len().checked_sub(back) {
            Some(last) if front <= last => declared.clamp(front, last),
            _ => declared,
        };
        if place == spelled.lead.len() {
            return Ok(content);
        }
        // A row that this one is a part of has its marker where it was declared, though this one does not reach so far;
        // but where what is asked of this one says where the marker is, it is nowhere else.
        self.rows.nodes.edit(var).beyond = match place == declared {
            true => spelled.beyond_from(place),
            false => 0,
        };
        let axes: Vec<Term> = spelled.axes().collect();
        let row = self.content_row(&axes[..place], None, &axes[place..]);
        let reason = self.inferences.both(Rule::ReNested, reason, spelled.reason);
        Ok(self.rows.contents.push(Content { row, reason }))
    }

    /// Says whether inequalities ask for more axes of one flank than are known there, up to the variable in which the
    /// content ends, while there are more at the other end than are asked for. Placing the marker would take all of
    /// them from the content's variable, and those at the other end would be further ones: of `[s <b>] ~ <t>; <t> <=
    /// [4, 3]` it would make `t` a row of three axes, where two will do.
    fn asks_across(&mut self, var: RowVarId) -> bool {
        let (mut known, mut end) = (PerFlank::both(0), Some(var));
        while let Some(row) = end {
            let node = self.rows.nodes.at(row);
            known = known.zip(node.len, |known, len| known + len);
            end = match node.binding {
                Binding::Content(content) | Binding::Alias(content) => {
                    let row = self.row(self.rows.contents.at(content).row);
                    known = PerFlank::each(|flank| known[flank] + row.flank(flank));
                    match row.var {
                        Some(inner) => Some(inner),
                        None => return false,
                    }
                }
                Binding::Open => None,
                Binding::Closed => return false,
            };
        }
        let asked = self.asked(var);
        let [front, back] = Flank::BOTH.map(|flank| known[flank].cmp(&asked[flank]));
        front.is_ne() && front == back.reverse()
    }

    /// Counts the axes of each flank for which inequalities ask; those that are known are asked for.
    fn asked(&mut self, var: RowVarId) -> PerFlank<u32> {
        let node = self.rows.nodes.at(var);
        let (mut asked, mut next, mut seen) = (node.len, node.results, 0);
        while let Some(at) = next {
            let inequality = self.rows.inequalities.at(at);
            let above = inequality
                .right
                .map_or(PerFlank::both(0), |above| self.rows.nodes.at(above).len);
            let above = above.zip(inequality.surplus, |len, more| len as i32 + more);
            asked = asked.zip(above, |asked, above| asked.max(above.max(0) as u32));
            (next, seen) = (inequality.next_result, seen + 1);
        }
        self.count(seen);
        asked
    }

    /// Takes a content back to the equation that it came from, which waits; the variable gets the axes that are asked
    /// of it.
    fn ask_first(&mut self, var: RowVarId, content: ContentId) -> EngineResult {
        let Content { row, reason } = self.rows.contents.get(content);
        self.write_all(var)?;
        let content = self.row(row);
        let axes = |e: &Engine, flank| -> Vec<Term> {
            let known = e.rows.axes_of(var, flank);
            let inner = (0..content.flank(flank)).map(|at| content.place(flank, at) as usize);
            known.chain(inner.map(|at| e.problem.terms[at])).collect()
        };
        let (lead, mut trail) = (axes(self, Flank::Leading), axes(self, Flank::Trailing));
        trail.reverse();
        let known = self.flat_reason(var);
        let Some(reason) = self.inferences.both(Rule::ReNested, reason, known) else {
            // An alias comes from no equation that could wait.
            return Ok(());
        };
        let whole = self.problem.row_of(&lead, content.var, &trail);
        let alone = self.problem.row_of(&[], Some(var), &[]);
        let equation = self.problem.pair(whole, alone);
        self.rows.nodes.edit(var).binding = Binding::Open;
        self.sizes.spell_all_again();
        let vars: Vec<RowVarId> = self.open_in(content.var).into_iter().chain([var]).collect();
        self.defer(equation, reason, None, &vars);
        self.agenda.placements.release(Blocker::Row(var));
        self.closed_below(var);
        Ok(())
    }

    /// Commits the marker: where the content was split, which is the split that a closed side declared where it
    /// falls inside the middle and the left edge otherwise; or where the variable of the content stands.
    pub(crate) fn place(&mut self, var: RowVarId, content: ContentId) {
        let Content { row, reason } = self.rows.contents.get(content);
        let middle = self.row(row);
        let rule = if middle.var.is_none() {
            Rule::ReOpenClosed
        } else {
            Rule::ReNested
        };
        self.progress.counters.placements += 1;
        let known = self.flat_reason(var);
        let flat = self.inferences.both(rule, known, reason);
        let inference = self
            .inferences
            .commit(rule, Conclusion::Placed(var), [reason, None]);
        self.rows.nodes.edit(var).binding = Binding::Closed;
        self.absorb(var, Flank::Leading, middle, middle.lead, inference);
        self.absorb(var, Flank::Trailing, middle, middle.trail, inference);
        let fixed = self.rows.nodes.at(var).fixed;
        let fixed = self.inferences.both(rule, fixed, Some(inference));
        let node = self.rows.nodes.edit(var);
        (node.fixed, node.flat) = (fixed, flat);
        self.agenda.placements.release(Blocker::Row(var));
        if middle.var.is_none() {
            self.closed(var);
            return;
        }
        let alias = self.content_row(&[], middle.var, &[]);
        let alias = self.rows.contents.push(Content {
            row: alias,
            reason: None,
        });
        self.rows.nodes.edit(var).binding = Binding::Alias(alias);
        self.pass_on(var);
    }

    /// Lets `count` axes of a middle become axes of a flank.
    fn absorb(
        &mut self,
        var: RowVarId,
        flank: Flank,
        middle: RowId,
        count: u32,
        inference: Reason,
    ) {
        let len = self.rows.nodes.at(var).len[flank];
        for position in 0..count {
            let axis = self.problem.terms[middle.place(flank, position) as usize];
            self.write_axis(var, flank, len + position, axis);
        }
        if count > 0 {
            let grown = self.rows.nodes.at(var).length_reasons[flank];
            // The first parent is followed in search of a cycle of rows that grow for ever, and a content that is
            // placed ends.
            let grown = self
                .inferences
                .both(Rule::ReOpenClosed, Some(inference), grown);
            let node = self.rows.nodes.edit(var);
            node.len[flank] = len + count;
            node.length_reasons[flank] = grown;
        }
    }

    /// States every inequality on an aliased variable again, on the variable that it is an alias of.
    pub(crate) fn pass_on(&mut self, var: RowVarId) {
        let node = self.rows.nodes.get(var);
        let mut all = std::mem::take(&mut self.agenda.search);
        let mut next = node.results;
        while let Some(at) = next {
            all.push(at);
            next = self.rows.inequalities.at(at).next_result;
        }
        next = node.operands;
        while let Some(at) = next {
            let Inequality {
                left, next_operand, ..
            } = *self.rows.inequalities.at(at);
            if left != Some(var) {
                all.push(at);
            }
            next = next_operand;
        }
        all.sort_unstable();
        self.count(all.len());
        for at in all.drain(..) {
            let inequality = self.rows.inequalities.get(at);
            self.register(inequality.row, inequality.reason, inequality.done);
        }
        self.agenda.search = all;
    }

    /// Returns a pair of rows with aliased variables spelled out.
    pub(crate) fn through_aliases(
        &mut self,
        row: RowTermId,
        reason: Reason,
    ) -> (RowTermId, Reason) {
        if self.rows.contents.len() == 0 {
            return (row, reason);
        }
        let (left, right) = (self.row(row), self.row(row.right()));
        let is_aliased = |var: &RowVarId| matches!(self.binding(*var), Binding::Alias(_));
        if ![left.var, right.var].iter().flatten().any(is_aliased) {
            return (row, reason);
        }
        let (left, reason) = self.through_alias(left, reason);
        let (right, reason) = self.through_alias(right, reason);
        (self.problem.pair(left, right), reason)
    }

    fn through_alias(&mut self, row: RowId, mut reason: Reason) -> (RowId, Reason) {
        let (mut var, start) = (row.var, self.problem.terms.len());
        if !var.is_some_and(|var| matches!(self.binding(var), Binding::Alias(_))) {
            self.count((row.lead + row.trail) as usize);
            return (row, reason);
        }
        // Asking for room for the axes of each row took a twentieth of the time of a transformer.
        let mut trail = std::mem::take(&mut self.agenda.placements.trail);
        let written = row.start as usize;
        let (lead, end) = (
            written + row.lead as usize,
            written + (row.lead + row.trail) as usize,
        );
        self.problem.terms.extend_from_within(written..lead);
        while let Some(alias) = var
            && let Binding::Alias(content) = self.binding(alias)
        {
            self.problem
                .terms
                .extend(self.rows.axes_of(alias, Flank::Leading));
            trail.extend(self.rows.axes_of(alias, Flank::Trailing));
            let PerFlank([front, back]) = PerFlank::each(|flank| self.axes_reason(alias, flank));
            let axes = self.inferences.both(Rule::ReNested, front, back);
            reason = self.inferences.with(Rule::ReNested, reason, axes);
            var = self.row(self.rows.contents.at(content).row).var;
            self.count(1);
        }
        let middle = self.problem.terms.len();
        self.problem.terms.extend(trail.drain(..).rev());
        self.problem.terms.extend_from_within(lead..end);
        self.agenda.placements.trail = trail;
        let len = self.problem.terms.len() - start;
        self.count(len);
        let lead = middle - start;
        let row = RowId {
            start: start as u32,
            lead: lead as u32,
            trail: (len - lead) as u32,
            var,
        };
        (row, reason)
    }

    /// Gives a variable with a known closed content more axes in a flank: they are the content's.
    pub(crate) fn consume(
        &mut self,
        var: RowVarId,
        content: ContentId,
        flank: Flank,
        needed: u32,
        reason: Reason,
    ) -> EngineResult {
        let Content { row, reason: known } = self.rows.contents.get(content);
        let (middle, len) = (self.row(row), self.rows.nodes.at(var).len[flank]);
        let (more, word) = (needed - len, middle.lead + middle.trail);
        self.step(word as usize)?;
        self.is_taken_from |= content.index() < self.contents_before;
        if more > word {
            return Err(Box::new(Failure {
                rule: Rule::RiShort,
                reasons: [reason].into_iter().chain(known).collect(),
                terms: Vec::new(),
                message: format!("the content leaves {word} axes where {more} are needed"),
                is_limit: false,
            }));
        }
        let conclusion = Conclusion::AtLeast(var, flank, needed);
        // The second parent of a length is followed in search of a cycle. The rest of a content depends on
        // the axes that were taken from it before, which is no cycle: a content ends.
        let inference = self
            .inferences
            .record(Rule::RiDeficit, conclusion, [known, Some(reason)]);
        let (taken, rest, split) = self.split_off(middle, flank, more as usize);
        for (position, axis) in taken.into_iter().enumerate() {
            self.write_axis(var, flank, len + position as u32, axis);
        }
        let fixed = self.rows.nodes.at(var).fixed;
        let fixed = self
            .inferences
            .both(Rule::ReOpenClosed, fixed, Some(inference));
        self.rows.nodes.edit(var).fixed = fixed;
        self.set_length(var, flank, needed, inference);
        let (place, left) = (middle.lead, split as u32);
        let stays = match flank {
            Flank::Leading => place == left + more,
            Flank::Trailing => place == left,
        };
        // The place that was declared is among the axes that are asked for.
        if !stays && self.rows.nodes.at(var).beyond != UNDECLARED {
            self.rows.nodes.edit(var).beyond = 0;
        }
        let row = self.content_row(&rest[..split], None, &rest[split..]);
        self.set_content(var, row, inference);
        self.flank_extended(var);
        Ok(())
    }

    /// Returns some outer axes of a closed row, from the edge inward, what is left of it, and where that is split.
    fn split_off(&self, row: RowId, flank: Flank, more: usize) -> (Vec<Term>, Vec<Term>, usize) {
        let start = row.start as usize;
        let mut axes = self.problem.terms[start..start + (row.lead + row.trail) as usize].to_vec();
        if flank == Flank::Leading {
            let rest = axes.split_off(more);
            return (axes, rest, (row.lead as usize).saturating_sub(more));
        }
        let mut taken = axes.split_off(axes.len() - more);
        taken.reverse();
        let split = (row.lead as usize).min(axes.len());
        (taken, axes, split)
    }
}
