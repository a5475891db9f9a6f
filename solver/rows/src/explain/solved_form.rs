//! All values of a solution at once, divided into those that are forced, those that policy chose, and those that
//! nothing determines.

use std::collections::BTreeMap;

use lozenge_vocabulary::{DimVar, Ground, RowVar, Var};

use crate::explain::refusal::PolicyStep;
use crate::explain::residual::Standing;
use crate::explain::solution::Solution;
use crate::explain::sorter::{Footing, Sorter};
use crate::state::engine::Engine;
use crate::term::Term;

/// The number of constraints behind free variables that a solved form cites before it stops to list what bounds them.
const CITED: usize = 10_000;

/// The number of choices of policy that a solved form lists.
const CHOICES: usize = 100;

/// The values of a solution, apart by what they rest on.
#[derive(Clone, Debug, Default)]
pub struct SolvedForm {
    /// The values that every solution has.
    pub forced: Ground,
    /// Rows whose axes every solution has. Policy chose where the marker stands among them.
    pub placed: Ground,
    /// The values that policy chose: another choice may give another value.
    pub chosen: Ground,
    /// The variables that are not fully determined. An open part of them has its top as its value.
    pub free: Ground,
    /// The bounds that the free variables still have. In a large problem some have no entry; [`Solution::standing`]
    /// gives the bounds of any variable.
    pub bounds: BTreeMap<Var, Standing>,
    /// The first choices of policy, in the order in which they were made.
    pub choices: Vec<PolicyStep>,
}

impl Solution<'_> {
    /// Returns all named variables with their values, apart by what they rest on, in time linear in the size of the
    /// values.
    ///
    /// ```
    /// use lozenge_solver::{DimVar, Problem, RowVar, Solver};
    ///
    /// let mut solver = Solver::new(Problem::parse("a = 3\n4 <= b\n<r> ~ [3, 5]")?);
    /// solver.solve()?;
    /// let form = solver.solution().solved_form();
    /// assert!(form.forced.dims.contains_key(&DimVar::new("a")));
    /// assert!(form.free.dims.contains_key(&DimVar::new("b")));
    /// assert!(form.placed.rows.contains_key(&RowVar::new("r")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solved_form(&self) -> SolvedForm {
        let engine = self.engine();
        let mut sorter = Sorter::new(engine);
        let mut form = SolvedForm {
            choices: self.policy_steps(CHOICES),
            ..SolvedForm::default()
        };
        for id in engine.dims.ids() {
            let name = engine.problem.dim_names.name(id);
            if !name.is_empty() {
                let values = form.of(sorter.dim(Term::var(id)));
                if self.is_0(id) {
                    values.zeros.insert(DimVar::new(name));
                    continue;
                }
                values
                    .dims
                    .insert(DimVar::new(name), self.value(Term::var(id)));
            }
        }
        for id in engine.rows.nodes.ids() {
            let name = engine.problem.row_names.name(id);
            if !name.is_empty() {
                let values = form.of(sorter.row(id));
                values.rows.insert(RowVar::new(name), self.row_value(id));
            }
        }
        let dims = form.free.dims.keys().cloned().map(Var::Dim);
        let rows = form.free.rows.keys().cloned().map(Var::Row);
        form.bounds = engine.bounds_of(dims.chain(rows)).into_iter().collect();
        form
    }
}

impl SolvedForm {
    fn of(&mut self, kind: Footing) -> &mut Ground {
        match kind {
            Footing::Forced => &mut self.forced,
            Footing::Placed => &mut self.placed,
            Footing::Chosen => &mut self.chosen,
            Footing::Free => &mut self.free,
        }
    }

    /// Returns every variable with its value, whatever it rests on.
    pub fn into_ground(self) -> Ground {
        let mut all = self.forced;
        for mut part in [self.placed, self.chosen, self.free] {
            all.dims.append(&mut part.dims);
            all.rows.append(&mut part.rows);
            all.zeros.append(&mut part.zeros);
        }
        all
    }
}

impl Engine {
    /// Lists the bounds of the free variables, from the first on, until enough constraints are cited.
    pub(crate) fn bounds_of(&self, free: impl Iterator<Item = Var>) -> Vec<(Var, Standing)> {
        let lines = self.problem.lines();
        let (mut bounds, mut cited) = (Vec::new(), 0);
        for var in free {
            if cited >= CITED {
                break;
            }
            let Some(standing) = self.standing_of(&var, &lines) else {
                continue;
            };
            if let Standing::Free { bounds, .. } = &standing {
                cited += 1 + bounds.len();
            }
            bounds.push((var, standing));
        }
        bounds
    }
}
