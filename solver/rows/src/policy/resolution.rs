//! The second policy step of solving: how deferred equations are resolved.
//!
//! A split `s · x = y · t` says how much longer y is than x. So the splits that share variables say of all their
//! variables how much longer each is than the shortest ones. Those are closed upward, to the empty row; then the
//! equations say the rest. Closing any other one would leave the shortest with fewer axes than none.
//!
//! Equations that share variables are a *group*, and so are those whose variables lie on a cycle of inequalities.
//! Groups are resolved from below: a row has to have the axes of what it is below, so it waits until these are known.
//! Neither the shortest variables of a group nor what lies below what depends on the order in which the constraints are
//! stated.

use std::collections::VecDeque;

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::Flank;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ids::{DeferredId, Id, RowVarId};
use crate::policy::components::Components;
use crate::propagate::equality::Residue;
use crate::state::agenda::{Equation, Group};
use crate::state::engine::{Deferred, Engine};
use crate::state::inferences::{Conclusion, Failure, Reason};
use crate::state::rows::{Binding, Inequality, UNDECLARED};

/// A split by its variables, x and y, with how much longer y is than x; or a rotation of x.
#[derive(Clone, Copy)]
struct Relation {
    x: RowVarId,
    y: RowVarId,
    longer: i64,
    reason: Reason,
}

impl Engine {
    /// Resolves the equations of the next group; false when none is left.
    #[inline]
    pub(crate) fn resolve_next(&mut self) -> Result<bool, Box<Failure>> {
        let is_idle =
            self.agenda.groups.is_empty() && self.progress.resolved as usize == self.deferred.len();
        match is_idle {
            true => Ok(false),
            false => self.resolve_one(),
        }
    }

    fn resolve_one(&mut self) -> Result<bool, Box<Failure>> {
        loop {
            self.take_in_deferred();
            let Some(group) = self.agenda.groups.pop_front() else {
                self.agenda.groups = self.groups_left();
                if self.agenda.groups.is_empty() {
                    return Ok(false);
                }
                continue;
            };
            let Some(relations) = self.relations_of(&group)? else {
                self.agenda.groups.push_front(group);
                return Ok(true);
            };
            if !relations.is_empty() {
                self.close_shortest(&relations);
                return Ok(true);
            }
        }
    }

    /// Returns the relations that the equations of a group still leave to be said; `None` when one of them can be
    /// processed now.
    fn relations_of(&mut self, group: &Group) -> Result<Option<Vec<Relation>>, Box<Failure>> {
        self.step(group.len())?;
        let (mut relations, before) = (Vec::new(), self.agenda.equations.len());
        for id in group {
            let Deferred { row, reason, done } = self.deferred.get(*id);
            if done {
                continue;
            }
            let (a, b) = (self.spell(row)?, self.spell(row.right())?);
            let known = self.inferences.both(Rule::ReNested, a.reason, b.reason);
            let reason = self.inferences.with(Rule::ReNested, reason, known);
            let (x, y, longer) = match self.reduce(&a, &b, reason)? {
                Residue::Split(x, y, s, t) => (x, y, s as i64 - t as i64),
                Residue::Rotation(x) => (x, x, 0),
                Residue::Done | Residue::Bind(..) => {
                    self.agenda.equations.push_back(Equation {
                        row,
                        reason,
                        deferred: Some(*id),
                    });
                    continue;
                }
            };
            relations.push(Relation {
                x,
                y,
                longer,
                reason,
            });
        }
        Ok((self.agenda.equations.len() == before).then_some(relations))
    }

    /// Closes the shortest variables of those that relations connect with each other.
    fn close_shortest(&mut self, relations: &[Relation]) {
        let mut relations_of: FxHashMap<RowVarId, Vec<&Relation>> = FxHashMap::default();
        for relation in relations {
            relations_of.entry(relation.x).or_default().push(relation);
            relations_of.entry(relation.y).or_default().push(relation);
        }
        let mut seen = FxHashSet::default();
        for first in relations {
            if !seen.insert(first.x) {
                continue;
            }
            // Each variable that is connected with the first, with how much longer it is.
            let mut found = vec![(first.x, 0, first.reason)];
            let mut next = 0;
            while let Some((var, len, _)) = found.get(next).copied() {
                next += 1;
                for relation in relations_of.get(&var).into_iter().flatten() {
                    let (other, len) = match relation.x == var {
                        true => (relation.y, len + relation.longer),
                        false => (relation.x, len - relation.longer),
                    };
                    if seen.insert(other) {
                        found.push((other, len, relation.reason));
                    }
                }
            }
            self.progress.counters.resolutions += 1;
            let shortest = found.iter().map(|(_, len, _)| *len).min();
            for (var, len, reason) in found {
                if Some(len) == shortest {
                    self.close_upward(var, reason);
                }
            }
        }
    }

    fn close_upward(&mut self, var: RowVarId, reason: Reason) {
        let empty = self.content_row(&[], None, &[]);
        let conclusion = Conclusion::Content(var, empty);
        let inference =
            self.inferences
                .commit(Rule::CloseDeferred, conclusion, [Some(reason), None]);
        self.set_content(var, empty, inference);
        let asked = self.rows.nodes.at(var).asked();
        // Where axes were asked of it, or of the row that it is the middle of, it has its place from these.
        if !Flank::BOTH.into_iter().any(|flank| asked.has(flank)) {
            self.rows.nodes.edit(var).beyond = UNDECLARED;
        }
    }

