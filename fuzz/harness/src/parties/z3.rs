//! Z3.

use std::time::Duration;

use lozenge_oracle::{Oracle, Satisfiability};
use lozenge_vocabulary::{ConstraintSet, Verdict};

use crate::input::Input;
use crate::parties;
use crate::party::{Answer, Party, Question, SetAnswer};

/// Z3, which knows the definition of satisfaction and no rule.
#[derive(Debug)]
pub struct Z3 {
    oracle: Oracle,
}

impl Z3 {
    /// Z3 with at most this much time for a question.
    pub fn new(time: Duration) -> Z3 {
        Z3 {
            oracle: parties::oracle(time),
        }
    }

    fn set_answer(&self, set: &ConstraintSet) -> SetAnswer {
        let satisfiability = self.oracle.sat(set);
        let mut answer = SetAnswer::only(satisfiability.verdict());
        match satisfiability {
            Satisfiability::Sat(ground) => answer.ground = Some(ground),
            Satisfiability::Unsat => {}
            Satisfiability::Unknown(reason) => answer.limit = Some(reason.to_string()),
        }
        answer
    }
}

impl Party for Z3 {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn supports(&self, question: Question) -> bool {
        question == Question::Decide
    }

    fn answer(&mut self, question: Question, input: &Input) -> Answer {
        match (question, input) {
            (Question::Decide, Input::Set(set)) => Answer::Set(self.set_answer(set)),
            _ => Answer::Silent,
        }
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        let (Question::Decide, Input::Set(set)) = (question, input) else {
            return String::new();
        };
        let answer = self.set_answer(set);
        let core = match answer.verdict {
            Verdict::Unsat => self.oracle.core(set).ok().flatten(),
            _ => None,
        };
        let cited = core.into_iter().flat_map(|core| core.constraints);
        let lines = cited.map(|at| format!("  constraint {}: {}\n", at + 1, set.constraints[at]));
        format!("{answer}{}", lines.collect::<String>())
    }
}
