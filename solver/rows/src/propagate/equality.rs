//! Row equalities (Def. 4.3): equality of flat content, markers unseen.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::{Flank, PerFlank};

use crate::ids::{ContentId, DeferredId, Id, RowTermId, RowVarId};
use crate::state::agenda::Equation;
use crate::state::engine::{Deferred, Engine, EngineResult, Watch};
use crate::state::expanded::{Expanded, reach};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::placements::Blocker;
use crate::state::rows::{Binding, Content, UNDECLARED};
use crate::term::{RowId, Term};

/// The relation that is left between two spelled rows once their overlapping axes are equal.
pub(crate) enum Residue<'a> {
    /// Nothing is left to say.
    Done,
    /// The first variable's content is the second row.
    Bind(RowVarId, Middle<'a>, Rule),
    /// `s · x = y · t`: the variables x and y, and how long s and t are.
    Split(RowVarId, RowVarId, usize, usize),
    /// `s · x = x · t`.
    Rotation(RowVarId),
}

/// The content that a variable has between its known flanks, with the place of the marker or of another variable: a
/// part of a spelled row, whose axes are copied once, to where the problem keeps its rows.
pub(crate) struct Middle<'a> {
    of: &'a Expanded,
    /// The first axis of that row, the end, and the place where it is split.
    start: usize,
    end: usize,
    split: usize,
    var: Option<RowVarId>,
    /// The distance of the declared place of the marker outside of it ([`RowNode::beyond`]).
    beyond: i8,
}

impl Engine {
    /// Spells out a row of the problem.
    pub(crate) fn spell(&mut self, row: RowTermId) -> Result<Expanded, Box<Failure>> {
        let mut spelled = Expanded::default();
        self.spell_into(row, &mut spelled)?;
        Ok(spelled)
    }

    /// Spells the same into a spelled row that has been used before, so that no room has to be asked for.
    fn spell_into(&mut self, row: RowTermId, spelled: &mut Expanded) -> EngineResult {
        spelled.lead.clear();
        spelled.trail.clear();
        (spelled.open, spelled.reason) = (None, None);
        spelled.declare(0);
        let mut row = self.row(row);
        let mut last = None;
        loop {
            let written = (row.lead + row.trail) as usize;
            self.step(1 + written)?;
            if written > 0 {
                let (start, lead) = (row.start as usize, row.lead as usize);
                let axes = &self.problem.terms[start..start + written];
                spelled.lead.extend_from_slice(&axes[..lead]);
                spelled.trail.extend(axes[lead..].iter().rev());
            }
            let Some(var) = row.var else {
                spelled.declare(last.map_or(0, |last| self.rows.nodes.at(last).beyond));
                return Ok(());
            };
            last = Some(var);
            // Of most variables no axis is known.
            match self.rows.nodes.at(var).len == PerFlank::both(0) {
                true => self.rows.materialise(var),
                false => {
                    self.write_all(var)?;
                    let axes = |flank| self.rows.storage_of(var, flank).iter().flatten();
                    spelled.lead.extend(axes(Flank::Leading));
                    spelled.trail.extend(axes(Flank::Trailing));
                }
            }
            let flat = self.flat_reason(var);
            spelled.reason = self.inferences.both(Rule::ReNested, spelled.reason, flat);
            let node = self.rows.nodes.at(var);
            match node.binding {
                Binding::Open => {
                    spelled.open = row.var;
                    return Ok(());
                }
                Binding::Closed => {
                    spelled.declare(node.beyond);
                    return Ok(());
                }
                Binding::Content(content) | Binding::Alias(content) => {
                    let content = self.rows.contents.get(content);
                    spelled.reason =
                        self.inferences
                            .both(Rule::ReNested, spelled.reason, content.reason);
                    row = self.row(content.row);
                }
            }
        }
    }

    /// Returns the reason for the known prefix and suffix of a variable's content.
    #[inline]
    pub(crate) fn flat_reason(&mut self, var: RowVarId) -> Option<Reason> {
        let node = self.rows.nodes.at(var);
        if matches!(node.binding, Binding::Closed | Binding::Alias(_)) {
            return node.flat;
        }
        let (PerFlank([lead, trail]), fixed) = (node.length_reasons, node.fixed);
        if lead.is_none() && trail.is_none() {
            return fixed;
        }
        self.reason_of_flanks(lead, trail, fixed)
    }

