//! `incremental`: constraints asserted all at once, one by one, with questions at random points, and rolled back give
//! the same answers, in policy mode and in complete mode.

use lozenge_solver::{Decider, Limits, Options, Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet, Ground, Order, Verdict};

use super::comparison::{between, examined, limit, stopped};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;
use crate::subjects::sets::{SetAnswer, answer_of};
use lozenge_testkit::random::Random;

fn add(solver: &mut Solver, constraints: &[Constraint]) {
    constraints.iter().for_each(|c| solver.add(c));
}

/// Returns the answer of a solver that solves after each constraint.
fn one_by_one(set: &ConstraintSet) -> SetAnswer {
    let mut solver = Solver::new(Problem::new());
    for constraint in &set.constraints {
        solver.add(constraint);
        let _ = solver.solve();
    }
    answer_of(&mut solver, false)
}

/// Returns the answer of a solver that is asked something at random points: any question, inside of a snapshot that is
/// kept, of one that is taken back, or of none. The points are a function of the set.
fn asked_at_random(set: &ConstraintSet) -> SetAnswer {
    let text = set.to_string();
    let seed = text.bytes().fold(0, |seed: u64, byte| {
        seed.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte)
    });
    let mut random = Random::new(seed);
    let (mut solver, mut open) = (Solver::new(Problem::new()), 0);
    for (at, constraint) in set.constraints.iter().enumerate() {
        match random.below(6) {
            0 => {
                solver.snapshot();
                open += 1;
            }
            1 if open > 0 => {
                solver.keep();
                open -= 1;
            }
            2 => {
                let later = &set.constraints[at..];
                solver = detour(&solver, later, random.below(2) == 0);
            }
            _ => {}
        }
        solver.add(constraint);
        match random.below(6) {
            0 => drop(solver.solve()),
            1 => drop(solver.solve_so_far()),
            2 => drop(solver.close()),
            3 => drop(solver.entails(constraint)),
            _ => {}
        }
    }
    answer_of(&mut solver, false)
}

/// Returns a solver that added constraints after a snapshot and rolled back. If `kept` is set, it added them after a
/// nested snapshot, which it kept.
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

/// Says whether two answers are the same. A size that windows leave open has no greatest value; then only verdicts are
/// compared.
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

/// Returns the limits of complete mode, which is asked after each constraint.
fn deciding() -> Options {
    let limits = Limits {
        work: 1 << 22,
        ..Limits::default()
    };
    Options {
        limits,
        ..Options::default()
    }
}

/// Compares complete mode after each constraint, the second half of them taken back and added again, has the verdict
/// and the least rank that it has at once.
fn decided_stepwise(set: &ConstraintSet) -> Outcome {
    let mut decider = Decider::with(Problem::new(), deciding());
    let add = |decider: &mut Decider, constraints: &[Constraint]| {
        for constraint in constraints {
            decider.add(constraint);
            decider.decide();
        }
    };
    let (first, rest) = set.constraints.split_at(set.constraints.len() / 2);
    add(&mut decider, first);
    decider.snapshot();
    add(&mut decider, rest);
    decider.rollback();
    let half = as_at_once(&mut decider, first);
    if half != Outcome::Agree {
        return half;
    }
    add(&mut decider, rest);
    as_at_once(&mut decider, &set.constraints)
}

/// Compares the answer of a decider with that of complete mode when it sees these constraints for the first time. Where
/// a limit is reached the two may stop at different places.
fn as_at_once(decider: &mut Decider, constraints: &[Constraint]) -> Outcome {
    let set: ConstraintSet = constraints.iter().cloned().collect();
    let whole = Solver::with(Problem::from(&set), deciding()).decide();
    let stepwise = decider.decide();
    for (who, decision) in [("at once", &whole), ("step by step", &stepwise)] {
        if decision.verdict == Verdict::Unknown {
            return stopped(who, decision.limit.as_deref().unwrap_or("a limit on work"));
        }
    }
    let violated = |found: &Ground| found.first_violated(constraints, Order::Marked).is_some();
    let alike = (stepwise.verdict, stepwise.rank) == (whole.verdict, whole.rank);
    match alike && !stepwise.solution.as_ref().is_some_and(violated) {
        true => Outcome::Agree,
        false => Disagreement::new("complete mode decides otherwise step by step")
            .answered(
                "at once",
                format!("{}, rank {:?}", whole.verdict, whole.rank),
            )
            .answered("step by step", format!("{stepwise:?}"))
            .into(),
    }
}

/// Compares the production solver with itself.
pub fn incremental(set: &ConstraintSet, _: &mut Parties) -> Option<Comparison> {
    let mut problem = Problem::new();
    for constraint in &set.constraints {
        problem.push(constraint);
    }
    let whole = answer_of(&mut Solver::new(problem), false);
    let (stepwise, asked) = (one_by_one(set), asked_at_random(set));
    let whole_set = ("all at once", &whole);
    let asked = [("one by one", &stepwise), ("asked at random", &asked)].map(|other| {
        match limit(&[whole_set, other]) {
            Some(stopped) => stopped,
            None if are_alike(set, &whole, other.1) => Outcome::Agree,
            None => between("a question changes the answer", whole_set, other),
        }
    });
    let traces = [false, true].map(|kept| taken_back(set, kept));
    let outcomes = asked.into_iter().chain(traces);
    let mut outcomes = outcomes.chain([decided_stepwise(set)]);
    let outcome = outcomes.find(|outcome| *outcome != Outcome::Agree);
    Some(examined(
        set,
        whole.verdict,
        outcome.unwrap_or(Outcome::Agree),
    ))
}
