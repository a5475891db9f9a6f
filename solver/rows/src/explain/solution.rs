//! The values that a solve has found. They are looked up, not copied.

use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::{Dim, DimTerm, DimVar, Ground, Row, RowVar};

use crate::ids::{DimVarId, RowVarId};
use crate::problem::Problem;
use crate::problem::handle::{DimRef, ProblemError, RowRef};
use crate::state::engine::Engine;
use crate::state::rows::{Binding, UNDECLARED};
use crate::term::{RowId, Term};

/// The solution of a solved problem: what is still free stands at its top (Prop. 5.4), or where windows forbid that, at
/// a size that satisfies them.
#[derive(Clone, Copy, Debug)]
pub struct Solution<'a> {
    engine: &'a Engine,
    /// The problem that references may belong to, where the engine has a copy of it.
    stated: Option<&'a Problem>,
}

impl<'a> Solution<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Solution<'a> {
        Solution {
            engine,
            stated: None,
        }
    }

    /// Returns the solution of the same engine, which has a copy of a problem.
    pub(crate) fn of_problem(self, stated: Option<&'a Problem>) -> Solution<'a> {
        Solution { stated, ..self }
    }

    pub(crate) fn engine(&self) -> &'a Engine {
        self.engine
    }

    /// Returns the value of a dimension term.
    ///
    /// # Errors
    /// When the term belongs to another problem, or is a variable whose value is 0.
    pub fn value_of(&self, dim: DimRef) -> Result<Dim, ProblemError> {
        let term = match (self.engine.problem.own_term(dim), self.stated) {
            (Err(_), Some(stated)) => {
                let term = stated.own_term(dim)?;
                return Ok(self.value_stated(stated, term));
            }
            (term, _) => term?,
        };
        if term.is_var() && self.is_0(term.id()) {
            return Err(ProblemError::Zero);
        }
        Ok(self.value(term))
    }

    /// Returns the value of a row term with its marker.
    ///
    /// # Errors
    /// When the row belongs to another problem.
    pub fn row_of(&self, row: RowRef) -> Result<Row, ProblemError> {
        let (row, stated) = match (self.engine.problem.own_row(row), self.stated) {
            (Err(_), Some(stated)) => (stated.own_row(row)?, Some(stated)),
            (own, _) => (own?, None),
        };
        let axis = |at: u32| match stated {
            Some(stated) => self.value_stated(stated, stated.terms[at as usize]),
            None => self.value(self.engine.problem.terms[at as usize]),
        };
        let (lead, trail) = (row.start + row.lead, row.start + row.lead + row.trail);
        let mut value = match (row.var, stated) {
            (None, _) => Row::default(),
            (Some(var), None) => self.row_value(var),
            (Some(var), Some(stated)) => self.row(stated.row_names.name(var)).unwrap_or_default(),
        };
        value.leading.splice(0..0, (row.start..lead).map(axis));
        value.trailing.extend((lead..trail).map(axis));
        Ok(value)
    }

    /// Returns the value of a term of the problem of which the engine has a copy. A variable that came later is free.
    fn value_stated(&self, stated: &Problem, term: Term) -> Dim {
        match stated.show_dim(term) {
            DimTerm::Const(dim) => dim,
            DimTerm::Var(var) => self.dim(var.name()).unwrap_or(Dim::Unit),
        }
    }

    /// Counts the axes of a row that have no value of their own and stand at `1∅` because they are free.
    pub(crate) fn unknown_sizes(&self, row: RowId) -> usize {
        let engine = self.engine;
        let is_free = |term: Term| engine.dims.peek(term).is_var();
        let axes = |row: RowId| {
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            let axes = engine.problem.terms[axes].iter();
            axes.filter(|axis| is_free(**axis)).count()
        };
        let (mut count, mut var) = (axes(row), row.var);
        while let Some(known) = var.filter(|var| engine.rows.knows(*var)) {
            for flank in Flank::BOTH {
                self.ends(known, flank, |end| {
                    count += usize::from(end.is_none_or(is_free))
                });
            }
            let (Binding::Content(content) | Binding::Alias(content)) = engine.binding(known)
            else {
                break;
            };
            let inner = engine.row(engine.rows.contents.at(content).row);
            count += axes(inner);
            var = inner.var;
        }
        count
    }

    /// Says whether the value of a dimension variable is 0, which is no dimension: only that of a summand ever is.
    pub fn is_zero(&self, name: &str) -> bool {
        let id = self.engine.problem.dim_names.find(name);
        id.is_some_and(|id| self.is_0(id))
    }

    /// Returns the value of a dimension variable; `None` when the problem does not mention it, or the value is 0.
    pub fn dim(&self, name: &str) -> Option<Dim> {
        let id = self.engine.problem.dim_names.find(name)?;
        let is_dim = !self.is_0(id);
        is_dim.then(|| self.value(Term::var(id)))
    }

    /// Returns the value of a row variable with its marker; `None` when the problem does not mention it.
    pub fn row(&self, name: &str) -> Option<Row> {
        let id = self.engine.problem.row_names.find(name)?;
        Some(self.row_value(id))
    }

    /// Returns the value of a row variable with its marker, if it has no more axes than that; otherwise the number of
    /// its axes. `None` when the problem does not mention it.
    pub fn row_up_to(&self, name: &str, most: u64) -> Option<Result<Row, u64>> {
        let id = self.engine.problem.row_names.find(name)?;
        let rank = self.rank_of(id);
        Some(match rank > most {
            true => Err(rank),
            false => Ok(self.row_value(id)),
        })
    }

    /// Returns the number of axes of a row variable, without spelling them out.
    pub fn rank(&self, name: &str) -> Option<u64> {
        let id = self.engine.problem.row_names.find(name)?;
        Some(self.rank_of(id))
    }

    /// Returns the number of axes of all row variables of the problem together.
    pub fn total_rank(&self) -> u64 {
        self.engine
            .rows
            .nodes
            .ids()
            .filter(|var| self.engine.problem.row_names.is_named(*var))
            .map(|var| self.rank_of(var))
            .sum()
    }

    /// Says whether all row variables of the problem together have more axes than that. It stops to count where they
    /// have.
    pub fn has_more_axes_than(&self, most: u64) -> bool {
        let mut axes = 0;
        self.engine.rows.nodes.ids().any(|var| {
            if self.engine.problem.row_names.is_named(var) {
                axes += self.rank_of(var);
            }
            axes > most
        })
    }

    /// Returns every variable with its value. A chain of rows each longer than the next has values of quadratic size in
    /// all; [`Solution::total_rank`] gives this size without computing them.
    pub fn ground(&self) -> Ground {
        let problem = &self.engine.problem;
        let mut ground = Ground::default();
        for id in self.engine.dims.ids() {
            let name = problem.dim_names.name(id);
            if self.is_0(id) {
                ground.zeros.insert(DimVar::new(name));
            } else if !name.is_empty() {
                ground
                    .dims
                    .insert(DimVar::new(name), self.value(Term::var(id)));
            }
        }
        for id in self.engine.rows.nodes.ids() {
            let name = problem.row_names.name(id);
            if !name.is_empty() {
                ground.rows.insert(RowVar::new(name), self.row_value(id));
            }
        }
        ground
    }

    pub(crate) fn value(&self, term: Term) -> Dim {
        let dim = self.dim_of(self.constant(term)).clone();
        match dim {
            Dim::Atom { size, basis } if self.engine.sizes.is_rest(term) => {
                Dim::based(size.get() - 1, basis).unwrap_or(Dim::Unit)
            }
            dim => dim,
        }
    }

    /// Says whether the value of a dimension variable is 0.
    pub(crate) fn is_0(&self, id: DimVarId) -> bool {
        let term = Term::var(id);
        self.engine.problem.zeros.contains(&id)
            || self.engine.sizes.is_rest(term) && self.dim_of(self.constant(term)).size() == 1
    }

    /// Returns the constant at which a term stands.
    fn constant(&self, term: Term) -> Term {
        let root = self.engine.dims.peek(term);
        match root.is_var() {
            true => *self
                .engine
                .sizes
                .model
                .get(&root.id())
                .unwrap_or(&Term::UNIT),
            false => root,
        }
    }

    fn dim_of(&self, constant: Term) -> &'a Dim {
        self.engine.problem.constants.dim(constant.constant_id())
    }

    /// Returns a row of constants as a row of dimensions.
    pub(crate) fn spelled(&self, row: &Row<Term>) -> Row {
        let dims = |axes: &[Term]| axes.iter().map(|axis| self.dim_of(*axis).clone()).collect();
        Row::new(dims(&row.leading), dims(&row.trailing))
    }

    fn rank_of(&self, var: RowVarId) -> u64 {
        let (mut var, mut rank) = (var, 0);
        if !self.engine.rows.knows(var) {
            return rank;
        }
        loop {
            let node = self.engine.rows.nodes.at(var);
            rank += u64::from(node.len[Flank::Leading]) + u64::from(node.len[Flank::Trailing]);
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return rank;
            };
            let row = self.engine.row(self.engine.rows.contents.at(content).row);
            rank += u64::from(row.lead) + u64::from(row.trail);
            match row.var {
                None => return rank,
                Some(inner) => var = inner,
            }
        }
    }

    pub(crate) fn row_value(&self, var: RowVarId) -> Row {
        let mut row = Row::default();
        self.constants_of(var, &mut row);
        self.spelled(&row)
    }

    /// Writes the value of a row variable as constants, in place of what the row was.
    pub(crate) fn constants_of(&self, var: RowVarId, row: &mut Row<Term>) {
        let engine = self.engine;
        row.leading.clear();
        row.trailing.clear();
        if !engine.rows.knows(var) {
            return;
        }
        let mut var = var;
        // The flanks in front of the first content whose marker has no place yet.
        let mut unplaced = None;
        loop {
            self.flank(var, Flank::Leading, &mut row.leading);
            self.flank(var, Flank::Trailing, &mut row.trailing);
            let (Binding::Content(content) | Binding::Alias(content)) = engine.binding(var) else {
                break;
            };
            let inner = engine.row(engine.rows.contents.at(content).row);
            if matches!(engine.binding(var), Binding::Content(_)) {
                unplaced = unplaced.or(Some((row.leading.len(), row.trailing.len())));
            }
            for flank in Flank::BOTH {
                let into = if flank == Flank::Leading {
                    &mut row.leading
                } else {
                    &mut row.trailing
                };
                into.extend((0..inner.flank(flank)).map(|at| {
                    self.constant(engine.problem.terms[inner.place(flank, at) as usize])
                }));
            }
            match inner.var {
                None => break,
                Some(inner) => var = inner,
            }
        }
        row.trailing.reverse();
        if let Some((front, back)) = unplaced {
            let axes = row.explicit();
            let beyond = engine.rows.nodes.at(var).beyond;
            let beyond = if beyond == UNDECLARED { 0 } else { beyond };
            let declared = row.leading.len() as i64 + i64::from(beyond);
            let place = declared.clamp(front as i64, (axes - back) as i64) as usize;
            move_marker(row, place);
        }
    }

    fn flank(&self, var: RowVarId, flank: Flank, into: &mut Vec<Term>) {
        self.ends(var, flank, |end| {
            into.push(end.map_or(Term::UNIT, |end| self.constant(end)))
        });
    }

    /// Goes through the axes of a flank, from the outer edge. An axis that is not materialised is the axis that it
    /// faces in the one row above it; `None` where that faces nothing. No other row faces what lies further in, whether
    /// it is written or not: one that does faces all from the edge on, and has them written. So all the rest is looked
    /// up in the one row.
    pub(crate) fn ends(&self, var: RowVarId, flank: Flank, mut each: impl FnMut(Option<Term>)) {
        let engine = self.engine;
        let (mut var, mut from) = (var, 0);
        let mut left = engine.rows.nodes.at(var).len[flank];
        let mut walk = Walk::default();
        while let Some(rest) = left.checked_sub(1) {
            if walk.turns(var, from) {
                (0..left).for_each(|_| each(None));
                return;
            }
            if let Some(axis) = engine.rows.axis(var, flank, from) {
                each(Some(axis));
                (from, left) = (from + 1, rest);
            } else if let Some((shift, right)) = self.covering(var, flank, from) {
                // All the rest is that of the covering row, and units where it ends.
                let at = from + shift;
                let shown = right.flank(flank).saturating_sub(at).min(left);
                for at in at..at + shown {
                    each(Some(engine.problem.terms[right.place(flank, at) as usize]));
                }
                left -= shown;
                let Some(above) = right.var else {
                    (0..left).for_each(|_| each(None));
                    return;
                };
                (var, from) = (above, at.saturating_sub(right.flank(flank)));
            } else {
                (0..left).for_each(|_| each(None));
                return;
            }
        }
    }

    /// Returns the row that an axis without a term lies below, and how far their positions differ.
    fn covering(&self, var: RowVarId, flank: Flank, at: u32) -> Option<(u32, RowId)> {
        let engine = self.engine;
        let mut next = engine.rows.nodes.at(var).results;
        while let Some(id) = next {
            let inequality = engine.rows.inequalities.at(id);
            let left = engine.row(inequality.row);
            if at + left.flank(flank) < inequality.done[flank] {
                let shift = left.flank(flank);
                return Some((shift, engine.row(inequality.row.right())));
            }
            next = inequality.next_result;
        }
        None
    }
}

