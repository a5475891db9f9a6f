//! `entailment`: whether a constraint holds in every solution of the others, asked of complete mode and of Z3; and the certificates of
//! complete mode, which a checker that knows no solver reads.

use lozenge_certificate::{Proved, verify};
use lozenge_solver::{Entailment, Problem, Solver};
use lozenge_vocabulary::{Constraint, ConstraintSet, DimTerm, Order, RowTerm, Verdict};
use serde::Serialize;

use super::comparison::examined;
use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::{Effort, Parties};

/// Asks of the last constraint whether it follows from the others, and of one variable whether its value is the same in every
/// solution.
pub fn entailment(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Set(set) = input else { return None };
    let (last, others) = set.constraints.split_last()?;
    let given = ConstraintSet {
        constraints: others.to_vec(),
        tags: set.tags.clone(),
    };
    let solver = Solver::new(Problem::from(&given));
    let decision = solver.decide();
    let mut asked = vec![last.clone()];
    if let Some(ground) = &decision.solution {
        // Which one is drawn with the set.
        let dims = ground.dims.iter().map(|(var, dim)| {
            let value = DimTerm::Const(dim.clone());
            Constraint::DimEq(DimTerm::Var(var.clone()), value)
        });
        let rows = ground.rows.iter().map(|(var, row)| {
            let axes = |axes: &[_]| axes.iter().cloned().map(DimTerm::Const).collect();
            let value = RowTerm::closed(axes(&row.leading), axes(&row.trailing));
            Constraint::RowEq(RowTerm::open(Vec::new(), var.clone(), Vec::new()), value)
        });
        let values: Vec<Constraint> = dims.chain(rows).collect();
        asked.extend(
            values
                .get(last.to_string().len() % values.len().max(1))
                .cloned(),
        );
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

fn compared(solver: &Solver, given: &ConstraintSet, goal: &Constraint) -> Outcome {
    let (answer, certificate) = solver.entails(goal);
    let oracle = Effort::default().oracle().entails(given, goal);
    let checked = match (&answer, &certificate) {
        (Entailment::Holds(_), Some(certificate)) => {
            accepted(certificate, given, &Proved::Entails(goal.clone()))
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
    };
    if let Some(why) = checked {
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

fn disagreement(check: &str, goal: &Constraint, answer: &Entailment, other: &str) -> Outcome {
    Disagreement::new(check)
        .answered("complete", format!("{goal}: {answer:?}"))
        .answered("the other", other)
        .into()
}

/// Why a certificate is not accepted as a proof of a statement; `None` if it is.
fn accepted(
    certificate: &impl Serialize,
    set: &ConstraintSet,
    statement: &Proved,
) -> Option<String> {
    let text = match serde_json::to_string(certificate) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    match verify(&text, set, Order::Marked) {
        Ok(proved) if proved == *statement => None,
        Ok(proved) => Some(format!("it proves {proved:?}")),
        Err(rejected) => Some(rejected.to_string()),
    }
}

/// The certificate of an `unsat` of complete mode, or of a refusal by propagation, if the checker does not accept it.
pub fn uncertified(set: &ConstraintSet, by_policy: bool) -> Option<Outcome> {
    let mut solver = Solver::new(Problem::from(set));
    let certificate = match by_policy {
        true => {
            let refusal = solver.solve().err()?;
            if refusal.verdict != Verdict::Unsat || set.has_sizes() {
                return None;
            }
            solver.certify_refusal(&refusal)
        }
        false => {
            let (decision, certificate) = solver.certify();
            if decision.verdict != Verdict::Unsat {
                return None;
            }
            certificate
        }
    };
    let why = match &certificate {
        Some(certificate) => accepted(certificate, set, &Proved::Unsat)?,
        None => "there is none".into(),
    };
    let disagreement = Disagreement::new("the certificate of `unsat` is not accepted");
    Some(disagreement.answered("the checker", why).into())
}
