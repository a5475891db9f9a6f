//! `sizes`: facts about integers, decided by the arithmetic of sizes, by trying a box of values, and by Z3.

use std::time::Duration;

use crate::arithmetic::{Agreement, Answer, against_enumeration, against_z3, drawn};
use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::Parties;

/// At most how long Z3 may take over one question.
const TIME: Duration = Duration::from_secs(1);

/// The system that is drawn from these bytes.
pub fn sizes(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Operation(bytes) = input else {
        return None;
    };
    let (system, asks_z3) = drawn(bytes);
    let shown = |disagreement: Disagreement| disagreement.answered("system", &system).into();
    let native = match against_enumeration(&system) {
        Ok(native) => native,
        Err(disagreement) => {
            return Some(Comparison {
                outcome: shown(disagreement),
                useful: true,
                answer: "wrong",
            });
        }
    };
    let outcome = match asks_z3.then(|| against_z3(&system, &native, TIME)) {
        Some(Err(disagreement)) => shown(disagreement),
        Some(Ok(Agreement::OnlyNative | Agreement::Neither)) => {
            Outcome::Unknown("Z3: one second".into())
        }
        _ => match &native {
            Answer::Unknown(limit) => Outcome::Unknown(limit.to_string()),
            _ => Outcome::Agree,
        },
    };
    // A system of which one fact has no solution tests little else.
    let (answer, useful) = match native {
        Answer::Satisfiable(_) => ("sat", true),
        Answer::Unsatisfiable { reasons, .. } => ("unsat", reasons.len() > 1),
        Answer::Unknown(_) => ("unknown", true),
    };
    Some(Comparison {
        outcome,
        useful,
        answer,
    })
}

/// The system, for people.
pub fn shown(bytes: &[u8]) -> String {
    drawn(bytes).0.to_string()
}