    /// Takes in the equations that were deferred since the groups were found. Such an equation comes from a row that
    /// had to have axes first, above which nothing was left to be guessed, so it comes before the others; unless it
    /// shares a variable with one of them, so that there are other groups now.
    fn take_in_deferred(&mut self) {
        let first = std::mem::replace(&mut self.agenda.grouped, self.deferred.len());
        if self.agenda.groups.is_empty() || first == self.deferred.len() {
            return;
        }
        let new = (first..self.deferred.len()).map(DeferredId::at);
        let new: Vec<DeferredId> = new.filter(|id| !self.deferred.at(*id).done).collect();
        if new.iter().any(|id| self.shares_a_variable(*id, first)) {
            self.agenda.groups = self.groups_left();
            return;
        }
        for group in self.groups_of(&new).into_iter().rev() {
            self.agenda.groups.push_front(group);
        }
    }

    /// Says whether an equation shares an open variable with one of the first so many equations.
    fn shares_a_variable(&mut self, id: DeferredId, first: usize) -> bool {
        let row = self.deferred.at(id).row;
        let rows = [row, row.right()].map(|row| self.open_in(self.row(row).var));
        rows.into_iter().flatten().any(|var| {
            let (mut next, mut shares) = (self.rows.nodes.at(var).watchers, false);
            while let Some(watch) = next.map(|watch| *self.watches.at(watch)) {
                self.count(1);
                shares |= watch.deferred.index() < first && !self.deferred.at(watch.deferred).done;
                next = watch.next;
            }
            shares
        })
    }

    /// Returns the groups of the equations that are still deferred, each after those whose rows it waits for.
    fn groups_left(&mut self) -> VecDeque<Group> {
        while (self.progress.resolved as usize) < self.deferred.len()
            && self
                .deferred
                .at(DeferredId::of(self.progress.resolved))
                .done
        {
            self.progress.resolved += 1;
        }
        let left = (self.progress.resolved as usize..self.deferred.len()).map(DeferredId::at);
        self.count(left.len());
        let left: Vec<DeferredId> = left.filter(|id| !self.deferred.at(*id).done).collect();
        self.groups_of(&left)
    }

    /// Returns the groups of some equations, each after those whose rows it waits for.
    fn groups_of(&mut self, left: &[DeferredId]) -> VecDeque<Group> {
        if left.len() <= 1 {
            return left.iter().map(|id| vec![*id]).collect();
        }
        self.count(left.len());
        let mut partners: FxHashMap<RowVarId, Vec<RowVarId>> = FxHashMap::default();
        let mut first = Vec::new();
        for id in left {
            let row = self.deferred.at(*id).row;
            let [a, b] = [row, row.right()].map(|row| self.open_in(self.row(row).var));
            if let (Some(a), Some(b)) = (a, b) {
                partners.entry(a).or_default().push(b);
                partners.entry(b).or_default().push(a);
            }
            first.push(a.or(b));
        }
        // Demands on a row without a marker concern the variable in which its content ends.
        let mut parts: FxHashMap<RowVarId, Vec<RowVarId>> = FxHashMap::default();
        for var in self.agenda.placements.pending() {
            if let Some(end) = self.open_in(Some(var)) {
                parts.entry(end).or_default().push(var);
            }
        }
        let mut seen = 0;
        let roots = first.iter().flatten().copied();
        let components = Components::of(self.rows.nodes.len(), roots, |var, into| {
            seen += 1;
            into.extend(partners.get(&var).into_iter().flatten());
            into.extend(self.content_end(var));
            let whole = parts.get(&var).into_iter().flatten();
            for row in whole.chain([&var]) {
                self.each_operand(*row, |inequality| {
                    seen += 1;
                    let above = self.behind_names(inequality.right);
                    into.extend(above.filter(|above| !self.is_known(*above)));
                });
            }
        });
        self.count(seen);
        let mut group_of: FxHashMap<RowVarId, usize> = FxHashMap::default();
        for id in components.ids() {
            let members = components.get(id).iter();
            group_of.extend(members.map(|var| (*var, id.index())));
        }
        let mut groups = vec![Group::new(); components.len() + 1];
        for (id, var) in left.iter().zip(first) {
            let group = var.and_then(|var| group_of.get(&var));
            groups[group.map_or(0, |group| group + 1)].push(*id);
        }
        groups.retain(|group| !group.is_empty());
        groups.into()
    }

    /// Says whether nothing is left to be guessed about a row and those above it.
    fn is_known(&self, var: RowVarId) -> bool {
        match self.binding(var) {
            Binding::Closed => true,
            Binding::Open => {
                self.agenda.placements.is_clear(var) && self.rows.nodes.at(var).watchers.is_none()
            }
            Binding::Content(_) | Binding::Alias(_) => false,
        }
    }

    /// Goes through the inequalities that say what a row is below.
    pub(crate) fn each_operand(&self, var: RowVarId, mut see: impl FnMut(&Inequality)) {
        let mut next = self.rows.nodes.at(var).results;
        while let Some(at) = next {
            let inequality = self.rows.inequalities.at(at);
            see(inequality);
            next = inequality.next_result;
        }
    }

    /// Returns the open variable in which a variable's content ends.
    pub(crate) fn open_in(&self, mut var: Option<RowVarId>) -> Option<RowVarId> {
        while let Some(at) = var
            && let Binding::Content(content) | Binding::Alias(content) = self.binding(at)
        {
            var = self.row(self.rows.contents.at(content).row).var;
        }
        var.filter(|var| self.binding(*var) == Binding::Open)
    }
}
