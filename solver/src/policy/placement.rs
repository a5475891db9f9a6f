//! The first policy step of solving: where markers go.

use std::collections::VecDeque;

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::{Flank, PerFlank};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::{ContentId, DeferredId, RowTermId, RowVarId};
use crate::policy::components::Components;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::{Binding, Content, Inequality};
use crate::term::{RowId, Term};

impl Engine {
    /// Places the marker of the next variable that an inequality asks about; false when none is left, or only such as wait.
    #[inline]
    pub(crate) fn place_next(&mut self) -> Result<bool, Box<Failure>> {
        // Closing solves again after each round, mostly with nothing to place.
        let is_idle = self.placements_due.is_empty()
            && self.contents_found_again.is_empty()
            && self.placed == self.contents_found.len();
        match is_idle {
            true => Ok(false),
            false => self.place_one(),
        }
    }

    fn place_one(&mut self) -> Result<bool, Box<Failure>> {
        loop {
            if self.placements_due.is_empty() {
                let before = self.counters.placements;
                self.placements_due = self.placements_left();
                if self.counters.placements > before {
                    return Ok(true);
                }
            }
            let Some(var) = self.placements_due.pop_front() else {
                return Ok(false);
            };
            if matches!(self.binding(var), Binding::Content(_)) {
                self.place_with_tail(var)?;
                return Ok(true);
            }
        }
    }

    /// The deferred equation that may still say where the marker of a content is declared, while no inequality asks for axes of its
    /// row. Placed before, the marker would stand where the variable does in which the content ends.
    fn waits_for(&self, var: RowVarId) -> Option<DeferredId> {
        if self.rows.nodes.at(var).results.is_some() {
            return None;
        }
        let (mut end, mut axes) = (var, 0);
        while let Binding::Content(content) | Binding::Alias(content) = self.binding(end) {
            let row = self.row(self.rows.contents.at(content).row);
            axes += row.lead + row.trail;
            end = row.var?;
        }
        let is_open = axes > 0 && self.binding(end) == Binding::Open;
        let mut next = self.rows.nodes.at(end).watchers.filter(|_| is_open);
        while let Some(watch) = next.map(|watch| *self.watches.at(watch)) {
            if !self.deferred.at(watch.deferred).done {
                return Some(watch.deferred);
            }
            next = watch.next;
        }
        None
    }

    /// Lets the markers be placed that waited for an equation.
    pub(crate) fn no_longer_waiting(&mut self, deferred: DeferredId) {
        if let Some(vars) = self.placements_waiting.remove(&deferred) {
            self.contents_found_again.extend(vars);
        }
    }

    /// Lets all markers be placed that wait for something; false where none does.
    pub(crate) fn place_those_waiting(&mut self) -> bool {
        if self.placements_waiting.is_empty() {
            return !self.placements_due.is_empty();
        }
        let mut waiting: Vec<_> = self.placements_waiting.drain().collect();
        waiting.sort_unstable_by_key(|(deferred, _)| *deferred);
        self.placements_due
            .extend(waiting.into_iter().flat_map(|(_, vars)| vars));
        !self.placements_due.is_empty()
    }

    /// Those variables that are not just other names. A name hands on what inequalities ask of it before any marker is placed.
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

    /// Those variables that need not wait, neither for an equation of their own nor for that of a row above them, whose axes they
    /// have to have.
    fn without_those_waiting(&mut self, found: Vec<RowVarId>) -> Vec<RowVarId> {
        let mut ready = Vec::new();
        for var in found {
            match self.waits_for(var) {
                Some(deferred) => self.wait(var, deferred),
                None => ready.push(var),
            }
        }
        if !ready
            .iter()
            .any(|var| self.rows.nodes.at(*var).results.is_some())
        {
            return ready;
        }
        let below = self.below_what_is_deferred();
        let (held, ready): (Vec<RowVarId>, Vec<RowVarId>) =
            ready.into_iter().partition(|var| below.contains_key(var));
        for var in held {
            self.wait(var, below[&var]);
        }
        ready
    }

    fn wait(&mut self, var: RowVarId, deferred: DeferredId) {
        self.placements_waiting
            .entry(deferred)
            .or_default()
            .push(var);
    }

