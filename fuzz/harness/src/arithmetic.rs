//! The arithmetic of sizes compared with Z3 and with enumeration of a box, on random systems of facts.
//!
//! Inputs are [`System`]s, which do not depend on any procedure; each party reads them independently.

mod native;
mod smt;

use std::time::Duration;

use arbitrary::Unstructured;
use lozenge_sizes::Limit;
use lozenge_testkit::arithmetic::{Below, System, system};

use crate::outcome::Disagreement;

pub use native::{Answer, answer};
pub use smt::satisfiable;

/// The largest value that enumeration tries.
const BOX: i64 = 5;

/// The verdicts of two parties about a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both have the same verdict: whether there is a solution.
    Same(bool),
    /// The arithmetic has an answer and Z3 has none in its time.
    OnlyNative,
    /// Z3 has an answer and the arithmetic has none.
    OnlyZ3,
    /// Neither has an answer.
    Neither,
}

/// Asks the arithmetic about a system, and about the same system in a box, of which enumeration knows every solution.
///
/// # Errors
/// A wrong answer: a solution that is none, or one that is missed.
pub fn against_enumeration(system: &System) -> Result<Answer, Disagreement> {
    let small = system.solutions(BOX).next();
    // Nobody reads the reasons of a refusal in the box.
    for (system, minimising) in [(system.boxed(BOX), 0), (system.clone(), 1 << 20)] {
        let is_boxed = minimising == 0;
        let native = answer(&system, minimising);
        let wrong = match &native {
            Answer::Satisfiable(point) if !system.holds(point) => "a solution is none",
            Answer::Satisfiable(_) if is_boxed && small.is_none() => "a solution is in no box",
            Answer::Unsatisfiable { .. } if small.is_some() => "a solution is missed",
            Answer::Unknown(Limit::Unverified) => "a solution did not pass its own check",
            _ if is_boxed => continue,
            _ => return Ok(native),
        };
        return Err(Disagreement::new(wrong)
            .answered("arithmetic", format!("{native:?}"))
            .answered("enumeration", format!("{small:?}")));
    }
    unreachable!("the system without a box returns")
}

/// Compares the answer of the arithmetic with that of Z3, which has this much time for each question. The facts that a refusal cites have to
/// be enough for Z3 too.
///
/// # Errors
/// A difference.
pub fn against_z3(
    system: &System,
    native: &Answer,
    time: Duration,
) -> Result<Agreement, Disagreement> {
    let wrong = |what: &str, z3: Option<bool>| {
        Err(Disagreement::new(what)
            .answered("arithmetic", format!("{native:?}"))
            .answered("Z3", format!("{z3:?}")))
    };
    if let Answer::Unsatisfiable { reasons, .. } = native {
        let cited = reasons.iter().map(|fact| system.facts[*fact].clone());
        let cited = System {
            facts: cited.collect(),
            ..system.clone()
        };
        if satisfiable(&cited, time) == Some(true) {
            return wrong("the cited facts have a solution", Some(true));
        }
    }
    let native = match native {
        Answer::Satisfiable(_) => Some(true),
        Answer::Unsatisfiable { .. } => Some(false),
        Answer::Unknown(_) => None,
    };
    match (native, satisfiable(system, time)) {
        (Some(native), Some(truth)) if native != truth => {
            wrong("the arithmetic and Z3 differ", Some(truth))
        }
        (Some(native), Some(_)) => Ok(Agreement::Same(native)),
        (Some(_), None) => Ok(Agreement::OnlyNative),
        (None, Some(_)) => Ok(Agreement::OnlyZ3),
        (None, None) => Ok(Agreement::Neither),
    }
}

/// Bytes as a source of numbers. When they are used up, every number is 0.
struct Bytes<'a, 'b>(&'a mut Unstructured<'b>);

impl Below for Bytes<'_, '_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0
            .int_in_range(0..=bound.saturating_sub(1))
            .unwrap_or(0)
    }
}

/// The system that bytes encode, and whether Z3 is asked about it, which takes many times as long as the rest: about one in 32.
pub fn drawn(bytes: &[u8]) -> (System, bool) {
    let mut numbers = Bytes(&mut Unstructured::new(bytes));
    let asks_z3 = numbers.below(32) == 0;
    (system(&mut numbers), asks_z3)
}
