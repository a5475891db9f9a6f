//! The oracle and its settings, and the search by growing windows.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use lozenge_vocabulary::{Constraint, ConstraintSet, Order, RowTerm, Var};

use crate::limits::{Clock, Interrupt, Limits, Reason};
use crate::overlap::{self, Overlaps};
use crate::session::{CheckResult, Sealed, Session, Setting};
use crate::smt::{self, Smt};
use crate::symbols::Symbols;

/// The oracle: a reading of `<=`, and limits. Threads may share it; each thread has its own solver.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// How `<=` between rows is read.
    pub order: Order,
    /// The limits of one question.
    pub limits: Limits,
    /// The interrupt that may end a question.
    pub interrupt: Option<Interrupt>,
}

/// The memory limit that Z3 has in this process.
static MEMORY: AtomicU32 = AtomicU32::new(0);

impl Oracle {
    /// An oracle for one reading, with the default limits.
    pub fn new(order: Order) -> Oracle {
        Oracle {
            order,
            ..Oracle::default()
        }
    }

    /// The same oracle with other limits.
    pub fn with_limits(self, limits: Limits) -> Oracle {
        Oracle { limits, ..self }
    }

    /// How many axes on either side of a row variable's marker are encoded before a question about the set is given up as
    /// unknown: the rank bound of the crate's documentation, capped by the limits.
    pub fn rank_bound(&self, set: &ConstraintSet) -> u32 {
        let windows = Scope::new(&set.constraints, set.vars()).windows(self.limits.window);
        windows.last().copied().unwrap_or(0)
    }

    /// Starts the clock of one question.
    pub(crate) fn start(&self) -> Clock {
        if MEMORY.swap(self.limits.memory, Ordering::Relaxed) != self.limits.memory {
            z3::set_global_param("memory_high_watermark_mb", &self.limits.memory.to_string());
        }
        Clock::start(&self.limits, self.interrupt.as_ref())
    }

    /// Runs `ask` at growing windows until it has an answer.
    ///
    /// # Errors
    /// When a limit is reached; the widest window is one of them.
    pub(crate) fn deepen<T>(
        &self,
        clock: &Clock,
        scope: &Scope<'_>,
        mut ask: impl FnMut(&Smt, u32) -> Result<Option<T>, Reason>,
    ) -> Result<T, Reason> {
        let smt: Rc<Smt> = match scope.is_of_sizes() {
            true => smt::with_sizes(),
            false => smt::of_this_thread(),
        };
        let mut last = 0;
        for window in scope.windows(self.limits.window) {
            clock.refill(&self.limits);
            match ask(&smt, window) {
                Ok(None) => last = window,
                Ok(Some(answer)) => return Ok(answer),
                Err(Reason::Memory) => {
                    smt::renew();
                    return Err(Reason::Memory);
                }
                Err(reason) => return Err(reason),
            }
        }
        Err(Reason::Window(last))
    }

    /// The constraints of the scope, asserted at one window.
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

    /// One question about the constraints of the scope: is there a solution for which `extra` holds?
    /// What `read` makes of the session is the answer when there is.
    pub(crate) fn search<T>(
        &self,
        clock: &Clock,
        scope: &Scope<'_>,
        extra: impl Fn(&mut Session<'_>) -> Result<(), Reason>,
        read: impl Fn(&mut Session<'_>, &Sealed) -> Result<T, Reason>,
    ) -> Result<Option<T>, Reason> {
        self.deepen(clock, scope, |smt, window| {
            let mut session = self.encode(smt, clock, scope, window)?;
            extra(&mut session)?;
            let sealed: Sealed = session.seal();
            Ok(match sealed.check(&session, &[])? {
                CheckResult::Found => Some(Some(read(&mut session, &sealed)?)),
                CheckResult::Refuted => Some(None),
                CheckResult::Open => None,
            })
        })
    }
}

/// The constraints that a question is about, and the variables that are in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'a> {
    pub constraints: Vec<&'a Constraint>,
    pub vars: BTreeSet<Var>,
    /// Constraints that are not asserted but asked about; they count for the size of the window.
    pub goals: Vec<&'a Constraint>,
    /// Pairs of rows: the variable of the second has its marker at the place of the first row's marker, if possible.
    pub aligned: Vec<(RowTerm, RowTerm)>,
}

impl<'a> Scope<'a> {
    pub fn new(constraints: &'a [Constraint], vars: BTreeSet<Var>) -> Scope<'a> {
        Scope {
            constraints: constraints.iter().collect(),
            vars,
            ..Scope::default()
        }
    }

    /// Whether a constraint is about sizes.
    fn is_of_sizes(&self) -> bool {
        let mut all = self.constraints.iter().chain(&self.goals);
        all.any(|constraint| constraint.is_of_sizes())
    }

    /// The overlaps of the constraints.
    fn overlaps(&self, symbols: &mut Symbols) -> Overlaps {
        overlap::overlaps(self.constraints.iter().copied(), symbols)
    }

    /// The windows to try: at first the longest row that is written or that equations need, then doubled up to the rank bound.
    pub fn windows(&self, widest: u32) -> Vec<u32> {
        let rows = || {
            let all = self.constraints.iter().chain(&self.goals);
            all.flat_map(|constraint| row_terms(constraint))
        };
        let longest = rows().map(RowTerm::explicit).max().unwrap_or(0) as u32;
        let reach = self.overlaps(&mut Symbols::default()).reach;
        let first = longest.max(reach.min(widest)) + 1;
        let bound = self.rank_bound().min(widest).max(first);
        let doubled = std::iter::successors(Some(first), |w| Some(w * 2));
        let mut windows: Vec<u32> = doubled.take_while(|&w| w < bound).collect();
        windows.push(bound);
        windows
    }

    /// The rank bound: the number of explicit axes, and the rank that periods need.
    pub fn rank_bound(&self) -> u32 {
        let all = self.constraints.iter().chain(&self.goals);
        let explicit: usize = all
            .flat_map(|constraint| row_terms(constraint))
            .map(RowTerm::explicit)
            .sum();
        explicit as u32 + self.overlaps(&mut Symbols::default()).reach + 1
    }
}

fn row_terms(constraint: &Constraint) -> impl Iterator<Item = &RowTerm> {
    let terms = match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => [Some(a), Some(b)],
        _ => [None, None],
    };
    terms.into_iter().flatten()
}
