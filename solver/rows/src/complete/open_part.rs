//! The part of a problem that propagation leaves open, searched alone.
//!
//! Of a large problem most is settled by propagation, and a search over the lengths of all rows pays for it all the
//! same. The settled part falls out: a variable with one value is replaced by it, and constraints that share no other
//! variable with an open marker or equation keep what propagation found. Only a solution is taken from this search,
//! once it satisfies all constraints; a refutation has to cite what determined the values, so it is left to the search
//! over the whole.

use lozenge_vocabulary::{DimTerm, Ground, Row};

use crate::complete::decide::{Answer, NormalisedSet, Side};
use crate::complete::decision::{Decision, effort};
use crate::explain::solution::Solution;
use crate::ids::{AssertedId, DimVarId, IdVec, RowVarId, all};
use crate::options::Limits;
use crate::problem::Size;
use crate::state::engine::{Deferred, Engine};
use crate::term::{RowId, Term};

/// A problem of fewer constraints is searched whole: to find its open part costs as much.
const FEW: usize = 12;

/// The result of propagation for a row.
#[derive(Clone, Debug)]
enum Known {
    /// It has this value in every solution.
    Value(Row<Term>),
    /// Neither its marker nor an equation about its content is in question.
    Free,
    /// One of them is.
    Open,
}

/// The results of propagation for all variables.
struct Propagated {
    rows: IdVec<RowVarId, Known>,
    dims: IdVec<DimVarId, Option<Term>>,
    solution: Ground,
}

/// Constraints that share variables with something open, and these variables.
struct Part {
    constraints: IdVec<AssertedId, bool>,
    rows: Vec<RowVarId>,
    dims: Vec<DimVarId>,
}

impl Engine {
    /// Returns a solution of least total rank, found by a search of the open part, where that is at most half of the
    /// problem, which had this size before propagation. The rows that propagation added to the problem are taken back
    /// in any case.
    pub(crate) fn decide_open_part(&mut self, size: Size, limits: Limits) -> Option<Decision> {
        if self.problem.len() < FEW {
            self.problem.truncate(size);
            return None;
        }
        let propagated = self.propagated();
        self.problem.truncate(size);
        let statements = NormalisedSet::of(&self.problem);
        let part = propagated.open_part(&statements);
        let count = part.constraints.values().filter(|open| **open).count();
        if 2 * count > statements.list.len() {
            return None;
        }
        let statements = statements.part(
            |constraint| part.constraints[constraint],
            |side| propagated.with_values(side),
        );
        let (answer, done) = crate::complete::decide::decide(&statements, effort(limits));
        let Answer::Found(found) = answer else {
            return None;
        };
        if found.longest() > u64::from(limits.rank) {
            return None;
        }
        let ground = self.completed(propagated.solution, &part, found.ground(&self.problem))?;
        let rank = ground.rows.values().map(|row| row.explicit() as u64).sum();
        Some(Decision::of_solution(Some(ground), rank).after(done))
    }

    fn propagated(&mut self) -> Propagated {
        let deferred: Vec<_> = self.deferred.ids().collect();
        let mut in_equations = Vec::new();
        for id in deferred {
            if self.is_resolved(id) {
                continue;
            }
            let Deferred { row, .. } = self.deferred.get(id);
            for side in [row, row.right()] {
                in_equations.extend(self.spell(side).ok().and_then(|spelled| spelled.open));
            }
        }
        let value = |dim| Some(self.dims.peek(Term::var(dim))).filter(|term| !term.is_var());
        let rows = all(self.problem.row_names.len());
        Propagated {
            rows: rows.map(|var| self.known_of(var, &in_equations)).collect(),
            dims: all(self.problem.dim_names.len()).map(value).collect(),
            solution: Solution::new(self).ground(),
        }
    }

