//! A solution of the production solver on its way to be written, in whatever form: it is never held as a whole.

use std::fmt::Write;
use std::rc::Rc;

use lozenge_solver::{Solution, Values};
use lozenge_vocabulary::Row;

use super::Natural;
use super::cited::Policy;

/// How many choices of policy are listed.
const CHOICES: usize = 100;

/// A solution of the production solver, with its variables in the natural order of their names.
pub struct Solved<'a> {
    pub(super) note: &'static str,
    pub(super) values: Values<'a>,
    solution: Solution<'a>,
}

impl<'a> Solved<'a> {
    /// The answer that a solution is.
    pub fn new(solution: Solution<'a>, note: &'static str) -> Solved<'a> {
        let mut values = solution.values();
        values.sort_by_key(Natural::new);
        Solved {
            note,
            solution,
            values,
        }
    }

    /// The first choices of policy.
    pub(super) fn choices(&self) -> Vec<Policy> {
        let choices = self.solution.policy_steps(CHOICES);
        choices.iter().map(Policy::from).collect()
    }
}

/// The text of one row after the other. Variables that stand side by side often have the same value, whose text is kept.
#[derive(Default)]
pub(super) struct RowText {
    last: Option<Rc<Row>>,
    text: String,
}

impl RowText {
    pub(super) fn of(&mut self, row: &Rc<Row>) -> &str {
        if !self.last.as_ref().is_some_and(|last| Rc::ptr_eq(last, row)) {
            self.text.clear();
            // A string takes whatever is written.
            let _ = write!(self.text, "{row}");
            self.last = Some(row.clone());
        }
        &self.text
    }
}
