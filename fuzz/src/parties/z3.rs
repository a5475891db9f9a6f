//! Z3.

use std::time::Duration;

use lozenge_oracle::{Oracle, Satisfiability};
use lozenge_vocabulary::{ConstraintSet, Verdict};

use crate::input::Input;
use crate::parties;
use crate::party::{Answer, Party, Question, Said};

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

    fn said(&self, set: &ConstraintSet) -> Said {
        let answer = self.oracle.sat(set);
        let mut said = Said::only(answer.verdict());
        match answer {
            Satisfiability::Sat(ground) => said.ground = Some(ground),
            Satisfiability::Unsat => {}
            Satisfiability::Unknown(reason) => said.limit = Some(reason.to_string()),
        }
        said
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
            (Question::Decide, Input::Set(set)) => Answer::Set(self.said(set)),
            _ => Answer::Silent,
        }
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        let (Question::Decide, Input::Set(set)) = (question, input) else {
            return String::new();
        };
        let said = self.said(set);
        let core = match said.verdict {
            Verdict::Unsat => self.oracle.core(set).ok().flatten(),
            _ => None,
        };
        let cited = core.into_iter().flat_map(|core| core.constraints);
        let lines = cited.map(|at| format!("  constraint {}: {}\n", at + 1, set.constraints[at]));
        format!("{said}{}", lines.collect::<String>())
    }
}