    fn reason_of_flanks(
        &mut self,
        lead: Option<Reason>,
        trail: Option<Reason>,
        fixed: Option<Reason>,
    ) -> Option<Reason> {
        let grown = self.inferences.both(Rule::RiDeficit, lead, trail);
        self.inferences.both(Rule::ReNested, grown, fixed)
    }

    /// Looks at an equation.
    #[inline(never)]
    pub(crate) fn equate(&mut self, equation: Equation) -> EngineResult {
        if equation
            .deferred
            .is_some_and(|id| self.deferred.at(id).done)
        {
            return Ok(());
        }
        // Asking for room for the axes of each row took a tenth of the time of a set of matrix products.
        let mut rows = self.spelled.take().unwrap_or_default();
        let step = self.equate_in(equation, &mut rows);
        self.spelled = Some(rows);
        step
    }

    /// Equates the same, with two spelled rows to write to.
    fn equate_in(&mut self, equation: Equation, [a, b]: &mut [Expanded; 2]) -> EngineResult {
        let Equation {
            row,
            reason,
            deferred,
        } = equation;
        if self.rows.are_axes_held && self.name_each_other(equation) {
            return Ok(());
        }
        self.spell_into(row, a)?;
        self.spell_into(row.right(), b)?;
        let asserted = reason;
        let known = self.inferences.both(Rule::ReNested, a.reason, b.reason);
        // Where no axes meet, the reasons meet in the conclusion only.
        let apart = a.open.is_some() && b.open.is_some() && a.open != b.open;
        let (reason, known) = if apart && a.len().min(b.len()) == 0 {
            (reason, known)
        } else {
            (self.inferences.with(Rule::ReNested, reason, known), None)
        };
        match self.reduce(a, b, reason)? {
            Residue::Done => {
                self.discharge(deferred);
                if a.open.is_none() && a.declared() != b.declared() {
                    self.is_taken_from |= self.is_going_on();
                    self.share_marker(row, a, b);
                }
            }
            Residue::Bind(var, mut middle, rule) => {
                self.discharge(deferred);
                middle.var = middle.var.map(|var| self.inner_of(var));
                self.bind_content(var, middle, rule, [Some(reason), known]);
            }
            Residue::Split(x, y, ..) => self.put_off(row, asserted, deferred, &[x, y])?,
            Residue::Rotation(x) => self.put_off(row, asserted, deferred, &[x])?,
        }
        Ok(())
    }

