//! A solver of Z3, its scopes and its time limits.

use std::borrow::Borrow;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use z3::ast::Bool;
use z3::{Model, Params, SatResult, Solver};

use crate::{Clock, Stopped};

/// The memory limit that Z3 has in this process, in MiB; 0 before one was set.
static MEMORY: AtomicU32 = AtomicU32::new(0);

/// Sets the memory of Z3 in MiB, above which it gives up a search. Z3 has one limit for the whole process: the one set
/// last holds for all threads.
pub fn limit_memory(mebibytes: u32) {
    if MEMORY.swap(mebibytes, Ordering::Relaxed) != mebibytes {
        z3::set_global_param("memory_high_watermark_mb", &mebibytes.to_string());
    }
}

/// A solver of Z3 with scopes, whose every check has a time limit.
#[derive(Debug)]
pub struct Session {
    solver: Solver,
    /// The current time limit of the solver, in milliseconds.
    timeout: Cell<u32>,
}

/// A scope of a session: assertions made while it lives are removed when it is dropped.
pub struct Scope<'a>(&'a Solver);

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.0.pop(1);
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// Makes a solver in which nothing was asked before.
    pub fn new() -> Session {
        Session {
            solver: Solver::new(),
            timeout: Cell::new(0),
        }
    }

    /// Opens a scope.
    pub fn scope(&self) -> Scope<'_> {
        self.solver.push();
        Scope(&self.solver)
    }

    /// Asserts a formula until the scope ends.
    pub fn assert(&self, formula: impl Borrow<Bool>) {
        self.solver.assert(formula.borrow());
    }

    /// Tells whether the assertions and the assumptions have a model.
    ///
    /// # Errors
    /// When the clock has run out or Z3 gives up.
    pub fn check(&self, assumptions: &[Bool], clock: &Clock) -> Result<bool, Stopped> {
        // Whoever interrupts after the look at the clock finds Z3 at work.
        clock.set_busy(true);
        let result = self.search(assumptions, clock);
        clock.set_busy(false);
        match result? {
            SatResult::Sat => Ok(true),
            SatResult::Unsat => Ok(false),
            SatResult::Unknown => Err(self.reason(clock)),
        }
    }

    fn search(&self, assumptions: &[Bool], clock: &Clock) -> Result<SatResult, Stopped> {
        self.limit(clock.left()?);
        Ok(self.solver.check_assumptions(assumptions))
    }

    /// Returns the reason for which the last check has no answer.
    fn reason(&self, clock: &Clock) -> Stopped {
        let said = self.solver.get_reason_unknown().unwrap_or_default();
        match clock.left() {
            Ok(_) => Stopped::from_words(said),
            Err(stopped) => stopped,
        }
    }

    /// Sets another time limit if the current one does not suit the time left.
    fn limit(&self, left: Duration) {
        if let Some(timeout) = another_limit(self.timeout.get(), left) {
            self.timeout.set(timeout);
            let mut params = Params::new();
            params.set_u32("timeout", timeout);
            // Z3 would install its own Ctrl-C handler, which belongs to the embedding program; that has `Interrupt`
            // instead.
            params.set_bool("ctrl_c", false);
            self.solver.set_params(&params);
        }
    }

    /// Returns the model of the last check, if that found one.
    pub fn model(&self) -> Option<Model> {
        self.solver.get_model()
    }

    /// Returns the assumptions of the last check that have no model together.
    pub fn unsat_core(&self) -> Vec<Bool> {
        self.solver.get_unsat_core()
    }

    /// Counts the checks that the solver has made.
    pub fn checks(&self) -> u32 {
        match self.solver.get_statistics().value("num checks") {
            Some(z3::StatisticsValue::UInt(count)) => count,
            // Before its first check Z3 counts none.
            _ => 0,
        }
    }
}

/// Returns the time limit in milliseconds to set for a solver; `None` if the current one will do.
///
/// A limit is kept while it is at most the time left and not much less, because setting one costs more than a small
/// check.
fn another_limit(has: u32, left: Duration) -> Option<u32> {
    let left = u32::try_from(left.as_millis()).unwrap_or(u32::MAX).max(1);
    let will_do = left - left / 8..=left;
    (!will_do.contains(&has)).then_some(left - left / 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_at_most_the_time_left_and_not_much_less() {
        for (has, left, another) in [
            // A limit that was never set, one that is a little too long, one that is a little too short.
            (0, 16_000, Some(15_000)),
            (16_001, 16_000, Some(15_000)),
            (13_999, 16_000, Some(15_000)),
            (16_000, 16_000, None),
            (14_000, 16_000, None),
            // Z3 reads 0 as no limit.
            (0, 0, Some(1)),
            (1, 0, None),
            (u32::MAX - 1, u64::MAX, None),
        ] {
            let found = another_limit(has, Duration::from_millis(left));
            assert_eq!(found, another, "{has}, {left}");
        }
        for left in (1..100).chain([1_000, 60_000, u32::MAX]) {
            let limit = another_limit(0, Duration::from_millis(left.into())).expect("a limit");
            assert!(limit <= left && limit >= left - left / 8, "{limit}, {left}");
        }
    }

    #[test]
    fn every_check_has_a_limit() {
        let session = Session::new();
        for seconds in [1_000, 100, 10_000] {
            let found = session.check(&[], &Clock::start(Duration::from_secs(seconds), None));
            assert_eq!(found, Ok(true));
            let limit = u64::from(session.timeout.get());
            assert!(
                limit <= 1_000 * seconds && limit >= 800 * seconds,
                "{limit}"
            );
        }
    }

    #[test]
    fn a_scope_takes_its_assertions_back() {
        let session = Session::new();
        let clock = Clock::start(Duration::from_secs(1000), None);
        {
            let _scope = session.scope();
            session.assert(Bool::from_bool(false));
            assert_eq!(session.check(&[], &clock), Ok(false));
        }
        assert_eq!(session.check(&[], &clock), Ok(true));
        assert_eq!(session.checks(), 2);
    }
}
