//! The values that a solve has found. They are looked up, not copied.

use lozenge_vocabulary::{Dim, DimVar, Ground, Row, RowVar};

use crate::problem::handle::{DimRef, ProblemError, RowRef};
use crate::state::engine::Engine;
use crate::state::rows::Binding;
use crate::term::{NONE, RowId, Term};

/// The solution of a solved problem: what is still free stands at its top (Prop. 5.4), or where windows forbid that, at a size
/// that satisfies them.
#[derive(Clone, Copy, Debug)]
pub struct Solution<'a> {
    engine: &'a Engine,
}

impl<'a> Solution<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Solution<'a> {
        Solution { engine }
    }

    pub(crate) fn engine(&self) -> &'a Engine {
        self.engine
    }

    /// The value of a dimension term.
    ///
    /// # Errors
    /// When the term belongs to another problem.
    pub fn value_of(&self, dim: DimRef) -> Result<Dim, ProblemError> {
        let term = self.engine.problem.own_term(dim)?;
        Ok(self.value(term))
    }

    /// The value of a row term with its marker.
    ///
    /// # Errors
    /// When the row belongs to another problem.
    pub fn row_of(&self, row: RowRef) -> Result<Row, ProblemError> {
        let row = self.engine.problem.own_row(row)?;
        let axis = |at: u32| self.value(self.engine.problem.terms[at as usize]);
        let (lead, trail) = (row.start + row.lead, row.start + row.lead + row.trail);
        let mut value = match row.var {
            NONE => Row::default(),
            var => self.row_value(var),
        };
        value.leading.splice(0..0, (row.start..lead).map(axis));
        value.trailing.extend((lead..trail).map(axis));
        Ok(value)
    }

    /// How many axes of a row have no value of their own and stand at `1∅` because they are free.
    pub(crate) fn unknown_sizes(&self, row: RowId) -> usize {
        let engine = self.engine;
        let is_free = |term: Term| engine.dims.peek(term).is_var();
        let axes = |row: RowId| {
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            let axes = engine.problem.terms[axes].iter();
            axes.filter(|axis| is_free(**axis)).count()
        };
        let (mut count, mut var) = (axes(row), row.var);
        while var != NONE && engine.rows.knows(var) {
            for side in 0..2 {
                self.ends(var, side, |end| {
                    count += usize::from(end.is_none_or(is_free))
                });
            }
            let (Binding::Content(content) | Binding::Alias(content)) = engine.binding(var) else {
                break;
            };
            let inner = engine.row(engine.rows.contents.at(content).row);
            count += axes(inner);
            var = inner.var;
        }
        count
    }

    /// The value of a dimension variable; `None` when the problem does not mention it.
    pub fn dim(&self, name: &str) -> Option<Dim> {
        let id = self.engine.problem.dim_names.find(name)?;
        Some(self.value(Term::var(id)))
    }

    /// The value of a row variable with its marker; `None` when the problem does not mention it.
    pub fn row(&self, name: &str) -> Option<Row> {
        let id = self.engine.problem.row_names.find(name)?;
        Some(self.row_value(id))
    }

    /// The number of axes of a row variable, without spelling them out.
    pub fn rank(&self, name: &str) -> Option<u64> {
        let id = self.engine.problem.row_names.find(name)?;
        Some(self.rank_of(id))
    }

    /// The number of axes of all row variables of the problem together.
    pub fn total_rank(&self) -> u64 {
        (0..self.engine.rows.nodes.len() as u32)
            .filter(|var| !self.engine.problem.row_names.name(*var).is_empty())
            .map(|var| self.rank_of(var))
            .sum()
    }

    /// Whether all row variables of the problem together have more axes than that. It stops to count where they have.
    pub fn has_more_axes_than(&self, most: u64) -> bool {
        let mut axes = 0;
        (0..self.engine.rows.nodes.len() as u32).any(|var| {
            if !self.engine.problem.row_names.name(var).is_empty() {
                axes += self.rank_of(var);
            }
            axes > most
        })
    }

    /// Every variable with its value. A chain of rows each longer than the next has values of quadratic size in
    /// all: [`Solution::total_rank`] tells before.
    pub fn ground(&self) -> Ground {
        let problem = &self.engine.problem;
        let mut ground = Ground::default();
        for id in 0..self.engine.dims.len() as u32 {
            let name = problem.dim_names.name(id);
            if !name.is_empty() {
                ground
                    .dims
                    .insert(DimVar::new(name), self.value(Term::var(id)));
            }
        }
        for id in 0..self.engine.rows.nodes.len() as u32 {
            let name = problem.row_names.name(id);
            if !name.is_empty() {
                ground.rows.insert(RowVar::new(name), self.row_value(id));
            }
        }
        ground
    }

    pub(crate) fn value(&self, term: Term) -> Dim {
        let root = self.engine.dims.peek(term);
        let value = match root.is_var() {
            true => self.engine.sizes.model.get(&root.id()).copied(),
            false => Some(root),
        };
        match value {
            Some(value) => self.engine.problem.constants.dim(value.id()).clone(),
            None => Dim::Unit,
        }
    }

    fn rank_of(&self, var: u32) -> u64 {
        let (mut var, mut rank) = (var, 0);
        if !self.engine.rows.knows(var) {
            return rank;
        }
        loop {
            let node = self.engine.rows.nodes.at(var);
            rank += u64::from(node.len[0]) + u64::from(node.len[1]);
            let (Binding::Content(content) | Binding::Alias(content)) = node.binding else {
                return rank;
            };
            let row = self.engine.row(self.engine.rows.contents.at(content).row);
            rank += u64::from(row.lead) + u64::from(row.trail);
            if row.var == NONE {
                return rank;
            }
            var = row.var;
        }
    }

    pub(crate) fn row_value(&self, var: u32) -> Row {
        let engine = self.engine;
        let mut row = Row::default();
        if !engine.rows.knows(var) {
            return row;
        }
        let mut var = var;
        loop {
            let [lead, trail] = engine.rows.nodes.at(var).len;
            row.leading.reserve_exact(lead as usize);
            row.trailing.reserve_exact(trail as usize);
            self.flank(var, 0, &mut row.leading);
            self.flank(var, 1, &mut row.trailing);
            let (Binding::Content(content) | Binding::Alias(content)) = engine.binding(var) else {
                break;
            };
            let inner = engine.row(engine.rows.contents.at(content).row);
            for side in 0..2 {
                let into = if side == 0 {
                    &mut row.leading
                } else {
                    &mut row.trailing
                };
                into.extend(
                    (0..inner.flank(side))
                        .map(|at| self.value(engine.problem.terms[inner.place(side, at) as usize])),
                );
            }
            if inner.var == NONE {
                break;
            }
            var = inner.var;
        }
        row.trailing.reverse();
        row
    }

    fn flank(&self, var: u32, side: usize, into: &mut Vec<Dim>) {
        self.ends(var, side, |end| {
            into.push(end.map_or(Dim::Unit, |end| self.value(end)))
        });
    }

    /// The axes of a flank, from the outer edge. What is unwritten is what it faces in the one row above it;
    /// `None` where that faces nothing. No other row faces what lies further in, whether it is written or not: one that
    /// does faces all from the edge on, and has them written. So all the rest is looked up in the one row.
    pub(crate) fn ends(&self, var: u32, side: usize, mut each: impl FnMut(Option<Term>)) {
        let engine = self.engine;
        let (mut var, mut from) = (var, 0);
        let mut left = engine.rows.nodes.at(var).len[side];
        let mut walk = Walk::default();
        while let Some(rest) = left.checked_sub(1) {
            if walk.turns(var, from) {
                (0..left).for_each(|_| each(None));
                return;
            }
            if let Some(axis) = engine.rows.axis(var, side, from) {
                each(Some(axis));
                (from, left) = (from + 1, rest);
            } else if let Some((shift, right)) = self.covering(var, side, from) {
                // All the rest is what the covering row shows, and units where it ends.
                let at = from + shift;
                let shown = right.flank(side).saturating_sub(at).min(left);
                for at in at..at + shown {
                    each(Some(engine.problem.terms[right.place(side, at) as usize]));
                }
                left -= shown;
                if right.var == NONE {
                    (0..left).for_each(|_| each(None));
                    return;
                }
                (var, from) = (right.var, at.saturating_sub(right.flank(side)));
            } else {
                (0..left).for_each(|_| each(None));
                return;
            }
        }
    }

    /// The row that an unwritten axis is below, and how far their positions differ.
    fn covering(&self, var: u32, side: usize, at: u32) -> Option<(u32, crate::term::RowId)> {
        let engine = self.engine;
        let mut next = engine.rows.nodes.at(var).results;
        while next != NONE {
            let inequality = engine.rows.inequalities.at(next);
            let left = engine.row(inequality.row);
            if at + left.flank(side) < inequality.done[side] {
                let shift = left.flank(side);
                return Some((shift, engine.row(inequality.row + 1)));
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
    remembered: Option<(u32, u32)>,
    steps: u64,
}

impl Walk {
    /// Whether the walk has been at this place before.
    fn turns(&mut self, var: u32, position: u32) -> bool {
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

#[cfg(test)]
mod tests {
    use super::Walk;

    #[test]
    fn a_walk_turns_within_twice_the_way_into_a_circle_and_once_round() {
        for (before, round) in [(0, 1), (0, 7), (5, 3), (100, 60)] {
            let place = |step: u32| match step.checked_sub(before) {
                Some(inside) => (1, inside % round),
                None => (0, step),
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
        assert!(!(0..1000).any(|step| walk.turns(step, 0) || walk.turns(0, step + 1)));
    }
}