    /// Equates the axes that overlap, and returns what remains to be said.
    pub(crate) fn reduce<'a>(
        &mut self,
        a: &'a Expanded,
        b: &'a Expanded,
        reason: Reason,
    ) -> Result<Residue<'a>, Box<Failure>> {
        match (a.open, b.open) {
            (None, None) => {
                if a.len() != b.len() {
                    let message = format!("{} axes against {}", a.len(), b.len());
                    return Err(refused(Rule::ReClosed, reason, message));
                }
                for at in 0..a.len() {
                    self.equal(a.axis(at), b.axis(at), reason)?;
                }
                Ok(Residue::Done)
            }
            (Some(var), None) => self.open_closed(var, a, b, reason),
            (None, Some(var)) => self.open_closed(var, b, a, reason),
            (Some(x), Some(y)) => self.open_open((a, x), (b, y), reason),
        }
    }

    fn equal(&mut self, a: Term, b: Term, reason: Reason) -> EngineResult {
        self.dims
            .equal(a, b, Rule::DeBind, reason, &mut self.inferences)
    }

    /// Applies (b): the content of the variable is the part of the closed row beyond the open one's axes.
    fn open_closed<'a>(
        &mut self,
        var: RowVarId,
        open: &Expanded,
        closed: &'a Expanded,
        reason: Reason,
    ) -> Result<Residue<'a>, Box<Failure>> {
        let (rank, start) = (closed.len(), open.lead.len());
        let Some(end) = rank.checked_sub(open.trail.len()).filter(|e| start <= *e) else {
            let message = format!("{} axes at least against {rank}", open.len());
            return Err(refused(Rule::ReOpenClosed, reason, message));
        };
        for (at, axis) in open.lead.iter().enumerate() {
            self.equal(*axis, closed.axis(at), reason)?;
        }
        for (at, axis) in open.trail.iter().enumerate() {
            self.equal(*axis, closed.axis(rank - 1 - at), reason)?;
        }
        let declared = closed.lead.len() as i64 + i64::from(closed.beyond);
        let split = declared.clamp(start as i64, end as i64) as usize;
        let middle = Middle {
            of: closed,
            start,
            end,
            split,
            var: None,
            beyond: match closed.is_undeclared {
                true => UNDECLARED,
                false => self.outside(var, declared - split as i64),
            },
        };
        Ok(Residue::Bind(var, middle, Rule::ReOpenClosed))
    }

    /// Returns how far outside of the middle of a row its marker is declared, for a place that is so far outside; 0
    /// where inequalities ask for axes on that side, since the marker is at that end of the middle then, wherever it
    /// was declared.
    fn outside(&self, var: RowVarId, distance: i64) -> i8 {
        let side = match distance < 0 {
            true => Flank::Leading,
            false => Flank::Trailing,
        };
        match self.rows.nodes.at(var).asked().has(side) {
            true => 0,
            false => reach(distance),
        }
    }

    /// Settles the marker of two closed rows of one content that declare different places for it.
    fn share_marker(&mut self, row: RowTermId, a: &Expanded, b: &Expanded) {
        let [left, right] = [row, row.right()].map(|row| self.unplaced_in(row));
        // Where a row is compared with itself, shifted, no other place is declared for it.
        let is_one = left.is_some() && left.map(|(_, id)| id) == right.map(|(_, id)| id);
        if is_one {
            return;
        }
        for (unplaced, [own, other]) in [(left, [a, b]), (right, [b, a])] {
            let further = other.declared() - own.lead.len() as i64;
            let moves = further != 0 && !other.is_undeclared;
            match unplaced.filter(|_| moves) {
                Some((var, content)) if own.is_undeclared => {
                    self.move_marker(var, content, further);
                }
                Some((var, content)) => self.declare_marker(var, content, further),
                None => {}
            }
        }
        for (row, own, other) in [(row, a, b), (row.right(), b, a)] {
            // Its middle is that of the variable of the row, whatever axes the equation has around it.
            let around = self.row(row);
            let around = [around.lead, around.trail].map(i64::from);
            if let Some(end) = self.empty_end(row)
                && other.nearness(around) < own.nearness(around)
            {
                let beyond = other.declared() - own.lead.len() as i64;
                self.rows.nodes.edit(end).beyond = self.outside(end, beyond);
            }
        }
    }

    /// Returns the variable without axes in which a row ends, where that is known; none where it stands between axes of
    /// a row that has its marker there.
    fn empty_end(&self, row: RowTermId) -> Option<RowVarId> {
        let mut var = self.row(row).var?;
        while let binding @ (Binding::Content(id) | Binding::Alias(id)) = self.binding(var) {
            let is_placed = matches!(binding, Binding::Alias(_));
            if is_placed && self.rows.nodes.at(var).len != PerFlank::both(0) {
                return None;
            }
            var = self.row(self.rows.contents.at(id).row).var?;
        }
        let is_empty = self.rows.nodes.at(var).len == PerFlank::both(0);
        (self.binding(var) == Binding::Closed && is_empty).then_some(var)
    }

    /// Returns the content without a marker in which a row ends, with its variable.
    fn unplaced_in(&self, row: RowTermId) -> Option<(RowVarId, ContentId)> {
        let mut var = self.row(row).var?;
        loop {
            let (Binding::Content(id) | Binding::Alias(id)) = self.binding(var) else {
                return None;
            };
            match self.row(self.rows.contents.at(id).row).var {
                Some(inner) => var = inner,
                None => return Some((var, id)),
            }
        }
    }

    /// Notes that a content that has no marker yet has another place declared for it, so many axes further back. It
    /// gets the place that is nearer to the middle of its row, and of two equally near ones the left one, whichever was
    /// declared first: where no place is written the marker stands at an edge. Where the row was found to be a part of
    /// another one before either was declared, the middle of the part counts, which may be another place.
    fn declare_marker(&mut self, var: RowVarId, id: ContentId, further: i64) {
        let content = self.row(self.rows.contents.at(id).row);
        let [outer, beyond] = Flank::BOTH.map(|flank| self.rows.nodes.at(var).len[flank]);
        let (place, len) = (content.lead, content.lead + content.trail);
        let key = |place: u32| ((2 * (outer + place)).abs_diff(outer + len + beyond), place);
        let other = (i64::from(place) + further).clamp(0, i64::from(len)) as u32;
        if key(other) < key(place) {
            self.move_marker(var, id, further);
        }
    }

    /// Declares the marker of a content so many axes further back, as far as the content reaches.
    fn move_marker(&mut self, var: RowVarId, id: ContentId, further: i64) {
        let Content { row, reason } = self.rows.contents.get(id);
        let content = self.row(row);
        let len = content.lead + content.trail;
        let declared = i64::from(content.lead) + further;
        let place = declared.clamp(0, i64::from(len)) as usize;
        self.rows.nodes.edit(var).beyond = self.outside(var, declared - place as i64);
        self.count(len as usize);
        let axes = content.start as usize..(content.start + len) as usize;
        let axes = self.problem.terms[axes].to_vec();
        let row = self.content_row(&axes[..place], None, &axes[place..]);
        *self.rows.contents.edit(id) = Content { row, reason };
    }

    /// Applies (c) and (d).
    fn open_open<'a>(
        &mut self,
        (a, x): (&'a Expanded, RowVarId),
        (b, y): (&'a Expanded, RowVarId),
        reason: Reason,
    ) -> Result<Residue<'a>, Box<Failure>> {
        if x == y && a.len() != b.len() {
            let message = "no finite row is longer than itself".to_string();
            return Err(refused(Rule::ReSame, reason, message));
        }
        for (left, right) in a
            .lead
            .iter()
            .zip(&b.lead)
            .chain(a.trail.iter().zip(&b.trail))
        {
            self.equal(*left, *right, reason)?;
        }
        let lead = a.lead.len() as i64 - b.lead.len() as i64;
        let trail = a.trail.len() as i64 - b.trail.len() as i64;
        if x == y {
            return Ok(if lead == 0 {
                Residue::Done
            } else {
                Residue::Rotation(x)
            });
        }
        let larger =
            |x: RowVarId, y: RowVarId| self.rows.nodes.at(x).height > self.rows.nodes.at(y).height;
        Ok(match (lead.signum(), trail.signum()) {
            (0, 0) if larger(x, y) => bind(y, a, b),
            (-1 | 0, -1 | 0) => bind(x, b, a),
            (0 | 1, 0 | 1) => bind(y, a, b),
            (1, _) => Residue::Split(x, y, lead as usize, -trail as usize),
            _ => Residue::Split(y, x, -lead as usize, trail as usize),
        })
    }

    /// Returns the variable that stands for what a variable holds between its known flanks: itself when it has none,
    /// else a fresh one, which inherits its constraints. Nothing is chosen: the marker stands inside.
    fn inner_of(&mut self, var: RowVarId) -> RowVarId {
        if self.rows.nodes.at(var).len == PerFlank::both(0) {
            return var;
        }
        let node = self.rows.nodes.get(var);
        let inner = self.problem.unnamed_row(self.problem.row_tag(var));
        self.rows.grow(inner.index() + 1);
        let middle = self.rows.nodes.edit(inner);
        (middle.height, middle.inside) = (node.height + 1, node.asked());
        let row = self.content_row(&[], Some(inner), &[]);
        let alias = self.rows.contents.push(Content { row, reason: None });
        let fixed = self.flat_reason(var);
        let node = self.rows.nodes.edit(var);
        (node.binding, node.fixed, node.flat) = (Binding::Alias(alias), fixed, fixed);
        self.pass_on(var);
        self.wake(var);
        inner
    }

    /// Records the flat content of a variable: entailed, whatever the place of its marker.
    #[inline(always)]
    fn bind_content(
        &mut self,
        var: RowVarId,
        middle: Middle,
        rule: Rule,
        reasons: [Option<Reason>; 2],
    ) {
        let row = self.content_row(&[], middle.var, &[]);
        let terms = &mut self.problem.terms;
        terms.extend((middle.start..middle.end).map(|at| middle.of.axis(at)));
        let content = &mut self.problem.rows[row.index()];
        content.lead = (middle.split - middle.start) as u32;
        content.trail = (middle.end - middle.split) as u32;
        let inference = self
            .inferences
            .record(rule, Conclusion::Content(var, row), reasons);
        self.rows.nodes.edit(var).beyond = middle.beyond;
        self.set_content(var, row, inference);
    }

    /// Keeps the row of a content.
    pub(crate) fn content_row(
        &mut self,
        lead: &[Term],
        var: Option<RowVarId>,
        trail: &[Term],
    ) -> RowTermId {
        let row = self.problem.row_of(lead, var, trail);
        self.problem.rows.push(row);
        RowTermId::at(self.problem.rows.len() - 1)
    }

    pub(crate) fn set_content(&mut self, var: RowVarId, row: RowTermId, inference: Reason) {
        let content = self.row(row);
        let empty = content.lead + content.trail == 0;
        let binding = if empty && content.var.is_none() {
            let known = self.flat_reason(var);
            let because = Some(inference);
            let flat = self.inferences.both(Rule::ReOpenClosed, known, because);
            let fixed = self.rows.nodes.at(var).fixed;
            let fixed = self.inferences.both(Rule::ReOpenClosed, fixed, because);
            let node = self.rows.nodes.edit(var);
            (node.fixed, node.flat) = (fixed, flat);
            Binding::Closed
        } else {
            Binding::Content(self.rows.contents.push(Content {
                row,
                reason: Some(inference),
            }))
        };
        self.rows.are_axes_held |= !empty || self.rows.nodes.at(var).len != PerFlank::both(0);
        let node = self.rows.nodes.edit(var);
        node.binding = binding;
        let (height, asked) = (
            node.height,
            node.results.is_some() || node.operands.is_some(),
        );
        if empty && let Some(inner) = content.var {
            let root = self.rows.nodes.edit(inner);
            root.height = root.height.max(height.saturating_add(1));
        }
        self.hand_on_wholes(var);
        if asked {
            self.contents_found.push(var);
            match binding {
                Binding::Closed => self.agenda.placements.release(Blocker::Row(var)),
                _ => self.in_the_way_from_now_on(var),
            }
        }
        self.wake(var);
    }

    #[inline]
    pub(super) fn discharge(&mut self, deferred: Option<DeferredId>) {
        if let Some(deferred) = deferred {
            self.deferred.edit(deferred).done = true;
            self.agenda.placements.release(Blocker::Equation(deferred));
        }
    }

    /// Defers an equation that cannot be resolved now, once it has been compared with those that are deferred.
    fn put_off(
        &mut self,
        row: RowTermId,
        reason: Reason,
        known: Option<DeferredId>,
        vars: &[RowVarId],
    ) -> EngineResult {
        if known.is_none() {
            self.meet(row, reason, vars)?;
        }
        self.defer(row, reason, known, vars);
        Ok(())
    }

    /// Defers an equation until more is known of one of its variables.
    pub(crate) fn defer(
        &mut self,
        row: RowTermId,
        reason: Reason,
        known: Option<DeferredId>,
        vars: &[RowVarId],
    ) {
        let deferred = known.unwrap_or_else(|| {
            self.deferred.push(Deferred {
                row,
                reason,
                done: false,
            })
        });
        for var in vars {
            let first = self.rows.nodes.at(*var).watchers;
            let mut next = first;
            while let Some(watch) = next.map(|watch| *self.watches.at(watch))
                && watch.deferred != deferred
            {
                self.count(1);
                next = watch.next;
            }
            if next.is_none() {
                let watch = self.watches.push(Watch {
                    deferred,
                    next: first,
                });
                self.rows.nodes.edit(*var).watchers = Some(watch);
                self.in_the_way_from_now_on(*var);
            }
        }
    }

    /// Equates the axes of two rows that deferred equations say are equal: `<s> ~ R` and `<s> ~ S` say `R ~ S`. An
    /// equation that is not deferred says what its variable holds, and the other one is compared with that; so without
    /// this it would depend on what inequalities ask of s whether R and S are compared. What R and S do not share is
    /// left to be said: their equation would say of markers what neither of the two does.
    fn meet(&mut self, row: RowTermId, reason: Reason, vars: &[RowVarId]) -> EngineResult {
        if reason.as_inference().is_some() {
            return Ok(());
        }
        for (side, other) in self.named_sides(row).into_iter().flatten() {
            let Some((met, because)) = vars.iter().find_map(|var| self.deferred_as(*var, side))
            else {
                continue;
            };
            let (a, b) = (self.spell(other)?, self.spell(met)?);
            let known = self.inferences.both(Rule::ReNested, a.reason, b.reason);
            let known = self.inferences.both(Rule::ReNested, known, Some(because));
            let reason = self.inferences.with(Rule::ReNested, reason, known);
            self.reduce(&a, &b, reason)?;
        }
        Ok(())
    }

    /// Returns the sides of an equation that are a variable alone, each with the other side.
    fn named_sides(&self, row: RowTermId) -> [Option<(RowVarId, RowTermId)>; 2] {
        let sides = [(row, row.right()), (row.right(), row)];
        sides.map(|(side, other)| {
            let RowId {
                lead, trail, var, ..
            } = self.row(side);
            let var = var.filter(|_| lead + trail == 0)?;
            Some((self.named_by(var), other))
        })
    }

    /// Finds a row to which a variable is equal by an asserted equation that is deferred and listed with another
    /// variable, and that equation.
    fn deferred_as(&mut self, listed: RowVarId, named: RowVarId) -> Option<(RowTermId, Reason)> {
        let mut next = self.rows.nodes.at(listed).watchers;
        while let Some(watch) = next.map(|watch| *self.watches.at(watch)) {
            self.count(1);
            let Deferred { row, reason, done } = self.deferred.get(watch.deferred);
            if !done && reason.as_inference().is_none() {
                let mut sides = self.named_sides(row).into_iter().flatten();
                if let Some((_, other)) = sides.find(|(side, _)| *side == named) {
                    return Some((other, reason));
                }
            }
            next = watch.next;
        }
        None
    }

    /// Queues the deferred equations of a variable of which more is known.
    pub(crate) fn wake(&mut self, var: RowVarId) {
        if self.watching {
            self.changed.push(var);
        }
        self.sizes.spelling.wake(var);
        let mut next = self.rows.nodes.at(var).watchers;
        while let Some(watch) = next {
            self.count(1);
            let watch = self.watches.get(watch);
            let Deferred { row, reason, done } = self.deferred.get(watch.deferred);
            if !done {
                let deferred = Some(watch.deferred);
                self.agenda.equations.push_back(Equation {
                    row,
                    reason,
                    deferred,
                });
            }
            next = watch.next;
        }
    }
}

/// Applies (c), nested: the variable's content is the part of the other row beyond its own axes.
fn bind<'a>(var: RowVarId, longer: &'a Expanded, shorter: &Expanded) -> Residue<'a> {
    let middle = Middle {
        of: longer,
        start: shorter.lead.len(),
        end: longer.len() - shorter.trail.len(),
        split: longer.lead.len(),
        var: longer.open,
        beyond: 0,
    };
    Residue::Bind(var, middle, Rule::ReNested)
}

#[cold]
fn refused(rule: Rule, reason: Reason, message: String) -> Box<Failure> {
    Box::new(Failure {
        rule,
        reasons: vec![reason],
        terms: Vec::new(),
        message,
        is_limit: false,
    })
}
