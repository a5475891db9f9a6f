//! What a solve may take and hold: the limits of policy mode.
//!
//! Work is counted in steps, so that an answer does not depend on the machine: a step is an axis, an inequality, an equation or a
//! variable that is looked at. Whatever writes something down counts as well. So it is enough to count what is held now and then,
//! after so many steps, and at the end.

use lozenge_vocabulary::Rule;

use crate::options::Limits;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Failure;

/// After how many steps what is held is counted again.
const STEPS: u64 = 1 << 14;

/// A loop over more parts than that looks at the limits itself. What has fewer is a part of something that does.
pub(crate) const MANY: usize = 32;

/// The limits of policy mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PolicyLimits {
    pub(crate) work: u64,
    pub(crate) records: u64,
}

impl Default for PolicyLimits {
    fn default() -> PolicyLimits {
        Limits::default().into()
    }
}

impl From<Limits> for PolicyLimits {
    fn from(limits: Limits) -> PolicyLimits {
        PolicyLimits {
            work: limits.policy_work,
            records: limits.policy_records,
        }
    }
}

/// The steps of an engine, and how many it may come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    /// All steps so far.
    pub(crate) steps: u64,
    /// The steps after which limits are looked at.
    next: u64,
    /// The steps at which the limit of work is reached.
    end: u64,
}

impl Engine {
    /// Begins something that may take the whole limit of work.
    pub(crate) fn begin_work(&mut self) {
        let limits = self.problem.policy_limits;
        self.meter.end = self.meter.steps.saturating_add(limits.work);
        self.meter.next = self.meter.end.min(self.meter.steps.saturating_add(STEPS));
    }

    /// Counts steps, where what comes next is a good place to stop.
    #[inline]
    pub(crate) fn step(&mut self, steps: usize) -> EngineResult {
        self.meter.steps += steps as u64;
        match self.meter.steps < self.meter.next {
            true => Ok(()),
            false => self.keep_limits(),
        }
    }

    /// Counts steps, where there is nowhere to stop.
    #[inline]
    pub(crate) fn count(&mut self, steps: usize) {
        self.meter.steps += steps as u64;
    }

    /// Looks at the limits if that is due.
    #[cold]
    pub(crate) fn stop_at_limits(&mut self) -> EngineResult {
        self.step(0)
    }

    /// Whether the limits are kept.
    #[cold]
    pub(crate) fn keep_limits(&mut self) -> EngineResult {
        let PolicyLimits { work, records } = self.problem.policy_limits;
        let reached = if self.meter.steps > self.meter.end {
            format!("the limit of {work} steps of solving was reached; --policy-work raises it")
        } else if self.records() as u64 > records {
            format!(
                "the limit of {records} records (axes, variables, constraints and conclusions) was reached; --policy-records raises it"
            )
        } else {
            let end = self.meter.end.saturating_add(1);
            self.meter.next = end.min(self.meter.steps.saturating_add(STEPS));
            return Ok(());
        };
        Err(Failure {
            // A limit has no rule; this one stands for all that may not go on for ever.
            rule: Rule::RankCycle,
            reasons: Vec::new(),
            terms: Vec::new(),
            message: reached,
            is_limit: true,
        })
    }

    /// How much is held: axes of rows, whether written in the problem or found; variables; constraints, with those that were added;
    /// conclusions.
    pub(crate) fn records(&self) -> usize {
        self.problem.terms.len()
            + self.problem.rows.len()
            + self.inferences.len()
            + self.dims.len()
            + self.dims.inequalities()
            + self.rows.nodes.len()
            + self.rows.inequalities.len()
            + self.rows.places()
    }
}
