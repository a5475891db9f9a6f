//! The obstacles to a placement: all that may still ask for axes of its row.
//!
//! A row has to have the axes of what it is below, so a guess about its marker comes after every guess about a row
//! above it. The rows above are looked for along inequalities, through open rows. A search stops at the first thing
//! that is in the way: a row whose content is known and whose marker is not, or an equation that is still deferred. The
//! row then waits for that one thing, and its search goes on from there once it is out of the way. An open row from
//! which a search has seen everything is *clear* and is not searched again, unless something new comes above it. So
//! each inequality is walked over about once.
//!
//! Rows that wait for each other lie on a cycle. One of them is placed when nothing else is left to do, and says of the
//! others where their markers go.

use crate::ids::{DeferredId, RowVarId};
use crate::state::engine::Engine;
use crate::state::placements::{Above, Blocker};
use crate::state::rows::Binding;

/// A search above one row.
struct Search {
    number: u32,
    /// The rows from that row up to the one that is being looked at.
    path: Vec<RowVarId>,
    /// The rows that were left behind since the search first came back to a row of its path: none of them is known to
    /// be clear before it ends.
    behind: Vec<RowVarId>,
    is_cyclic: bool,
}

impl Engine {
    /// Finds an obstacle to placing the marker of a row.
    pub(crate) fn blocker(&mut self, var: RowVarId) -> Option<Blocker> {
        if let Some(blocker) = self.declaring(var) {
            return Some(blocker);
        }
        let placements = &mut self.agenda.placements;
        placements.searches += 1;
        placements
            .above
            .resize(self.rows.nodes.len(), Above::Unseen);
        let mut search = Search {
            number: placements.searches,
            path: std::mem::take(&mut placements.path),
            behind: Vec::new(),
            is_cyclic: false,
        };
        let blocker = self.blocker_above(&mut search, var);
        search.path.clear();
        self.agenda.placements.path = search.path;
        blocker
    }

    /// Searches above a row for an obstacle to placing its marker.
    fn blocker_above(&mut self, search: &mut Search, var: RowVarId) -> Option<Blocker> {
        // The end of its content is a part of the row, so what may ask for axes of that one is in the way as well.
        let mut part = Some(var);
        while let Some(row) = part {
            search.path.push(row);
            if let Some(blocker) = self.search_above(search, var) {
                self.leave_off(search, blocker);
                return Some(blocker);
            }
            part = self.content_end(row);
        }
        for row in search.path.iter().chain(&search.behind) {
            self.agenda.placements.above[*row] = Above::Clear;
        }
        None
    }

    /// Searches on above the last row of the path until something is in the way of the row that is to be placed, or all
    /// that is above that last row has been seen.
    fn search_above(&mut self, search: &mut Search, placed: RowVarId) -> Option<Blocker> {
        let base = search.path.len();
        while let Some(var) = search.path.last().copied() {
            let next = match self.agenda.placements.above[var] {
                Above::Unseen => self.rows.nodes.at(var).results,
                Above::From(next, _) | Above::Behind(next, _) => next,
                Above::Clear => None,
            };
            self.agenda.placements.above[var] = Above::From(next, search.number);
            let Some(at) = next else {
                if search.path.len() == base {
                    return None;
                }
                search.path.pop();
                match search.is_cyclic {
                    true => search.behind.push(var),
                    false => self.agenda.placements.above[var] = Above::Clear,
                }
                continue;
            };
            self.count(1);
            let inequality = self.rows.inequalities.at(at);
            let (above, next) = (inequality.right, inequality.next_result);
            match self.behind_names(above) {
                // The row for which it waits is not in its own way, but in that of all other rows.
                Some(above) if above == placed => search.is_cyclic = true,
                Some(above) => {
                    if let Some(blocker) = self.blocker_at(above, placed) {
                        return Some(blocker);
                    }
                    match self.agenda.placements.above[above] {
                        Above::Clear => {}
                        Above::From(_, number) if number == search.number => {
                            search.is_cyclic = true;
                        }
                        // This inequality is looked at again once all that is further up is out of the way.
                        _ if self.binding(above) == Binding::Open => {
                            search.path.push(above);
                            continue;
                        }
                        _ => {}
                    }
                }
                None => {}
            }
            self.agenda.placements.above[var] = Above::From(next, search.number);
        }
        None
    }

    /// Ends a search that something is in the way of. On a cycle each row has to be searched from the beginning.
    fn leave_off(&mut self, search: &Search, blocker: Blocker) {
        for row in search.path.iter().chain(&search.behind) {
            let above = &mut self.agenda.placements.above[*row];
            *above = match *above {
                Above::From(next, _) if !search.is_cyclic => Above::Behind(next, blocker),
                _ => Above::Unseen,
            };
        }
    }

    /// Returns an obstacle at a row or further up, as far as it has been searched, to a row that is to be placed.
    fn blocker_at(&mut self, row: RowVarId, placed: RowVarId) -> Option<Blocker> {
        if let Some(blocker) = self.in_the_way(row) {
            return Some(blocker);
        }
        if let Some(whole) = self.unplaced_whole(row, placed) {
            return Some(Blocker::Row(whole));
        }
        let Above::Behind(_, blocker) = self.agenda.placements.above[row] else {
            return None;
        };
        let is_left = match blocker {
            Blocker::Row(other) => {
                other != placed && matches!(self.binding(other), Binding::Content(_))
            }
            Blocker::Equation(equation) => !self.deferred.at(equation).done,
        };
        is_left.then_some(blocker)
    }