    /// The variables below those that wait and below the open ones of deferred equations, each with an equation that is waited for.
    fn below_what_is_deferred(&mut self) -> FxHashMap<RowVarId, DeferredId> {
        let mut roots: Vec<(DeferredId, RowVarId)> = Vec::new();
        for (deferred, vars) in &self.placements_waiting {
            roots.extend(vars.iter().map(|var| (*deferred, *var)));
        }
        roots.sort_unstable();
        for id in self.deferred.ids() {
            let deferred = self.deferred.at(id);
            if !deferred.done {
                let rows = [deferred.row, deferred.row.right()];
                roots.extend(
                    rows.into_iter()
                        .filter_map(|row| Some((id, self.open_end(row)?))),
                );
            }
        }
        self.count(self.deferred.len());
        let mut below = FxHashMap::default();
        while let Some((deferred, var)) = roots.pop() {
            self.count(1);
            let mut next = self.rows.nodes.at(var).operands;
            while let Some(at) = next {
                let inequality = self.rows.inequalities.at(at);
                next = inequality.next_operand;
                if let Some(left) = inequality.left
                    && below.insert(left, deferred).is_none()
                {
                    roots.push((deferred, left));
                }
            }
        }
        below
    }

    /// The open variable in which a row ends.
    fn open_end(&self, row: RowTermId) -> Option<RowVarId> {
        let mut var = self.row(row).var?;
        while let Binding::Content(id) | Binding::Alias(id) = self.binding(var) {
            var = self.row(self.rows.contents.at(id).row).var?;
        }
        (self.binding(var) == Binding::Open).then_some(var)
    }

    /// The variables that are to be placed. Where the declared place of a marker does not suit that of a row above, each comes after
    /// those that it is below: it has to have their axes, so where its marker may stand depends on where theirs do.
    fn placements_left(&mut self) -> VecDeque<RowVarId> {
        let found = (self.placed..self.contents_found.len()).map(|at| at as u32);
        let mut found: Vec<RowVarId> = found.map(|at| self.contents_found.get(at)).collect();
        self.placed = self.contents_found.len();
        found.append(&mut self.contents_found_again);
        let found = self.without_names(found);
        let found = self.without_those_waiting(found);
        if found.len() <= 1 || found.iter().all(|var| self.suits_what_is_above(*var)) {
            return found.into();
        }
        self.count(self.rows.nodes.len());
        let wanted: FxHashSet<RowVarId> = found.iter().copied().collect();
        let components = Components::of(self.rows.nodes.len(), found, |var, into| {
            self.each_operand(var, |inequality| into.extend(inequality.right));
            if let Binding::Content(content) | Binding::Alias(content) = self.binding(var) {
                into.extend(self.row(self.rows.contents.at(content).row).var);
            }
        });
        let placed = components.ids().flat_map(|id| components.get(id));
        placed
            .filter(|var| wanted.contains(*var))
            .copied()
            .collect()
    }

    /// Whether a row has the axes of each row that it is below, if the markers of both go where they are declared.
    fn suits_what_is_above(&self, var: RowVarId) -> bool {
        let own = self.declared_flanks(var);
        let mut suits = true;
        self.each_operand(var, |inequality| {
            let above = inequality
                .right
                .and_then(|above| self.declared_flanks(above));
            if let (Some(own), Some(above)) = (own, above) {
                let long =
                    |flank| own[flank] as i32 >= above[flank] as i32 + inequality.surplus[flank];
                suits &= Flank::BOTH.into_iter().all(long);
            }
        });
        suits
    }

    /// The lengths that the flanks of a row with a closed content have where its marker goes where it is declared.
    fn declared_flanks(&self, var: RowVarId) -> Option<PerFlank<u32>> {
        let Binding::Content(content) = self.binding(var) else {
            return None;
        };
        let (content, len) = (
            self.row(self.rows.contents.at(content).row),
            self.rows.nodes.at(var).len,
        );
        let closed = content.var.is_none();
        closed.then(|| PerFlank::each(|flank| len[flank] + content.flank(flank)))
    }

    /// Places a variable; the variables that its content ends in go first, so that each is spelled out once. One that is just another
    /// name hands on at once what inequalities ask of it.
    fn place_with_tail(&mut self, var: RowVarId) -> EngineResult {
        let (mut chain, mut end) = (Vec::new(), Some(var));
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
        while let Some(var) = chain.pop() {
            if let Binding::Content(content) = self.binding(var) {
                match self.asks_across(var, content) {
                    true => self.ask_first(var, content),
                    false => {
                        let content = self.as_declared(content)?;
                        self.place(var, content);
                    }
                }
            }
        }
        Ok(())
    }