    /// Classifies a row after propagation, given the variables in equations that it left open.
    fn known_of(&self, var: RowVarId, in_equations: &[RowVarId]) -> Known {
        let row = RowId {
            start: 0,
            lead: 0,
            trail: 0,
            var: Some(var),
        };
        let (is_open, is_unplaced) = self.end_of(row);
        if is_unplaced || in_equations.contains(&self.last_of(var)) {
            return Known::Open;
        }
        let solution = Solution::new(self);
        if is_open || solution.unknown_sizes(row) > 0 {
            return Known::Free;
        }
        let mut value = Row::default();
        solution.constants_of(var, &mut value);
        Known::Value(value)
    }

    /// Returns the solution of the settled part with that of the open part, if together they satisfy every constraint.
    fn completed(&self, settled: Ground, part: &Part, mut open: Ground) -> Option<Ground> {
        let mut ground = settled;
        for row in &part.rows {
            let name = self.problem.row_var(*row);
            let value = open.rows.remove(&name)?;
            ground.rows.insert(name, value);
        }
        for dim in &part.dims {
            if let DimTerm::Var(name) = self.problem.show_dim(Term::var(*dim)) {
                let value = open.dims.remove(&name)?;
                ground.dims.insert(name, value);
            }
        }
        let constraints = &self.problem.to_set().constraints;
        let wrong = ground.first_violated(constraints, self.problem.order());
        wrong.is_none().then_some(ground)
    }
}

impl Propagated {
    /// Returns the constraints that an open row reaches by variables without a value.
    fn open_part(&self, statements: &NormalisedSet) -> Part {
        let mut of_rows: IdVec<RowVarId, Vec<AssertedId>> = IdVec::of(statements.rows, Vec::new());
        let mut of_dims: IdVec<DimVarId, Vec<AssertedId>> = IdVec::of(statements.dims, Vec::new());
        for (number, statement) in statements.list.iter() {
            for side in &statement.sides {
                self.rows_of(side).for_each(|row| of_rows[row].push(number));
                self.dims_of(side).for_each(|dim| of_dims[dim].push(number));
            }
        }
        let mut part = Part {
            constraints: IdVec::of(statements.list.len(), false),
            rows: Vec::new(),
            dims: Vec::new(),
        };
        let rows = all(statements.rows);
        let open = rows.filter(|row| matches!(self.rows[*row], Known::Open));
        let mut due: Vec<AssertedId> = Vec::new();
        for row in open {
            due.append(&mut of_rows[row]);
            part.rows.push(row);
        }
        while let Some(number) = due.pop() {
            if std::mem::replace(&mut part.constraints[number], true) {
                continue;
            }
            for side in &statements.list[number].sides {
                for row in self.rows_of(side) {
                    if !of_rows[row].is_empty() {
                        due.append(&mut of_rows[row]);
                        part.rows.push(row);
                    }
                }
                for dim in self.dims_of(side) {
                    if !of_dims[dim].is_empty() {
                        due.append(&mut of_dims[dim]);
                        part.dims.push(dim);
                    }
                }
            }
        }
        part
    }

    /// Returns the row variable of a side, unless it has a value.
    fn rows_of(&self, side: &Side) -> impl Iterator<Item = RowVarId> {
        let has_no_value = |row: &RowVarId| !matches!(self.rows[*row], Known::Value(_));
        side.var.into_iter().filter(has_no_value)
    }

    /// Returns the dimension variables of a side that have no value.
    fn dims_of(&self, side: &Side) -> impl Iterator<Item = DimVarId> {
        let vars = side.axes().filter(|(_, term)| term.is_var());
        let dims = vars.map(|(_, term)| term.id());
        dims.filter(|dim| self.dims[*dim].is_none())
    }

    /// Returns a side with the values of its variables in their place.
    fn with_values(&self, side: &Side) -> Side {
        let value = |term: &Term| match term.is_var() {
            true => self.dims[term.id()].unwrap_or(*term),
            false => *term,
        };
        let mut lead: Vec<Term> = side.lead.iter().map(value).collect();
        let mut trail: Vec<Term> = side.trail.iter().map(value).collect();
        let mut var = side.var;
        if let Some(Known::Value(row)) = var.map(|var| &self.rows[var]) {
            lead.extend(&row.leading);
            trail.splice(0..0, row.trailing.iter().copied());
            var = None;
        }
        Side { lead, trail, var }
    }
}
