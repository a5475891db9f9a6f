//! The limits of the oracle, and the reasons why it may give up.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use z3::{Context, ContextHandle};

/// The limits of one question.
#[derive(Clone, Debug, Serialize)]
pub struct Limits {
    /// Wall time for one question, all of its calls to Z3 together.
    pub time: Duration,
    /// Memory of Z3 in MiB, above which it gives up a search. Z3 has one limit for the whole process: the one set last
    /// holds for all threads. The memory of an encoding comes on top of it and is bounded by `comparisons`.
    pub memory: u32,
    /// The widest window: how many axes on either side of a row variable's value are encoded (see the crate's
    /// documentation).
    pub window: u32,
    /// The greatest number of axes that one encoding may compare.
    pub comparisons: usize,
    /// The largest number of clashes of axes that are excluded, each at all lengths at which it exists, before a search
    /// over lengths is given up.
    pub clashes: u32,
}

impl Default for Limits {
    /// Returns the default limits: 10 seconds, 1 GiB, 64 axes, a million comparisons, 200 clashes.
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(10),
            memory: 1024,
            window: 64,
            comparisons: 1_000_000,
            clashes: 200,
        }
    }
}

/// The reason for which there is no definite answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was reached.
    Time,
    /// Z3 reached the memory limit.
    Memory,
    /// Somebody interrupted the question.
    Interrupted,
    /// No solution whose row variables have at most this many axes on either side of their markers,
    /// and no proof that none is longer.
    Window(u32),
    /// So many clashes were excluded, each at all lengths at which it exists, and lengths remain; nor do windows decide
    /// the set.
    Clashes(u32),
    /// The encoding would compare more axes than the limit allows.
    Size,
    /// The question has a form that the oracle does not decide; the text names it.
    Form(String),
    /// Z3 gave up for another reason, in its words.
    Solver(String),
}

impl Reason {
    /// Returns the flag of the command line that raises the limit, named like the field of [`Limits`]; `None` where no
    /// limit was reached.
    pub fn flag(&self) -> Option<&'static str> {
        match self {
            Reason::Time => Some("--time"),
            Reason::Memory => Some("--memory"),
            Reason::Window(_) => Some("--window"),
            Reason::Clashes(_) => Some("--clashes"),
            Reason::Size => Some("--comparisons"),
            Reason::Interrupted | Reason::Form(_) | Reason::Solver(_) => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("the time limit was reached")?,
            Reason::Memory => f.write_str("the memory limit was reached")?,
            Reason::Interrupted => f.write_str("interrupted")?,
            Reason::Window(window) => write!(
                f,
                "undecided within {window} axes on either side of a row variable, and longer rows are not excluded"
            )?,
            Reason::Clashes(clashes) => write!(
                f,
                "undecided after {clashes} clashes of axes, each excluded at all lengths at which it exists"
            )?,
            Reason::Size => f.write_str("the set is too large for the limit on comparisons")?,
            Reason::Form(what) => f.write_str(what)?,
            Reason::Solver(what) => write!(f, "Z3 gave up: {what}")?,
        }
        match self.flag() {
            Some(flag) => write!(f, "; {flag} raises it"),
            None => Ok(()),
        }
    }
}

/// Stops, from any other thread, the questions of the thread that made it, for instance from a Ctrl-C handler.
///
/// Once tripped it stays tripped: every question of an oracle that carries it ends with [`Reason::Interrupted`].
#[derive(Clone)]
pub struct Interrupt {
    tripped: Arc<AtomicBool>,
    /// True while Z3 is at work for an oracle that carries this interrupt.
    pub(crate) busy: Arc<AtomicBool>,
    context: Arc<ContextHandle<'static>>,
}

thread_local! {
    /// Z3's context of this thread. It is never freed, since an interrupt may outlive the thread.
    static CONTEXT: OnceCell<&'static Context> = const { OnceCell::new() };
}

