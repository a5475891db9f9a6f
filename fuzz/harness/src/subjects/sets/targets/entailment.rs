//! `entailment`: whether a constraint holds in every solution of the others, asked of complete mode and of Z3; and the
//! certificates of complete mode, which a checker that knows no solver reads.

use lozenge_certificate::{Proved, verify};
use lozenge_solver::{Certificate, Entailment, EntailmentCertificate, Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet, DimTerm, Ground, Order, RowTerm, Verdict};
use serde::Serialize;

use super::comparison::examined;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Effort, Parties};
use crate::subjects::sets::proved_checker::difference;

/// Asks of the last constraint whether it follows from the others, and of one variable whether its value is the same in
/// every solution.
pub fn entailment(set: &ConstraintSet, _: &mut Parties) -> Option<Comparison> {
    let (last, others) = set.constraints.split_last()?;
    let given = ConstraintSet {
        constraints: others.to_vec(),
        ..set.clone()
    };
    let solver = Solver::new(Problem::from(&given));
    let decision = solver.decide();
    let mut asked = vec![last.clone()];
    if let Some(ground) = &decision.solution {
        // The set decides which one is asked.
        asked.extend(value(ground, last.to_string().len()));
    }
    let outcome = asked
        .iter()
        .map(|goal| compared(&solver, &given, goal))
        .find(|outcome| !matches!(outcome, Outcome::Agree));
    Some(examined(
        &given,
        decision.verdict,
        outcome.unwrap_or(Outcome::Agree),
    ))
}

/// Returns one of the values of a solution, as a constraint.
pub fn value(ground: &Ground, which: usize) -> Option<Constraint> {
    let dims = ground.dims.iter().map(|(var, dim)| {
        let value = DimTerm::Const(dim.clone());
        Constraint::DimEq(DimTerm::Var(var.clone()), value)
    });
    let rows = ground.rows.iter().map(|(var, row)| {
        let axes = |axes: &[_]| axes.iter().cloned().map(DimTerm::Const).collect();
        let value = RowTerm::closed(axes(&row.leading), axes(&row.trailing));
        Constraint::RowEq(RowTerm::open(Vec::new(), var.clone(), Vec::new()), value)
    });
    let count = ground.dims.len() + ground.rows.len();
    dims.chain(rows).nth(which % count.max(1))
}

fn compared(solver: &Solver, given: &ConstraintSet, goal: &Constraint) -> Outcome {
    let (answer, certificate) = solver.entails(goal);
    let oracle = Effort::default().oracle().entails(given, goal);
    if let Some(why) = unfounded(&answer, certificate.as_ref(), given, goal) {
        return disagreement(
            "an answer about what follows is not borne out",
            goal,
            &answer,
            &why,
        );
    }
    match (&answer, &oracle) {
        (Entailment::Holds(_), lozenge_oracle::Entailment::Fails(_))
        | (Entailment::Fails(_), lozenge_oracle::Entailment::Holds) => disagreement(
            "one says that a constraint follows, the other that it does not",
            goal,
            &answer,
            &format!("{oracle:?}"),
        ),
        (Entailment::Unknown(why), _) => Outcome::Unknown(format!("complete: {why}")),
        (_, lozenge_oracle::Entailment::Unknown(why)) => Outcome::Unknown(format!("oracle: {why}")),
        _ => Outcome::Agree,
    }
}

/// Says why an answer about what follows is not borne out by its certificate or its solution; `None` if it is.
pub fn unfounded(
    answer: &Entailment,
    certificate: Option<&EntailmentCertificate>,
    given: &ConstraintSet,
    goal: &Constraint,
) -> Option<String> {
    match (answer, certificate) {
        (Entailment::Holds(_), Some(certificate)) => {
            unaccepted(certificate, given, &Proved::Entails(goal.clone()))
        }
        (Entailment::Fails(solution), None) => {
            let is_one = solution
                .first_violated(&given.constraints, Order::Marked)
                .is_none();
            let fails = solution.satisfies(goal, Order::Marked) == Some(false);
            (!is_one || !fails).then(|| "it is none".to_string())
        }
        (Entailment::Unknown(_), None) => None,
        _ => Some("a certificate is missing, or is one too many".into()),
    }
}

/// Returns the disagreement about what follows.
pub fn disagreement(check: &str, goal: &Constraint, answer: &Entailment, other: &str) -> Outcome {
    Disagreement::new(check)
        .answered("complete", format!("{goal}: {answer:?}"))
        .answered("the other", other)
        .into()
}

/// Says why a certificate is not accepted as a proof of a statement; `None` if it is.
fn unaccepted(
    certificate: &impl Serialize,
    set: &ConstraintSet,
    statement: &Proved,
) -> Option<String> {
    let text = match serde_json::to_string(certificate) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    match verify(&text, set, Order::Marked) {
        Ok(proved) if proved == *statement => difference(&text, set, Order::Marked),
        Ok(proved) => Some(format!("it proves {proved:?}")),
        Err(rejected) => Some(rejected.to_string()),
    }
}

/// Returns the disagreement where the checker does not accept the certificate of `unsat`, or there is none.
pub fn uncertified(set: &ConstraintSet, certificate: Option<&Certificate>) -> Option<Outcome> {
    // No certificate covers variables that may be 0.
    if !set.summands.is_empty() {
        return None;
    }
    let why = match certificate {
        Some(certificate) => unaccepted(certificate, set, &Proved::Unsat)?,
        None => "there is none".into(),
    };
    let disagreement = Disagreement::new("the certificate of `unsat` is not accepted");
    Some(disagreement.answered("the checker", why).into())
}

/// Returns the disagreement about an `unsat` of policy mode without a certificate that is accepted. A constraint of
/// sizes has none.
pub fn refused_without_proof(set: &ConstraintSet) -> Option<Outcome> {
    let mut solver = Solver::new(Problem::from(set));
    let refusal = solver.solve().err()?;
    let is_certified = refusal.verdict == Verdict::Unsat && !set.has_sizes();
    is_certified.then(|| uncertified(set, solver.certify_refusal(&refusal).as_ref()))?
}

/// Returns the disagreement about an `unsat` of complete mode without a certificate that is accepted.
pub fn decided_without_proof(set: &ConstraintSet) -> Option<Outcome> {
    let (decision, certificate) = Solver::new(Problem::from(set)).certify();
    let is_unsat = decision.verdict == Verdict::Unsat;
    is_unsat.then(|| uncertified(set, certificate.as_ref()))?
}
