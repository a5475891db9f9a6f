//! `certificates`: what complete mode gives as evidence is checked by the package that does not search.

use lozenge_certificate::{Proved, VERSION, verify};
use lozenge_solver::{Certificate, Decision, Entailment, Options, Problem, Solver};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};
use serde_json::json;

use super::comparison::{examined, stopped};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;
use crate::subjects::sets::proved_checker::difference;

/// Lets complete mode decide with propagation and without. The verdicts are the same and so are the least ranks; every
/// solution that is written out and the certificate of every refutation is accepted. In the one-shot reading of `<=`
/// the evidence is checked too, and so is, in both readings, that of the last constraint, if it follows from the
/// others.
pub fn certificates(set: &ConstraintSet, _: &mut Parties) -> Option<Comparison> {
    // No certificate covers variables that may be 0.
    if !set.summands.is_empty() {
        return None;
    }
    let solver = solver(set, Order::Marked);
    let propagated = solver.decide();
    let (searched, certificate) = solver.certify();
    let outcome = refused_model(set, Order::Marked, &propagated)
        .or_else(|| refused_evidence(set, Order::Marked, &searched, certificate.as_ref()))
        .or_else(|| differ(&propagated, &searched))
        .or_else(|| refused_one_shot(set))
        .or_else(|| Some(stopped("complete mode", searched.limit.as_deref()?)))
        .unwrap_or(Outcome::Agree);
    Some(examined(set, searched.verdict, outcome))
}

fn solver(set: &ConstraintSet, order: Order) -> Solver {
    let options = Options {
        order,
        ..Options::default()
    };
    Solver::with(Problem::from(set), options)
}

fn refused_one_shot(set: &ConstraintSet) -> Option<Outcome> {
    let (decision, certificate) = solver(set, Order::OneShot).certify();
    refused_evidence(set, Order::OneShot, &decision, certificate.as_ref())
}

fn refused_evidence(
    set: &ConstraintSet,
    order: Order,
    decision: &Decision,
    certificate: Option<&Certificate>,
) -> Option<Outcome> {
    refused_model(set, order, decision)
        .or_else(|| refused_refutation(set, order, decision, certificate))
        .or_else(|| refused_entailment(set, order))
}

/// Reports a certificate that the last constraint follows from the others, and that is not accepted.
fn refused_entailment(set: &ConstraintSet, order: Order) -> Option<Outcome> {
    let (goal, others) = set.constraints.split_last()?;
    let given = ConstraintSet {
        constraints: others.to_vec(),
        ..set.clone()
    };
    let (Entailment::Holds(_), Some(certificate)) = solver(&given, order).entails(goal) else {
        return None;
    };
    let text = json!(certificate).to_string();
    let why = match verify(&text, &given, order) {
        Err(rejected) => rejected.to_string(),
        Ok(Proved::Entails(proved)) if proved == *goal => difference(&text, &given, order)?,
        Ok(other) => format!("it proves {other:?}"),
    };
    let refused = Disagreement::new("the certificate of what follows is not accepted");
    Some(
        refused
            .answered("complete mode", format!("{goal} follows ({order:?})"))
            .answered("the checker", why)
            .into(),
    )
}

/// Reports a solution of a decision that is not accepted.
fn refused_model(set: &ConstraintSet, order: Order, decision: &Decision) -> Option<Outcome> {
    let model = decision.solution.as_ref()?;
    let text = json!({"version": VERSION, "order": order, "model": model}).to_string();
    let rejected = match verify(&text, set, order) {
        Err(rejected) => rejected.to_string(),
        Ok(_) => difference(&text, set, order)?,
    };
    let refused = Disagreement::new("a solution is not accepted");
    Some(
        refused
            .answered("complete mode", decision.verdict)
            .answered("the checker", rejected)
            .into(),
    )
}

/// Reports a refutation that has no certificate, or one that is not accepted. A refutation by sizes has none.
fn refused_refutation(
    set: &ConstraintSet,
    order: Order,
    decision: &Decision,
    certificate: Option<&Certificate>,
) -> Option<Outcome> {
    if decision.verdict != Verdict::Unsat || set.has_sizes() {
        return None;
    }
    let why = match certificate {
        None => "there is none".to_string(),
        Some(certificate) => {
            let text = json!(certificate).to_string();
            match verify(&text, set, order) {
                Err(rejected) => rejected.to_string(),
                Ok(_) => difference(&text, set, order)?,
            }
        }
    };
    let refused = Disagreement::new("a certificate is not accepted");
    Some(
        refused
            .answered("complete mode", decision.verdict)
            .answered("the checker", why)
            .into(),
    )
}

/// Reports two decisions about one set that are not the same.
fn differ(propagated: &Decision, searched: &Decision) -> Option<Outcome> {
    let both = [propagated, searched];
    if both.iter().any(|one| one.verdict == Verdict::Unknown) {
        return None;
    }
    let alike = propagated.verdict == searched.verdict
        && (propagated.rank == searched.rank || !both.iter().all(|one| one.least));
    let [with, without] = both.map(|one| match one.rank {
        Some(rank) => format!("{}, of rank {rank}", one.verdict),
        None => one.verdict.to_string(),
    });
    let differing = Disagreement::new("complete mode depends on propagation");
    (!alike).then(|| {
        differing
            .answered("with propagation", with)
            .answered("without", without)
            .into()
    })
}
