//! `sizes`: facts about integers, decided by the arithmetic of sizes, by trying a box of values, and by Z3.

use std::time::Duration;

use super::{Answer, Compared, Facts, against_enumeration, against_z3};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The longest time that Z3 may take over one question.
const TIME: Duration = Duration::from_secs(1);

/// Compares the answers about a system of facts.
pub fn sizes(facts: &Facts, _: &mut Parties) -> Option<Comparison> {
    let Facts { system, asks_z3 } = facts;
    let shown = |disagreement: Disagreement| disagreement.answered("system", system).into();
    let native = match against_enumeration(system) {
        Ok(native) => native,
        Err(disagreement) => {
            return Some(Comparison {
                outcome: shown(disagreement),
                useful: true,
                answer: "wrong",
            });
        }
    };
    let outcome = match asks_z3.then(|| against_z3(system, &native, TIME)) {
        Some(Err(disagreement)) => shown(disagreement),
        Some(Ok(Compared::OnlyNative | Compared::Neither)) => {
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
