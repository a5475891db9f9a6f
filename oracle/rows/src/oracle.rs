//! The oracle and its settings, and the search by growing windows.

use std::rc::Rc;

use lozenge_smt::Interrupt;
use lozenge_vocabulary::{ConstraintSet, Ground, Order};

use crate::lengths;
use crate::limits::{Clock, Limits, Reason};
use crate::scope::Scope;
use crate::session::{CheckResult, Sealed, Session, Setting};
use crate::smt::{self, Smt};

/// The oracle: a reading of `<=`, and limits. Threads may share it; each thread has its own solver.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// The reading of `<=` between rows.
    pub order: Order,
    /// The limits of one question.
    pub limits: Limits,
    /// The interrupt that may end a question.
    pub interrupt: Option<Interrupt>,
}

impl Oracle {
    /// Makes an oracle for one reading, with the default limits.
    pub fn new(order: Order) -> Oracle {
        Oracle {
            order,
            ..Oracle::default()
        }
    }

    /// Returns the same oracle with other limits.
    pub fn with_limits(self, limits: Limits) -> Oracle {
        Oracle { limits, ..self }
    }

    /// Returns the number of axes on either side of a row variable's marker that are encoded before a question about
    /// the set is given up as unknown: the rank bound of the crate's documentation, capped by the limits.
    pub fn rank_bound(&self, set: &ConstraintSet) -> u32 {
        let windows = Scope::of(set).windows(self.limits.window);
        windows.last().copied().unwrap_or(0)
    }

    /// Starts the clock of one question.
    pub(crate) fn start(&self) -> Clock {
        lozenge_smt::limit_memory(self.limits.memory);
        Clock::start(&self.limits, self.interrupt.as_ref())
    }

    /// Runs `ask` at growing windows until it has an answer; `Some(None)` is the answer that the constraints have no
    /// solution. If the first window leaves the set open, lengths alone are asked next. They may refute the
    /// constraints, or give their first solution, which is the answer if `accept` makes one of it.
    ///
    /// # Errors
    /// When a limit is reached; the widest window is one of them.
    pub(crate) fn deepen<T>(
        &self,
        clock: &Clock,
        scope: &Scope<'_>,
        accept: impl Fn(Ground) -> Option<T>,
        mut ask: impl FnMut(&Smt, u32) -> Result<Option<Option<T>>, Reason>,
    ) -> Result<Option<T>, Reason> {
        let smt: Rc<Smt> = match scope.is_of_sizes() {
            _ if !scope.summands.is_empty() => smt::with_zeros(),
            true => smt::with_sizes(),
            false => smt::of_this_thread(),
        };
        let renewing = |reason: Reason| {
            if reason == Reason::Memory {
                smt::renew();
            }
            scope.put_down(reason)
        };
        let (mut last, mut doubt) = (0, None);
        // Sets of sizes, and those in which variables may be 0, have windows alone. Of the others lengths are asked
        // once.
        let mut to_be_asked = (!scope.is_of_sizes() && scope.summands.is_empty()).then_some(());
        for window in scope.windows(self.limits.window) {
            clock.refill(&self.limits);
            if let Some(answer) = ask(&smt, window).map_err(renewing)? {
                return Ok(answer);
            }
            last = window;
            if to_be_asked.take().is_none() {
                continue;
            }
            match lengths::decide(clock, &self.limits, scope, self.order) {
                Ok(None) => return Ok(None),
                Ok(Some(ground)) => {
                    if let Some(answer) = accept(ground) {
                        return Ok(Some(answer));
                    }
                }
                Err(reason @ (Reason::Clashes(_) | Reason::Size)) => doubt = Some(reason),
                Err(reason) => return Err(renewing(reason)),
            }
        }
        Err(doubt.unwrap_or(Reason::Window(last)))
    }

    /// Returns the constraints of the scope, asserted at one window.
    pub(crate) fn encode<'a>(
        &self,
        smt: &'a Smt,
        clock: &'a Clock,
        scope: &Scope<'_>,
        window: u32,
    ) -> Result<Session<'a>, Reason> {
        let setting = Setting {
            smt,
            clock,
            order: self.order,
            window,
        };
        let mut session = Session::open(setting, &scope.vars);
        session.summands.clone_from(&scope.summands);
        session.state_zeros(&scope.zeros);
        for constraint in &scope.constraints {
            session.assume(constraint)?;
        }
        for (whole, part) in &scope.aligned {
            session.align(whole, part);
        }
        let overlaps = scope.overlaps(&mut session.symbols);
        session.assume_overlaps(&overlaps)?;
        Ok(session)
    }

    /// Decides one question about the constraints of the scope: is there a solution for which `extra` holds? If there
    /// is, the answer is the value that `read` takes from the session.
    pub(crate) fn search<T>(
        &self,
        clock: &Clock,
        scope: &Scope<'_>,
        extra: impl Fn(&mut Session<'_>) -> Result<(), Reason>,
        read: impl Fn(&mut Session<'_>, &Sealed) -> Result<T, Reason>,
    ) -> Result<Option<T>, Reason> {
        let ask = |smt: &Smt, window| {
            let mut session = self.encode(smt, clock, scope, window)?;
            extra(&mut session)?;
            let sealed: Sealed = session.seal();
            Ok(match sealed.check(&session, &[])? {
                CheckResult::Found => Some(Some(read(&mut session, &sealed)?)),
                CheckResult::Refuted => Some(None),
                CheckResult::Open => None,
            })
        };
        self.deepen(clock, scope, |_| None, ask)
    }
}
