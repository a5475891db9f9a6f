//! `incremental`: constraints asserted all at once, one by one, and rolled back give the same answers.

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

/// The answer of a solver that solves after each constraint.
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

/// A solver that added constraints after a snapshot and rolled back. If `kept` is set, it added them after a nested snapshot,
/// which it kept.
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

/// Whether two answers are the same. A size that windows leave open has no greatest value; then only verdicts are compared.
fn are_alike(set: &ConstraintSet, a: &SetAnswer, b: &SetAnswer) -> bool {
    a.verdict == b.verdict && (set.has_sizes() || a.ground == b.ground)
}

/// Constraints that were added after a snapshot and rolled back leave no trace.
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

/// Compares the production solver with itself.
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