    /// The content of a variable, spelled out where the marker is declared outside of the variable in which it ends. Of
    /// `[a <r>] ~ <s>; [b <s>] ~ [3, 4]` the closed row says that the marker of `s` is at its front, though `r`, of which `s` is
    /// a part, has nothing in front of which it could stand.
    fn as_declared(&mut self, content: ContentId) -> Result<ContentId, Box<Failure>> {
        let Content { row, reason } = self.rows.contents.get(content);
        if self.row(row).var.is_none() {
            return Ok(content);
        }
        let spelled = self.spell(row)?;
        let Some(place) = spelled.declared_elsewhere() else {
            return Ok(content);
        };
        let axes: Vec<Term> = spelled.axes().collect();
        let row = self.content_row(&axes[..place], None, &axes[place..]);
        let reason = self.inferences.both(Rule::ReNested, reason, spelled.reason);
        Ok(self.rows.contents.push(Content { row, reason }))
    }

    /// Whether inequalities ask for more axes of one flank than the content of a variable has written there, while it has axes
    /// at its other end. Placing the marker would take all of them from the content's variable, and the axes at the other end
    /// would be further ones: of `[s <b>] ~ <t>; <t> <= [4, 3]` it would make `t` a row of three axes, where two will do.
    fn asks_across(&self, var: RowVarId, content: ContentId) -> bool {
        let middle = self.row(self.rows.contents.at(content).row);
        let node = self.rows.nodes.at(var);
        if middle.var.is_none() || node.len != PerFlank::both(0) {
            return false;
        }
        let across = |flank: Flank| {
            let other = Flank::BOTH.into_iter().find(|other| *other != flank);
            other.is_some_and(|other| middle.flank(other) > 0)
        };
        let mut next = node.results;
        while let Some(at) = next {
            let inequality = self.rows.inequalities.at(at);
            for flank in Flank::BOTH.into_iter().filter(|flank| across(*flank)) {
                let of_operand = inequality
                    .right
                    .map_or(0, |operand| self.rows.nodes.at(operand).len[flank]);
                let asked = of_operand as i32 + inequality.surplus[flank];
                if asked > middle.flank(flank) as i32 {
                    return true;
                }
            }
            next = inequality.next_result;
        }
        false
    }

    /// Takes a content back to the equation that it came from, which waits; the variable gets the axes that are asked of it.
    fn ask_first(&mut self, var: RowVarId, content: ContentId) {
        let Content {
            row,
            reason: Some(reason),
        } = self.rows.contents.get(content)
        else {
            // An alias comes from no equation that could wait.
            return;
        };
        let content = self.row(row);
        let alone = self.problem.row_of(&[], Some(var), &[]);
        let equation = self.problem.pair(content, alone);
        self.rows.nodes.edit(var).binding = Binding::Open;
        self.sizes.spell_all_again();
        let vars: Vec<RowVarId> = content.var.into_iter().chain([var]).collect();
        self.defer(equation, reason, None, &vars);
        self.closed_below(var);
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
        self.counters.placements += 1;
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
            // The first parent is followed in search of a cycle of rows that grow for ever, and a content that is placed ends.
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
        let mut all = Vec::new();
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
        for at in all {
            let inequality = self.rows.inequalities.get(at);
            self.register(inequality.row, inequality.reason, inequality.done);
        }
    }

    /// A pair of rows with aliased variables spelled out.
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
        let mut var = row.var;
        let axes = |e: &Engine, from: u32, count: u32| -> Vec<Term> {
            e.problem.terms[from as usize..(from + count) as usize].to_vec()
        };
        let mut lead = axes(self, row.start, row.lead);
        let mut trail = axes(self, row.start + row.lead, row.trail);
        trail.reverse();
        while let Some(alias) = var
            && let Binding::Alias(content) = self.binding(alias)
        {
            lead.extend(self.rows.axes_of(alias, Flank::Leading));
            trail.extend(self.rows.axes_of(alias, Flank::Trailing));
            let PerFlank([front, back]) = PerFlank::each(|flank| self.axes_reason(alias, flank));
            let axes = self.inferences.both(Rule::ReNested, front, back);
            reason = self.inferences.with(Rule::ReNested, reason, axes);
            var = self.row(self.rows.contents.at(content).row).var;
            self.count(1);
        }
        self.count(lead.len() + trail.len());
        trail.reverse();
        (self.problem.row_of(&lead, var, &trail), reason)
    }

    /// A variable with a known closed content has to have more axes in a flank: they are the content's.
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
        // The second parent of a length is followed in search of a cycle. What is left of a content rests on what was taken from it
        // before, which is no cycle: a content ends.
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
        let row = self.content_row(&rest[..split], None, &rest[split..]);
        self.set_content(var, row, inference);
        self.flank_extended(var);
        Ok(())
    }

    /// Some outer axes of a closed row, from the edge inward, what is left of it, and where that is split.
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
