//! The names that have one value in all solutions.

use std::collections::BTreeSet;

use lozenge_axon_vocabulary::{
    Assignment, DimId, DimVar, Equation, Pool, ShapeVar, Variable, Word,
};

use crate::arithmetic::Extra;
use crate::decide::names;
use crate::solver::Solver;

/// The names whose values are forced, with these values, and those for which the answer is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// The values of names that have one value in all solutions.
    pub values: Assignment,
    /// The names for which it is not known.
    pub unknown: BTreeSet<Variable>,
}

impl Solver {
    /// Returns which names have one value in all solutions, given one solution.
    ///
    /// For each name it is asked whether a solution exists in which the name has another value. A solution that is
    /// found answers for all names in which it differs.
    pub fn forced(&self, pool: &mut Pool, equations: &[Equation], witness: &Assignment) -> Forced {
        let (dims, shapes) = names(pool, equations);
        let mut question = Question {
            solver: self,
            equations,
            open: witness.clone(),
            asked: 0,
            unanswered: 0,
            result: Forced::default(),
        };
        for name in dims {
            if let Some(&value) = question.open.dims.get(&name) {
                question.dim(pool, name, value);
            }
        }
        for name in shapes {
            if let Some(value) = question.open.shapes.get(&name).cloned() {
                question.shape(pool, name, value);
            }
        }
        question.result
    }
}

struct Question<'q> {
    solver: &'q Solver,
    equations: &'q [Equation],
    /// The values that no solution so far has contradicted.
    open: Assignment,
    asked: usize,
    /// The questions that reached a limit.
    unanswered: usize,
    result: Forced,
}

impl Question<'_> {
    /// Asks for a solution with more equations and facts. Returns whether none exists, unless that is not known.
    fn none(&mut self, pool: &mut Pool, more: Vec<Equation>, extra: &[Extra]) -> Option<bool> {
        let limits = &self.solver.limits;
        if self.asked == limits.forced || self.unanswered == limits.unanswered {
            return None;
        }
        self.asked += 1;
        let equations: Vec<Equation> = self.equations.iter().cloned().chain(more).collect();
        match self.solver.admits(pool, &equations, extra) {
            Ok(None) => Some(true),
            Ok(Some(other)) => {
                self.open
                    .dims
                    .retain(|name, value| other.dims.get(name) == Some(value));
                self.open
                    .shapes
                    .retain(|name, value| other.shapes.get(name) == Some(value));
                Some(false)
            }
            Err(_) => {
                self.unanswered += 1;
                None
            }
        }
    }

    fn dim(&mut self, pool: &mut Pool, name: DimVar, value: i64) {
        let (dim, number) = (pool.var(name), pool.number(value));
        match self.none(pool, Vec::new(), &[Extra::Differ(dim, number)]) {
            Some(true) => {
                self.result.values.dims.insert(name, value);
            }
            Some(false) => {}
            None => {
                self.result.unknown.insert(Variable::Dim(name));
            }
        }
    }

    fn shape(&mut self, pool: &mut Pool, name: ShapeVar, value: Vec<i64>) {
        let mut is_forced = true;
        for (word, differ) in other_shapes(pool, &value) {
            let equation = Equation::Shapes(Word::name(name), word);
            match self.none(pool, vec![equation], &differ) {
                Some(true) => {}
                Some(false) => return,
                None => is_forced = false,
            }
        }
        if is_forced {
            self.result.values.shapes.insert(name, value);
        } else {
            self.result.unknown.insert(Variable::Shape(name));
        }
    }
}

/// Returns shapes, with facts, that together are all values but one: each smaller rank, each greater rank, and other
/// axes.
fn other_shapes(pool: &mut Pool, value: &[i64]) -> Vec<(Word, Vec<Extra>)> {
    let axes: Vec<DimId> = (0..=value.len())
        .map(|_| {
            let axis = pool.fresh_dim("axis");
            pool.var(axis)
        })
        .collect();
    let mut shapes = Vec::new();
    let longer = Word::list(axes.iter().copied()).append(&Word::name(pool.fresh_shape("rest")));
    shapes.push((longer, Vec::new()));
    if !value.is_empty() {
        let values: Vec<(DimId, i64)> = axes.iter().copied().zip(value.iter().copied()).collect();
        let same_rank = Word::list(axes[..value.len()].iter().copied());
        shapes.push((same_rank, vec![Extra::AnyDiffers(values)]));
    }
    for rank in 0..value.len() {
        shapes.push((Word::list(axes[..rank].iter().copied()), Vec::new()));
    }
    shapes
}
