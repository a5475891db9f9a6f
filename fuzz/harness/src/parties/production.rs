//! The production solver, in both of its modes.

use std::fmt::Write;

use lozenge_solver::{Problem, Refusal, Solver};
use lozenge_vocabulary::{ConstraintSet, Verdict};

use crate::input::Input;
use crate::party::{Answer, Party, Question, SetAnswer};

/// The production solver in policy mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolverParty;

/// The constraints that a refusal cites, unless it is a refusal by policy.
fn cited(refusal: &Refusal) -> Vec<usize> {
    match refusal.verdict {
        Verdict::Unsat => refusal.chain.iter().map(|cited| cited.index).collect(),
        _ => Vec::new(),
    }
}

/// The answer of a solver that is asked for a solved form or, if `close`, for closed shapes.
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

/// The derivation of every variable, or the refusal.
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

impl Party for SolverParty {
    fn name(&self) -> &'static str {
        "solver"
    }

    fn supports(&self, question: Question) -> bool {
        matches!(question, Question::Solve | Question::Close)
    }

    fn answer(&mut self, question: Question, input: &Input) -> Answer {
        match (question, input) {
            (Question::Solve | Question::Close, Input::Set(set)) => {
                let mut solver = Solver::new(Problem::from(set));
                Answer::Set(answer_of(&mut solver, question == Question::Close))
            }
            _ => Answer::Silent,
        }
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        match (question, input) {
            (Question::Solve | Question::Close, Input::Set(set)) => {
                let mut solver = Solver::new(Problem::from(set));
                derivations(&mut solver, set, question == Question::Close)
            }
            _ => String::new(),
        }
    }
}

/// The production solver in complete mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Complete;

impl Party for Complete {
    fn name(&self) -> &'static str {
        "complete"
    }

    fn supports(&self, question: Question) -> bool {
        question == Question::Decide
    }

    fn answer(&mut self, question: Question, input: &Input) -> Answer {
        match (question, input) {
            (Question::Decide, Input::Set(set)) => {
                let decision = Solver::new(Problem::from(set)).decide();
                Answer::Set(SetAnswer {
                    cited: decision.refusal.as_deref().map_or_else(Vec::new, cited),
                    ground: decision.solution,
                    limit: decision.limit,
                    ..SetAnswer::only(decision.verdict)
                })
            }
            _ => Answer::Silent,
        }
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        match (question, input) {
            (Question::Decide, Input::Set(set)) => {
                let decision = Solver::new(Problem::from(set)).decide();
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
            _ => String::new(),
        }
    }
}
