//! Questions about equations of appended shapes, answered from the definition of satisfaction and no rule.
//!
//! [`enumerate`] tries all values up to a rank and a size.
//!
//! For Z3 there are two encodings. [`Oracle::by_sequences`] uses Z3's theory of sequences. [`Oracle::by_windows`] gives
//! each name a length and its first letters, the window, and compares letters where the positions of two sides meet.
//! With lengths of any size it leaves out the letters behind windows, so what it refutes has no solution; with lengths
//! within the windows it leaves out nothing, so what it finds is one.
//!
//! Letters of names are integers of any sign in both. That changes no verdict: letters that are not those of a term can
//! all be made 1.

mod arithmetic;
mod enumeration;
mod sequences;
mod windows;

use std::time::Duration;

use lozenge_axon_vocabulary::{Assignment, DimNode, Equation, Pool};

pub use enumeration::{Bounds, Enumerated, enumerate};

/// The answer of Z3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a solution: this one, where the encoding gives one.
    Satisfiable(Option<Assignment>),
    /// There is none.
    Unsatisfiable,
    /// Z3 does not know, for this reason.
    Unknown(String),
}

/// Z3 with limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oracle {
    /// The time for each of at most three questions.
    pub time: Duration,
    /// The letters of a window.
    pub window: usize,
    /// The most pairs of letters that one encoding compares.
    pub comparisons: usize,
}

impl Default for Oracle {
    fn default() -> Oracle {
        Oracle {
            time: Duration::from_secs(10),
            window: 8,
            comparisons: 200_000,
        }
    }
}

impl Oracle {
    /// Asks by windows, and by sequences if that gives no answer.
    pub fn decide(&self, pool: &Pool, equations: &[Equation]) -> Verdict {
        match self.by_windows(pool, equations) {
            Verdict::Unknown(why) => match self.by_sequences(pool, equations) {
                Verdict::Unknown(_) => Verdict::Unknown(why),
                answer => answer,
            },
            answer => answer,
        }
    }

    /// Asks whether the equations have a common solution, with the theory of sequences.
    pub fn by_sequences(&self, pool: &Pool, equations: &[Equation]) -> Verdict {
        match ragged(pool, equations) {
            Some(why) => Verdict::Unknown(why),
            None => sequences::decide(self, pool, equations),
        }
    }

    /// Asks whether the equations have a common solution, with windows.
    pub fn by_windows(&self, pool: &Pool, equations: &[Equation]) -> Verdict {
        match ragged(pool, equations) {
            Some(why) => Verdict::Unknown(why),
            None => windows::decide(self, pool, equations),
        }
    }
}

/// Returns why equations are not asked about: a ragged dimension is no integer.
fn ragged(pool: &Pool, equations: &[Equation]) -> Option<String> {
    let parts = pool.with_parts(equations.iter().flat_map(Equation::dims));
    let ragged = parts
        .into_iter()
        .find(|part| matches!(pool.node(*part), DimNode::Ragged(_)))?;
    Some(format!("`{}` is ragged", pool.show(ragged)))
}
