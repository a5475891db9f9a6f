//! The transcribed rules: a queue, the policy's resolution of deferred equations, closing by Def. 6.1.

use std::fmt::Write;

use lozenge_spec::{Options, Run, solve};
use lozenge_vocabulary::ConstraintSet;

use super::{Question, SetAnswer, Sets};
use crate::subject::party::{Asked, Effort, Party};

/// The transcribed rules.
pub const RULES: Party<Sets> = Party {
    name: "spec",
    about: "the transcribed rules, policy mode",
    questions: &[Question::Solve, Question::Close],
    checks: Some(Question::Solve),
    make: |effort| Asked::boxed(effort, answer, derivation),
};

fn run(effort: &Effort, question: Question, set: &ConstraintSet, traced: bool) -> Option<Run> {
    let close = match question {
        Question::Solve => false,
        Question::Close => true,
        Question::Decide => return None,
    };
    let options = Options {
        close,
        traced,
        work: effort.rules,
        ..Options::default()
    };
    Some(solve(set, &options))
}

fn answer(effort: &Effort, question: Question, set: &ConstraintSet) -> Option<SetAnswer> {
    let run = run(effort, question, set, false)?;
    let upstream = run
        .failure()
        .and_then(|failure| failure.commitments.first());
    Some(SetAnswer {
        ground: run.greatest(),
        policy_steps: run.config.commitments.len(),
        gap: upstream.map(|commitment| commitment.rule),
        ..SetAnswer::only(run.verdict())
    })
}

fn derivation(effort: &Effort, question: Question, set: &ConstraintSet) -> String {
    let Some(run) = run(effort, question, set, true) else {
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
