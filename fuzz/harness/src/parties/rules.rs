//! The transcribed rules.

use std::fmt::Write;

use lozenge_spec::{Options, Run, solve};

use crate::input::Input;
use crate::party::{Answer, Party, Question, SetAnswer};

/// The transcribed rules: a queue, the policy's resolution of deferred equations, closing by Def. 6.1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

impl Rules {
    fn run(question: Question, input: &Input, traced: bool) -> Option<Run> {
        let close = match question {
            Question::Solve => false,
            Question::Close => true,
            Question::Decide | Question::Project | Question::Run => return None,
        };
        let Input::Set(set) = input else { return None };
        let options = Options {
            close,
            traced,
            ..Options::default()
        };
        Some(solve(set, &options))
    }
}

impl Party for Rules {
    fn name(&self) -> &'static str {
        "spec"
    }

    fn supports(&self, question: Question) -> bool {
        matches!(question, Question::Solve | Question::Close)
    }

    fn answer(&mut self, question: Question, input: &Input) -> Answer {
        let Some(run) = Rules::run(question, input, false) else {
            return Answer::Silent;
        };
        let upstream = run
            .failure()
            .and_then(|failure| failure.commitments.first());
        Answer::Set(SetAnswer {
            ground: run.greatest(),
            policy_steps: run.config.commitments.len(),
            gap: upstream.map(|commitment| commitment.rule),
            ..SetAnswer::only(run.verdict())
        })
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        let Some(run) = Rules::run(question, input, true) else {
            return String::new();
        };
        let mut out = String::new();
        for (number, step) in run.config.trace.iter().flatten().enumerate() {
            let _ = writeln!(out, "{:>4}  {step}", number + 1);
        }
        let _ = writeln!(out, "{}", run.verdict());
        if let Some(failure) = run.failure() {
            let _ = writeln!(out, "{failure}");
        }
        if let Some(ground) = run.greatest() {
            let _ = write!(out, "{ground}");
        }
        out
    }
}
