//! Limits of policy mode: the work that a solve may take, and the records that it may hold.
//!
//! Work is counted in steps, so that an answer does not depend on the machine: a step is an axis, an inequality, an
//! equation or a variable that is processed. Recording anything is a step as well, so it is enough to count what is
//! held now and then, after so many steps, and at the end.

use lozenge_vocabulary::Rule;

use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Failure;

impl Engine {
    /// Begins something that may take the whole limit of work.
    pub(crate) fn begin_work(&mut self) {
        self.meter.begin(self.problem.options.limits.policy_work);
        self.middles.take();
    }

    /// Counts steps, where what comes next is a good place to stop.
    #[inline]
    pub(crate) fn step(&mut self, steps: usize) -> EngineResult {
        self.meter.steps += steps as u64;
        match self.meter.is_due() {
            false => Ok(()),
            true => self.keep_limits(),
        }
    }

    /// Counts steps, where there is nowhere to stop.
    #[inline]
    pub(crate) fn count(&mut self, steps: usize) {
        self.meter.steps += steps as u64;
    }

    /// Checks that the limits are kept.
    #[cold]
    pub(crate) fn keep_limits(&mut self) -> EngineResult {
        let limits = self.problem.options.limits;
        let (work, records) = (limits.policy_work, limits.policy_records);
        let reached = if self.meter.is_exceeded() {
            format!("the limit of {work} steps of solving was reached; --policy-work raises it")
        } else if self.records() as u64 > records {
            format!(
                "the limit of {records} records (axes, variables, constraints and conclusions) was reached; --policy-records raises it"
            )
        } else {
            self.meter.go_on();
            return Ok(());
        };
        Err(Box::new(Failure {
            // A limit has no rule; this one stands for all that may not go on for ever.
            rule: Rule::RankCycle,
            reasons: Vec::new(),
            terms: Vec::new(),
            message: reached,
            is_limit: true,
        }))
    }

    /// Counts the records that are held: axes of rows, whether written in the problem or found; variables; constraints,
    /// with those that were added; conclusions.
    pub(crate) fn records(&self) -> usize {
        let tables = [
            self.problem.terms.len(),
            self.problem.rows.len(),
            self.inferences.len(),
            self.dims.len(),
            self.dims.inequalities(),
            self.rows.nodes.len(),
            self.rows.inequalities.len(),
            self.rows.places(),
        ];
        tables.iter().sum()
    }
}
