//! The arithmetic of sizes compared with Z3 and with enumeration of a box, on random systems of facts.
//!
//! Inputs are [`System`]s, which do not depend on any procedure; each party reads them independently.

mod native;
mod smt;

use std::time::Duration;

use arbitrary::Unstructured;
use lozenge_testkit::arithmetic::{Below, System, system};

pub use native::{Answer, answer};
pub use smt::satisfiable;

/// The result of an examination in which nothing is wrong.
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

/// The largest value that enumeration tries.
const BOX: i64 = 5;

/// Compares the arithmetic with Z3, which has this much time for each question, and with the solutions in a box.
///
/// # Errors
/// A text that says what is wrong, with the system.
pub fn examine(system: &System, time: Duration) -> Result<Agreement, String> {
    let native = answer(system);
    let small = system.solutions(BOX).next();
    let wrong = |what: &str| Err(format!("{what}: {native:?}\n{system}"));
    let native = match &native {
        Answer::Satisfiable(point) if !system.holds(point) => {
            return wrong("the solution is none");
        }
        Answer::Unsatisfiable { .. } if small.is_some() => {
            return wrong("a solution is missed");
        }
        Answer::Unsatisfiable { reasons, .. } => {
            let mut cited = system.clone();
            cited.facts = reasons
                .iter()
                .map(|fact| system.facts[*fact].clone())
                .collect();
            if satisfiable(&cited, time) == Some(true) {
                return wrong("the reasons are not enough");
            }
            Some(false)
        }
        Answer::Satisfiable(_) => Some(true),
        Answer::Unknown(lozenge_sizes::Limit::Unverified) => {
            return wrong("a solution did not pass its check");
        }
        Answer::Unknown(_) => None,
    };
    match (native, satisfiable(system, time)) {
        (Some(native), Some(truth)) if native != truth => {
            Err(format!("satisfiable: {native}, Z3: {truth}\n{system}"))
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

/// The system that bytes encode.
pub fn from_bytes(bytes: &[u8]) -> System {
    system(&mut Bytes(&mut Unstructured::new(bytes)))
}

/// Examines the system that bytes encode; for `cargo fuzz`.
///
/// # Panics
/// If the parties disagree.
pub fn run(bytes: &[u8]) {
    if let Err(wrong) = examine(&from_bytes(bytes), Duration::from_secs(1)) {
        panic!("{wrong}");
    }
}
