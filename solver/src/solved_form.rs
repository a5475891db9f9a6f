//! All values of a solution at once, apart by what they rest on.

use std::collections::BTreeMap;

use lozenge_vocabulary::{DimVar, Ground, RowVar, Var};

use crate::engine::Engine;
use crate::facts::Why;
use crate::refusal::PolicyStep;
use crate::residual::Standing;
use crate::rows::Core;
use crate::solution::Solution;
use crate::term::{NONE, Term};

/// How many constraints behind free variables a solved form cites before it stops to list what bounds them.
const CITED: usize = 10_000;

/// How many choices of policy a solved form lists.
const CHOICES: usize = 100;

/// The values of a solution, apart by what they rest on.
#[derive(Clone, Debug, Default)]
pub struct SolvedForm {
    /// What every solution has.
    pub forced: Ground,
    /// Rows whose axes every solution has. Policy chose where the marker stands among them.
    pub placed: Ground,
    /// What policy chose: another choice may give another value.
    pub chosen: Ground,
    /// What nothing determines, or not in all of its axes: what is open stands at its top.
    pub free: Ground,
    /// What still bounds the free variables. In a large problem some have no entry: [`Solution::standing`] tells of each.
    pub bounds: BTreeMap<Var, Standing>,
    /// The first choices of policy, in the order in which they were made.
    pub choices: Vec<PolicyStep>,
}

impl Solution<'_> {
    /// All named variables with their values, apart by what they rest on, in time linear in the size of the values.
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
        let sorter = Sorter::new(engine);
        let mut form = SolvedForm {
            choices: self.policy_steps(CHOICES),
            ..SolvedForm::default()
        };
        for id in 0..engine.dims.len() as u32 {
            let name = engine.problem.dim_names.name(id);
            if !name.is_empty() {
                let values = form.of(sorter.dim(Term::var(id)));
                values
                    .dims
                    .insert(DimVar::new(name), self.value(Term::var(id)));
            }
        }
        for id in 0..engine.rows.nodes.len() as u32 {
            let name = engine.problem.row_names.name(id);
            if !name.is_empty() {
                let values = form.of(sorter.row(id));
                values.rows.insert(RowVar::new(name), self.row_value(id));
            }
        }
        form.bounds = engine.bounds_of(&form.free);
        form
    }
}

impl SolvedForm {
    fn of(&mut self, kind: Kind) -> &mut Ground {
        match kind {
            Kind::Forced => &mut self.forced,
            Kind::Placed => &mut self.placed,
            Kind::Chosen => &mut self.chosen,
            Kind::Free => &mut self.free,
        }
    }

    /// Every variable with its value, whatever it rests on.
    pub fn into_ground(self) -> Ground {
        let mut all = self.forced;
        for mut part in [self.placed, self.chosen, self.free] {
            all.dims.append(&mut part.dims);
            all.rows.append(&mut part.rows);
        }
        all
    }
}

impl Engine {
    /// What bounds the free variables, from the first on, until enough constraints are cited.
    fn bounds_of(&self, free: &Ground) -> BTreeMap<Var, Standing> {
        let ends = self.problem.line_ends();
        let dims = free.dims.keys().cloned().map(Var::Dim);
        let rows = free.rows.keys().cloned().map(Var::Row);
        let (mut bounds, mut cited) = (BTreeMap::new(), 0);
        for var in dims.chain(rows) {
            if cited >= CITED {
                break;
            }
            let Some(standing) = self.standing_of(&var, &ends) else {
                continue;
            };
            if let Standing::Free { bounds, .. } = &standing {
                cited += 1 + bounds.len();
            }
            bounds.insert(var, standing);
        }
        bounds
    }
}

/// What the value of a variable rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Forced,
    Placed,
    Chosen,
    Free,
}

/// Sorts variables by what their values rest on.
pub(crate) struct Sorter<'a> {
    engine: &'a Engine,
    /// Of each fact whether it rests on a choice of policy; empty when no fact does.
    policy: Vec<bool>,
}

impl<'a> Sorter<'a> {
    pub(crate) fn new(engine: &'a Engine) -> Sorter<'a> {
        Sorter {
            engine,
            policy: engine.facts.resting_on_policy(&engine.dims),
        }
    }

    pub(crate) fn dim(&self, term: Term) -> Kind {
        match () {
            () if self.engine.dims.peek(term).is_var() => Kind::Free,
            () if self.is_chosen(&[], &[term]) => Kind::Chosen,
            () => Kind::Forced,
        }
    }

    pub(crate) fn row(&self, var: u32) -> Kind {
        let engine = self.engine;
        match () {
            () if !engine.rows.knows(var) || self.is_free(var) => Kind::Free,
            () if self.axes_are_chosen(var) => Kind::Chosen,
            () if engine.is_unplaced(var) => Kind::Placed,
            () => {
                let (reasons, terms) = engine.row_reasons(var);
                match self.is_chosen(&reasons, &terms) {
                    true => Kind::Placed,
                    false => Kind::Forced,
                }
            }
        }
    }

    fn is_chosen(&self, reasons: &[Why], terms: &[Term]) -> bool {
        if self.policy.is_empty() {
            return false;
        }
        let mut cited = Vec::new();
        let engine = self.engine;
        engine.facts.cite(reasons, NONE, &engine.dims, &mut cited);
        for term in terms {
            engine.dims.links(*term, NONE, &mut cited);
        }
        let facts = cited.into_iter().filter_map(Why::as_fact);
        facts.into_iter().any(|fact| self.policy[fact as usize])
    }

    /// Whether the rank of a row is open, or one of its axes.
    pub(crate) fn is_free(&self, var: u32) -> bool {
        let (engine, mut at) = (self.engine, var);
        let is_open = |term: Term| engine.dims.peek(term).is_var();
        loop {
            let node = engine.rows.nodes.at(at);
            let mut free = node.core == Core::Open;
            for side in 0..2 {
                Solution::new(engine).ends(at, side, |end| free |= end.is_none_or(is_open));
            }
            if free {
                return true;
            }
            let (Core::Content(content) | Core::Alias(content)) = node.core else {
                return false;
            };
            let row = engine.row(engine.rows.contents.at(content).row);
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            if engine.problem.terms[axes].iter().any(|term| is_open(*term)) {
                return true;
            }
            if row.var == NONE {
                return false;
            }
            at = row.var;
        }
    }

    /// Whether the axes of a row rest on a choice, the place of its marker left aside.
    fn axes_are_chosen(&self, var: u32) -> bool {
        if self.policy.is_empty() {
            return false;
        }
        let (engine, mut at) = (self.engine, var);
        loop {
            let node = engine.rows.nodes.at(at);
            let reasons = match node.flat {
                Why::NONE => vec![node.grown[0], node.grown[1], node.fixed],
                flat => vec![flat],
            };
            let letters = |side: usize| {
                let written = 0..node.len[side].min(engine.rows.room(at, side));
                written.filter_map(move |position| engine.rows.letter(at, side, position))
            };
            let mut terms: Vec<Term> = letters(0).chain(letters(1)).collect();
            let (Core::Content(content) | Core::Alias(content)) = node.core else {
                return self.is_chosen(&reasons, &terms);
            };
            let content = engine.rows.contents.at(content);
            let row = engine.row(content.row);
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            terms.extend_from_slice(&engine.problem.terms[axes]);
            if self.is_chosen(&reasons, &terms) || self.is_chosen(&[content.why], &[]) {
                return true;
            }
            if row.var == NONE {
                return false;
            }
            at = row.var;
        }
    }
}
