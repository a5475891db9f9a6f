//! Z3, which knows the definition of satisfaction and no rule.

use lozenge_oracle::Satisfiability;
use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::{Question, SetAnswer, Sets};
use crate::subject::party::{Asked, Effort, Party};

/// Z3.
pub const Z3: Party<Sets> = Party {
    name: "oracle",
    about: "Z3, from the definition of satisfaction",
    questions: &[Question::Decide],
    checks: Some(Question::Decide),
    make: |effort| Asked::boxed(effort, answer, derivation),
};

fn answer(effort: &Effort, question: Question, set: &ConstraintSet) -> Option<SetAnswer> {
    if question != Question::Decide {
        return None;
    }
    let satisfiability = effort.oracle().sat(set);
    let mut answer = SetAnswer::only(satisfiability.verdict());
    match satisfiability {
        Satisfiability::Sat(ground) => answer.ground = Some(ground),
        Satisfiability::Unsat => {}
        Satisfiability::Unknown(reason) => answer.limit = Some(reason.to_string()),
    }
    Some(answer)
}

fn derivation(effort: &Effort, question: Question, set: &ConstraintSet) -> String {
    let Some(answer) = answer(effort, question, set) else {
        return String::new();
    };
    let core = match answer.verdict {
        Verdict::Unsat => effort.oracle().core(set).ok().flatten(),
        _ => None,
    };
    let cited = core.into_iter().flat_map(|core| core.constraints);
    let lines = cited.map(|at| format!("  constraint {}: {}\n", at + 1, set.constraints[at]));
    format!("{answer}{}", lines.collect::<String>())
}
