//! `evidence`: each answer of the solver about a set is checked by itself, without another party that decides the set.
//! A solution is checked by the definition of satisfaction (Def. 3.4). For `unsat`, and for a statement that holds in
//! every solution, the solver writes a certificate, which a checker that shares no code with it verifies.

use lozenge_solver::{Problem, Refusal, Solver};
use lozenge_vocabulary::{ConstraintSet, Ground, Order, Verdict};

use super::comparison::{examined, stopped};
use super::entailment::{disagreement, uncertified, unfounded, value};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// Has the evidence of every answer of the solver checked: of policy mode, of closing, of complete mode, about a value
/// in every solution, and after a rollback.
pub fn evidence(set: &ConstraintSet, _: &mut Parties) -> Option<Comparison> {
    let mut solver = Solver::new(Problem::from(set));
    let verdict = solver.verdict();
    let checks = [policy, closed, complete, rolled_back];
    let found = checks.iter().find_map(|check| check(set));
    Some(examined(set, verdict, found.unwrap_or(Outcome::Agree)))
}

fn policy(set: &ConstraintSet) -> Option<Outcome> {
    let mut solver = Solver::new(Problem::from(set));
    borne_out_by(&mut solver, set, Solver::solve)
}

fn closed(set: &ConstraintSet) -> Option<Outcome> {
    let mut solver = Solver::new(Problem::from(set));
    borne_out_by(&mut solver, set, Solver::close)
}

/// Compares the solver's answers about the first half of a set, and then about the whole, with those after the other
/// half has been asserted and retracted.
fn rolled_back(set: &ConstraintSet) -> Option<Outcome> {
    let (first, rest) = set.constraints.split_at(set.constraints.len() / 2);
    let half = ConstraintSet {
        constraints: first.to_vec(),
        ..set.clone()
    };
    let add = |solver: &mut Solver| rest.iter().for_each(|constraint| solver.add(constraint));
    let mut solver = Solver::new(Problem::from(&half));
    // A refusal stands, and is the answer after the rollback as well.
    let _ = solver.solve();
    solver.snapshot();
    add(&mut solver);
    let _ = solver.solve();
    solver.rollback();
    borne_out_by(&mut solver, &half, Solver::solve).or_else(|| {
        add(&mut solver);
        borne_out_by(&mut solver, set, Solver::solve)
    })
}

/// Asks policy mode, and checks its solution or the certificate of `unsat`. A `rejected` claims nothing about the set.
/// Constraints of sizes have no certificates.
fn borne_out_by(
    solver: &mut Solver,
    set: &ConstraintSet,
    ask: fn(&mut Solver) -> Result<(), Box<Refusal>>,
) -> Option<Outcome> {
    let refusal = match ask(solver) {
        Ok(()) => return no_solution(&solver.solution().ground(), set),
        Err(refusal) => refusal,
    };
    match refusal.verdict {
        Verdict::Unsat if !set.has_sizes() => {
            uncertified(set, solver.certify_refusal(&refusal).as_ref())
        }
        Verdict::Unknown => Some(stopped("policy mode", &refusal.message)),
        _ => None,
    }
}

/// Asks complete mode, and whether one value of its solution is the same in every solution.
fn complete(set: &ConstraintSet) -> Option<Outcome> {
    let solver = Solver::new(Problem::from(set));
    let decision = solver.decide();
    if let Some(limit) = &decision.limit {
        return Some(stopped("complete mode", limit));
    }
    let Some(ground) = &decision.solution else {
        let is_certified = decision.verdict == Verdict::Unsat && !set.has_sizes();
        return is_certified.then(|| uncertified(set, solver.certify().1.as_ref()))?;
    };
    no_solution(ground, set).or_else(|| {
        let goal = value(ground, set.constraints.len())?;
        let (answer, certificate) = solver.entails(&goal);
        let why = unfounded(&answer, certificate.as_ref(), set, &goal)?;
        let check = "an answer about what follows is not borne out";
        Some(disagreement(check, &goal, &answer, &why))
    })
}

fn no_solution(ground: &Ground, set: &ConstraintSet) -> Option<Outcome> {
    let violated = ground.first_violated(&set.constraints, Order::Marked)?;
    let disagreement = Disagreement::new("a claimed solution is none");
    let why = format!("it violates {}", set.constraints[violated]);
    Some(disagreement.answered("Def. 3.4", why).into())
}
