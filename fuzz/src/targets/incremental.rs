//! `incremental`: all at once, one by one, and taken back.

use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet};

use super::comparison::{between, choices, examined};
use crate::input::Input;
use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Outcome};
use crate::parties::{Parties, answer_of};
use crate::party::SetAnswer;

fn add(solver: &mut Solver, constraints: &[Constraint]) {
    constraints.iter().for_each(|c| solver.add(c));
}

/// Solved after each constraint.
fn one_by_one(set: &ConstraintSet) -> SetAnswer {
    let mut solver = Solver::new(Problem::new());
    for constraint in &set.constraints {
        solver.add(constraint);
        if solver.solve().is_err() {
            break;
        }
    }
    answer_of(&mut solver, false)
}

/// A solver that added constraints after a snapshot and took them back. Where `kept` is set, it added them after another
/// snapshot inside, which it kept.
fn detour(solver: &Solver, constraints: &[Constraint], kept: bool) -> Solver {
    let mut solver = solver.clone();
    solver.snapshot();
    if kept {
        solver.snapshot();
    }
    add(&mut solver, constraints);
    answer_of(&mut solver, false);
    if kept {
        solver.keep();
    }
    solver.rollback();
    solver
}

/// Whether two answers are the same. A size that windows leave open has no greatest value, so that only the verdict is compared there.
fn are_alike(set: &ConstraintSet, a: &SetAnswer, b: &SetAnswer) -> bool {
    a.verdict == b.verdict && (set.has_sizes() || a.ground == b.ground)
}

/// What was added after a snapshot and taken back leaves no trace.
fn taken_back(set: &ConstraintSet, kept: bool) -> Outcome {
    let (first, rest) = set.constraints.split_at(set.constraints.len() / 2);
    let mut straight = Solver::new(Problem::new());
    add(&mut straight, first);
    let before = answer_of(&mut straight, false);
    let mut detour = detour(&straight, rest, kept);
    let back = answer_of(&mut detour, false);
    if !are_alike(set, &back, &before) {
        let (a, b) = (("never added", &before), ("taken back", &back));
        return between("a rollback leaves a trace", a, b);
    }
    add(&mut straight, rest);
    add(&mut detour, rest);
    let (once, again) = (
        answer_of(&mut straight, false),
        answer_of(&mut detour, false),
    );
    if !are_alike(set, &once, &again) {
        let (a, b) = (("added once", &once), ("added again", &again));
        return between("a rollback leaves a trace for later", a, b);
    }
    Outcome::Agree
}

/// The production solver against itself.
pub fn incremental(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Set(set) = input else { return None };
    let mut problem = Problem::new();
    for constraint in &set.constraints {
        problem.push(constraint);
    }
    let whole = answer_of(&mut Solver::new(problem), false);
    let stepwise = one_by_one(set);
    let (a, b) = (("all at once", &whole), ("one by one", &stepwise));
    let traces = [false, true].map(|kept| taken_back(set, kept));
    let trace = traces.into_iter().find(|trace| *trace != Outcome::Agree);
    let outcome = trace.unwrap_or_else(|| choices(set, a, b, KnownDifference::Early));
    Some(examined(set, whole.verdict, outcome))
}
