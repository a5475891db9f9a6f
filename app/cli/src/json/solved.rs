//! A solution of the production solver that is written piece by piece in any form, so that it is never held as a whole.

use lozenge_solver::{Solution, Values};

use super::cited::Policy;
use super::natural;

/// The number of choices of policy that are listed.
const CHOICES: usize = 100;

/// A solution of the production solver, with its variables in the natural order of their names.
pub struct Solved<'a> {
    pub(super) note: &'static str,
    pub(super) values: Values<'a>,
    solution: Solution<'a>,
}

impl<'a> Solved<'a> {
    /// Returns the answer with this solution.
    pub fn new(solution: Solution<'a>, note: &'static str) -> Solved<'a> {
        let mut values = solution.values();
        if !values.arrange_numbered_dims()
            && let Some(places) = natural::places(values.all_dim_names())
        {
            values.arrange_dims(&places);
        }
        if !values.arrange_numbered_rows()
            && let Some(places) = natural::places(values.all_row_names())
        {
            values.arrange_rows(&places);
        }
        Solved {
            note,
            solution,
            values,
        }
    }

    /// Returns the first choices of policy.
    pub(super) fn choices(&self) -> Vec<Policy> {
        let choices = self.solution.policy_steps(CHOICES);
        choices.iter().map(Policy::from).collect()
    }
}
