//! The production solver, in both of its modes.

use std::fmt::Write;

use lozenge_solver::{Options, Problem, Refusal, Solver};
use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::{Question, SetAnswer, Sets};
use crate::subject::party::{Asked, Effort, Party};

/// The production solver in policy mode.
pub const SOLVER: Party<Sets> = Party {
    name: "solver",
    about: "the production solver, policy mode",
    questions: &[Question::Solve, Question::Close],
    checks: Some(Question::Solve),
    make: |effort| Asked::boxed(effort, by_policy, told_by_policy),
};

/// The production solver in complete mode.
pub const COMPLETE: Party<Sets> = Party {
    name: "complete",
    about: "the production solver, complete mode",
    questions: &[Question::Decide],
    checks: Some(Question::Decide),
    make: |effort| Asked::boxed(effort, decided, told_by_search),
};

/// Returns a solver of a set within some limits.
fn solver(effort: &Effort, set: &ConstraintSet) -> Solver {
    let options = Options {
        limits: effort.native,
        ..Options::default()
    };
    Solver::with(Problem::from(set), options)
}

/// Tells whether the question is one about policy mode, and asks for closing.
fn closes(question: Question) -> Option<bool> {
    match question {
        Question::Solve => Some(false),
        Question::Close => Some(true),
        Question::Decide => None,
    }
}

fn by_policy(effort: &Effort, question: Question, set: &ConstraintSet) -> Option<SetAnswer> {
    Some(answer_of(&mut solver(effort, set), closes(question)?))
}

fn told_by_policy(effort: &Effort, question: Question, set: &ConstraintSet) -> String {
    match closes(question) {
        Some(close) => derivations(&mut solver(effort, set), set, close),
        None => String::new(),
    }
}

fn decided(effort: &Effort, question: Question, set: &ConstraintSet) -> Option<SetAnswer> {
    (question == Question::Decide).then(|| {
        let decision = solver(effort, set).decide();
        SetAnswer {
            cited: decision.refusal.as_deref().map_or_else(Vec::new, cited),
            ground: decision.solution,
            limit: decision.limit,
            ..SetAnswer::only(decision.verdict)
        }
    })
}

fn told_by_search(effort: &Effort, _: Question, set: &ConstraintSet) -> String {
    let decision = solver(effort, set).decide();
    let mut out = format!(
        "{} after {} branches\n",
        decision.verdict, decision.branches
    );
    if let Some(ground) = decision.solution {
        let _ = write!(out, "{ground}");
    }
    if let Some(refusal) = decision.refusal {
        let _ = write!(out, "{refusal}");
    }
    out
}

/// Returns the constraints that a refusal cites, unless it is a refusal by policy.
fn cited(refusal: &Refusal) -> Vec<usize> {
    match refusal.verdict {
        Verdict::Unsat => refusal.chain.iter().map(|cited| cited.index).collect(),
        _ => Vec::new(),
    }
}

/// Returns the answer of a solver that is asked for a solved form or, if `close`, for closed shapes.
pub fn answer_of(solver: &mut Solver, close: bool) -> SetAnswer {
    let run = if close {
        solver.close()
    } else {
        solver.solve()
    };
    let statistics = solver.statistics();
    let mut answer = SetAnswer::only(Verdict::Sat);
    answer.policy_steps = (statistics.placements + statistics.resolutions) as usize;
    match run {
        Ok(()) => answer.ground = Some(solver.solution().ground()),
        Err(refusal) => {
            answer.verdict = refusal.verdict;
            answer.gap = refusal.policy.as_ref().map(|step| step.rule);
            answer.limit = (refusal.verdict == Verdict::Unknown).then(|| refusal.message.clone());
            answer.cited = cited(&refusal);
        }
    }
    answer
}

/// Returns the derivation of every variable, or the refusal.
fn derivations(solver: &mut Solver, set: &ConstraintSet, close: bool) -> String {
    let run = if close {
        solver.close()
    } else {
        solver.solve()
    };
    if let Err(refusal) = run {
        return refusal.to_string();
    }
    let mut out = String::new();
    for derivation in set.vars().iter().filter_map(|var| solver.explain(var)) {
        let _ = write!(out, "{derivation}");
    }
    out
}
