//! `certificates`: what complete mode writes down as a proof is checked by the package that does not search.

use lozenge_certificate::verify;
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{Order, Verdict};

use super::comparison::{examined, stopped};
use crate::input::Input;
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::parties::Parties;

/// Lets complete mode decide with propagation and without; a refutation of the latter has a certificate that is accepted.
pub fn certificates(input: &Input, _: &mut Parties) -> Option<Comparison> {
    let Input::Set(set) = input else { return None };
    let solver = Solver::new(Problem::from(set));
    let propagated = solver.decide().verdict;
    let (decision, certificate) = solver.certify();
    let accepted = certificate.map(|certificate| {
        verify(
            &serde_json::json!(certificate).to_string(),
            set,
            Order::Marked,
        )
    });
    let differ = |a: Verdict, b: Verdict| a != b && ![a, b].contains(&Verdict::Unknown);
    let outcome = match (accepted, &decision.limit) {
        (Some(Err(rejected)), _) => Disagreement::new("a certificate is not accepted")
            .answered("complete mode", decision.verdict)
            .answered("the checker", rejected)
            .into(),
        _ if differ(propagated, decision.verdict) => {
            Disagreement::new("complete mode depends on propagation")
                .answered("with propagation", propagated)
                .answered("without", decision.verdict)
                .into()
        }
        (_, Some(limit)) => stopped("complete mode", limit),
        _ => Outcome::Agree,
    };
    Some(examined(set, decision.verdict, outcome))
}