    /// Returns the obstacle that a row is to the rows below it.
    fn in_the_way(&mut self, row: RowVarId) -> Option<Blocker> {
        match self.binding(row) {
            Binding::Content(_) => Some(Blocker::Row(row)),
            Binding::Open => self.equation_on(row).map(Blocker::Equation),
            Binding::Closed | Binding::Alias(_) => None,
        }
    }

    /// Finds another row without a marker of which an open one is a part: what is asked of the whole may be asked of
    /// the part.
    fn unplaced_whole(&mut self, part: RowVarId, placed: RowVarId) -> Option<RowVarId> {
        let nodes = &self.rows.nodes;
        let wholes = self.agenda.placements.wholes.get_mut(&part)?;
        let is_left = |var: &RowVarId| matches!(nodes.at(*var).binding, Binding::Content(_));
        while wholes.last().is_some_and(|last| !is_left(last)) {
            wholes.pop();
        }
        let mut left = wholes.iter().rev().copied().filter(is_left);
        left.find(|whole| *whole != placed)
    }

    /// Notes of what a row with a known content is made, where an inequality asks for axes of it.
    pub(crate) fn note_parts(&mut self, whole: RowVarId) {
        if self.rows.nodes.at(whole).results.is_none() {
            return;
        }
        let mut part = self.content_end(whole);
        while let Some(row) = part {
            self.agenda
                .placements
                .wholes
                .entry(row)
                .or_default()
                .push(whole);
            self.in_the_way_from_now_on(row);
            self.count(1);
            part = self.content_end(row);
        }
    }

    /// Notes that the parts of a row are parts of what it is a part of.
    pub(crate) fn hand_on_wholes(&mut self, row: RowVarId) {
        if let Some(wholes) = self.agenda.placements.wholes.get(&row) {
            let wholes = wholes.clone();
            self.count(wholes.len());
            if let Some(part) = self.content_end(row) {
                let known = self.agenda.placements.wholes.entry(part).or_default();
                known.extend(wholes);
                self.in_the_way_from_now_on(part);
            }
        }
    }

    /// Returns an equation with a row in it that is still deferred.
    pub(crate) fn equation_on(&mut self, row: RowVarId) -> Option<DeferredId> {
        let mut next = self.rows.nodes.at(row).watchers;
        while let Some(watch) = next.map(|watch| *self.watches.at(watch)) {
            self.count(1);
            if !self.deferred.at(watch.deferred).done {
                return Some(watch.deferred);
            }
            next = watch.next;
        }
        None
    }

    /// Finds an equation or a row that may still say where the marker of a content is declared, while no inequality
    /// asks for axes of its row: a deferred equation, or another row without a marker of which the same variable is a
    /// part. Placed before, the marker would stand where the variable does in which the content ends.
    fn declaring(&mut self, var: RowVarId) -> Option<Blocker> {
        if self.rows.nodes.at(var).results.is_some() {
            return None;
        }
        let (mut end, mut axes) = (var, 0);
        while let Binding::Content(content) | Binding::Alias(content) = self.binding(end) {
            let row = self.row(self.rows.contents.at(content).row);
            axes += row.lead + row.trail;
            end = row.var?;
        }
        if axes == 0 || self.binding(end) != Binding::Open {
            return None;
        }
        match self.equation_on(end) {
            Some(equation) => Some(Blocker::Equation(equation)),
            None => self.unplaced_whole(end, var).map(Blocker::Row),
        }
    }

    /// Returns the variable that a variable is another name of, or itself.
    pub(crate) fn behind_names(&self, mut var: Option<RowVarId>) -> Option<RowVarId> {
        while let Some(at) = var
            && let Binding::Alias(content) = self.binding(at)
        {
            var = self.row(self.rows.contents.at(content).row).var;
        }
        var
    }

    /// Returns the variable in which the content of a row ends.
    pub(crate) fn content_end(&self, var: RowVarId) -> Option<RowVarId> {
        match self.binding(var) {
            Binding::Content(content) | Binding::Alias(content) => {
                self.row(self.rows.contents.at(content).row).var
            }
            Binding::Open | Binding::Closed => None,
        }
    }

    /// Notes that a row has got something that is in the way of the rows below it: none of them is clear any longer.
    pub(crate) fn in_the_way_from_now_on(&mut self, row: RowVarId) {
        let mut todo = match self.agenda.placements.above.is_empty() {
            true => return,
            false => vec![row],
        };
        while let Some(row) = todo.pop() {
            let mut next = self.rows.nodes.at(row).operands;
            while let Some(at) = next {
                self.count(1);
                let inequality = self.rows.inequalities.at(at);
                next = inequality.next_operand;
                if let Some(low) = inequality.left
                    && let Some(above) = self.agenda.placements.above.get_mut(low)
                    && !matches!(above, Above::Unseen)
                {
                    *above = Above::Unseen;
                    todo.push(low);
                }
            }
        }
    }

    /// Notes that a row has come to be below another one.
    pub(crate) fn below_from_now_on(&mut self, row: RowVarId, above: Option<RowVarId>) {
        if self.agenda.placements.above.is_empty() {
            return;
        }
        let Some(above) = self.behind_names(above) else {
            return;
        };
        let is_out_of_the_way = self.in_the_way(above).is_none()
            && (self.binding(above) == Binding::Closed || self.agenda.placements.is_clear(above));
        if let Some(seen) = self.agenda.placements.above.get_mut(row)
            && !matches!(seen, Above::Unseen)
            && !is_out_of_the_way
        {
            *seen = Above::Unseen;
            self.in_the_way_from_now_on(row);
        }
    }
}