impl Interrupt {
    /// Returns an interrupt for the questions that the calling thread asks. The thread's Z3 context is then never
    /// freed.
    pub fn of_this_thread() -> Interrupt {
        let context =
            CONTEXT.with(|cell| *cell.get_or_init(|| Box::leak(Box::new(Context::thread_local()))));
        Interrupt {
            tripped: Arc::default(),
            busy: Arc::default(),
            context: Arc::new(context.handle()),
        }
    }

    /// Stops the current question and all later ones. Returns when Z3 has stopped, which takes milliseconds.
    pub fn trip(&self) {
        self.tripped.store(true, Ordering::SeqCst);
        // Z3 forgets an interrupt that comes before its search begins, so it is repeated until Z3 has stopped.
        while self.busy.load(Ordering::SeqCst) {
            self.context.interrupt();
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Tells whether it was tripped.
    pub fn is_tripped(&self) -> bool {
        self.tripped.load(Ordering::SeqCst)
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt")
            .field("tripped", &self.is_tripped())
            .finish()
    }
}

/// The time of one question: when it must end, and the interrupt that may end it sooner.
#[derive(Debug)]
pub(crate) struct Clock {
    deadline: Instant,
    /// The time at which encoding must be done. It ends before the question does, because removing an encoding from Z3
    /// takes about a fifth of the time that building it took.
    encoded_by: Instant,
    interrupt: Option<Interrupt>,
    /// The number of axes that may still be compared.
    comparisons: Cell<usize>,
}

impl Clock {
    pub fn start(limits: &Limits, interrupt: Option<&Interrupt>) -> Clock {
        let now = Instant::now();
        Clock {
            deadline: now + limits.time.mul_f64(0.95),
            encoded_by: now + limits.time.mul_f64(0.82),
            interrupt: interrupt.cloned(),
            comparisons: Cell::new(limits.comparisons),
        }
    }

    /// Returns the time that is left.
    ///
    /// # Errors
    /// When no time is left, or the question was interrupted.
    pub fn left(&self) -> Result<Duration, Reason> {
        if self.interrupt.as_ref().is_some_and(Interrupt::is_tripped) {
            return Err(Reason::Interrupted);
        }
        until(self.deadline)
    }

    /// Tells the interrupt whether Z3 is at work.
    pub fn set_busy(&self, busy: bool) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.busy.store(busy, Ordering::SeqCst);
        }
    }

    /// Takes `count` comparisons from the budget of an encoding.
    ///
    /// # Errors
    /// When the budget or the time is used up.
    pub fn spend(&self, count: usize) -> Result<(), Reason> {
        self.left()?;
        until(self.encoded_by)?;
        let left = self.comparisons.get().checked_sub(count);
        self.comparisons.set(left.ok_or(Reason::Size)?);
        Ok(())
    }

    /// Restores the full budget for a new encoding.
    pub fn refill(&self, limits: &Limits) {
        self.comparisons.set(limits.comparisons);
    }
}

/// Returns the time until `then`.
///
/// # Errors
/// When it has passed.
fn until(then: Instant) -> Result<Duration, Reason> {
    let left = then.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Reason::Time);
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An encoding has to be removed before the deadline, so that encoding ends sooner than the question.
    #[test]
    fn encoding_ends_before_the_question_does() {
        let mut clock = Clock::start(&Limits::default(), None);
        assert!(clock.encoded_by < clock.deadline);
        assert_eq!(clock.spend(1), Ok(()));
        clock.encoded_by = Instant::now();
        assert_eq!(clock.spend(1), Err(Reason::Time));
        assert!(clock.left().is_ok());
        clock.deadline = Instant::now();
        assert_eq!(clock.left(), Err(Reason::Time));
    }

    /// `trip` returns when Z3 has stopped, and not before.
    #[test]
    fn tripping_lasts_as_long_as_z3_is_at_work() {
        let interrupt = Interrupt::of_this_thread();
        let clock = Clock::start(&Limits::default(), Some(&interrupt));
        clock.set_busy(true);
        thread::scope(|scope| {
            let tripping = scope.spawn(|| interrupt.trip());
            while !interrupt.is_tripped() {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(30));
            let early = tripping.is_finished();
            clock.set_busy(false);
            assert!(!early);
        });
    }
}
