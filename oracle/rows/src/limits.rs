//! The limits of the oracle, and the reasons why it may give up.

use std::cell::Cell;
use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use lozenge_smt::{Interrupt, Stopped};
use serde::Serialize;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
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
    /// The answer is of a form that is not decided; the text names it.
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

impl From<Stopped> for Reason {
    fn from(stopped: Stopped) -> Reason {
        match stopped {
            Stopped::Time => Reason::Time,
            Stopped::Memory => Reason::Memory,
            Stopped::Interrupted => Reason::Interrupted,
            Stopped::Solver(said) => Reason::Solver(said),
        }
    }
}

/// The part of a question's time in which encodings must be done. It ends before the question does, because removing
/// an encoding from Z3 takes about a fifth of the time that building it took.
const ENCODED_AFTER: f64 = 0.82;

/// The limits of one question while it is asked.
#[derive(Debug)]
pub(crate) struct Clock {
    time: lozenge_smt::Clock,
    /// The number of axes that may still be compared.
    comparisons: Cell<usize>,
}

impl Deref for Clock {
    type Target = lozenge_smt::Clock;

    fn deref(&self) -> &lozenge_smt::Clock {
        &self.time
    }
}

impl Clock {
    pub fn start(limits: &Limits, interrupt: Option<&Interrupt>) -> Clock {
        Clock {
            time: lozenge_smt::Clock::start(limits.time, interrupt),
            comparisons: Cell::new(limits.comparisons),
        }
    }

    /// Takes `count` comparisons from the budget of an encoding.
    ///
    /// # Errors
    /// When the budget or the time is used up.
    pub fn spend(&self, count: usize) -> Result<(), Reason> {
        self.time.left_of(ENCODED_AFTER)?;
        let left = self.comparisons.get().checked_sub(count);
        self.comparisons.set(left.ok_or(Reason::Size)?);
        Ok(())
    }

    /// Restores the full budget for a new encoding.
    pub fn refill(&self, limits: &Limits) {
        self.comparisons.set(limits.comparisons);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_of_an_encoding_is_spent_and_refilled() {
        let limits = Limits {
            comparisons: 2,
            ..Limits::default()
        };
        let clock = Clock::start(&limits, None);
        assert_eq!(clock.spend(2), Ok(()));
        assert_eq!(clock.spend(1), Err(Reason::Size));
        clock.refill(&limits);
        assert_eq!(clock.spend(1), Ok(()));
        let over = Limits {
            time: Duration::ZERO,
            ..Limits::default()
        };
        assert_eq!(Clock::start(&over, None).spend(1), Err(Reason::Time));
    }
}