/// A walk from row to row, which ends where it comes back to a place. A place is remembered after 1, 2, 4 … steps, so
/// that any cycle is noticed, within twice the steps that lead into it and once round (Brent).
#[derive(Default)]
struct Walk {
    remembered: Option<(RowVarId, u32)>,
    steps: u64,
}

impl Walk {
    /// Says whether the walk has been at this place before.
    fn turns(&mut self, var: RowVarId, position: u32) -> bool {
        if self.remembered == Some((var, position)) {
            return true;
        }
        self.steps += 1;
        if self.steps.is_power_of_two() {
            self.remembered = Some((var, position));
        }
        false
    }
}

/// Puts the marker of a row behind so many axes.
fn move_marker(row: &mut Row<Term>, place: usize) {
    match place.checked_sub(row.leading.len()) {
        Some(more) => row.leading.extend(row.trailing.drain(..more)),
        None => {
            let behind = row.leading.split_off(place);
            row.trailing.splice(0..0, behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RowVarId, Walk};

    #[test]
    fn a_walk_turns_within_twice_the_way_into_a_circle_and_once_round() {
        for (before, round) in [(0, 1), (0, 7), (5, 3), (100, 60)] {
            let place = |step: u32| match step.checked_sub(before) {
                Some(inside) => (RowVarId::of(1), inside % round),
                None => (RowVarId::of(0), step),
            };
            let mut walk = Walk::default();
            let turned = (0..).find(|step| {
                let (var, position) = place(*step);
                walk.turns(var, position)
            });
            let most = 2 * before.max(round) + round;
            assert!(
                turned.is_some_and(|steps| steps > round - 1 && steps <= most),
                "{turned:?}"
            );
        }
    }

    #[test]
    fn a_walk_that_comes_to_no_place_again_does_not_turn() {
        let mut walk = Walk::default();
        assert!(
            !(0..1000)
                .any(|step| walk.turns(RowVarId::of(step), 0)
                    || walk.turns(RowVarId::of(0), step + 1))
        );
    }
}
