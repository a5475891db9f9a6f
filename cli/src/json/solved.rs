//! A solution of the production solver that is written piece by piece in any form, so that it is never held as a whole.

use std::fmt::Write;
use std::rc::Rc;

use lozenge_solver::{Solution, Values};
use lozenge_vocabulary::Row;

use super::cited::Policy;
use super::natural;

/// How many choices of policy are listed.
const CHOICES: usize = 100;

/// A solution of the production solver, with its variables in the natural order of their names.
pub struct Solved<'a> {
    pub(super) note: &'static str,
    pub(super) values: Values<'a>,
    solution: Solution<'a>,
}

impl<'a> Solved<'a> {
    /// The answer with this solution.
    pub fn new(solution: Solution<'a>, note: &'static str) -> Solved<'a> {
        let mut values = solution.values();
        if let Some(places) = natural::places(values.all_dim_names()) {
            values.arrange_dims(&places);
        }
        if let Some(places) = natural::places(values.all_row_names()) {
            values.arrange_rows(&places);
        }
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

/// Converts one row after the other to text. Neighbouring variables often have the same value, so the last text is kept.
#[derive(Default)]
pub(super) struct RowText {
    last: Option<Rc<Row>>,
    text: String,
}

impl RowText {
    pub(super) fn of(&mut self, row: &Rc<Row>) -> &str {
        if !self.last.as_ref().is_some_and(|last| Rc::ptr_eq(last, row)) {
            self.text.clear();
            // Writing to a string does not fail.
            let _ = write!(self.text, "{row}");
            self.last = Some(row.clone());
        }
        &self.text
    }
}
