//! `spec_solver`, `solver_oracle` and `complete_oracle`: the same set put to different parties.

use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::comparison::{against_truth, contradiction, examined, limit, policies, unsound};
use super::entailment::{decided_without_proof, refused_without_proof};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Parties, Party};
use crate::subjects::sets::differences::COMMITMENT;
use crate::subjects::sets::{COMPLETE, ENUMERATION, Question, RULES, SOLVER, SetAnswer, Sets, Z3};

/// Checks that the constraints that a refusal cites are unsatisfiable without the others.
pub(super) fn cites_too_little(
    set: &ConstraintSet,
    refused: &SetAnswer,
    (who, question): (&Party<Sets>, Question),
    parties: &mut Parties,
) -> Option<Outcome> {
    if refused.cited.is_empty() || refused.cited.len() == set.constraints.len() {
        return None;
    }
    let cited = refused.cited.iter();
    let part = ConstraintSet {
        constraints: cited.map(|at| set.constraints[*at].clone()).collect(),
        ..set.clone()
    };
    let answer = parties.ask(who, question, &part)?;
    let met = (answer.verdict == Verdict::Sat).then(|| {
        Disagreement::new("what a refusal cites has a solution")
            .answered("the solver cites", &part)
            .answered("asked for what is cited, the other", &answer)
    });
    met.map(Outcome::from)
}

fn is_unsat(answer: &SetAnswer) -> bool {
    answer.verdict == Verdict::Unsat
}

/// Compares the transcribed rules with the production solver, both in policy mode.
pub fn spec_solver(set: &ConstraintSet, parties: &mut Parties) -> Option<Comparison> {
    let rules = parties.ask(&RULES, Question::Solve, set)?;
    let solver = parties.ask(&SOLVER, Question::Solve, set)?;
    let outcome = cites_too_little(set, &solver, (&RULES, Question::Solve), parties)
        .unwrap_or_else(|| {
            let (a, b) = (("spec", &rules), ("solver", &solver));
            policies(set, a, b, &COMMITMENT)
        });
    Some(examined(set, solver.verdict, outcome))
}

/// Compares the production solver in policy mode with Z3. Each `unsat` has a certificate, which is checked.
pub fn solver_oracle(set: &ConstraintSet, parties: &mut Parties) -> Option<Comparison> {
    let solver = parties.ask(&SOLVER, Question::Solve, set)?;
    let oracle = parties.ask(&Z3, Question::Decide, set)?;
    let truth = (&Z3, Question::Decide);
    let outcome = cites_too_little(set, &solver, truth, parties)
        .or_else(|| is_unsat(&solver).then(|| refused_without_proof(set))?)
        .unwrap_or_else(|| against_truth(set, ("solver", &solver), ("oracle", &oracle)));
    Some(examined(set, solver.verdict, outcome))
}

/// Compares the production solver in complete mode with Z3 and, where the set is small enough, with enumeration. Each
/// `unsat` has a certificate, which is checked.
pub fn complete_oracle(set: &ConstraintSet, parties: &mut Parties) -> Option<Comparison> {
    let complete = parties.ask(&COMPLETE, Question::Decide, set)?;
    let oracle = parties.ask(&Z3, Question::Decide, set)?;
    let tried = parties
        .ask(&ENUMERATION, Question::Decide, set)
        // If enumeration finds nothing, that proves nothing: there are longer rows.
        .filter(|tried: &SetAnswer| tried.verdict == Verdict::Sat);
    let mut answers = vec![("complete", &complete), ("oracle", &oracle)];
    answers.extend(tried.iter().map(|answer| ("enumeration", answer)));
    let truth = (&Z3, Question::Decide);
    let outcome = cites_too_little(set, &complete, truth, parties)
        .or_else(|| is_unsat(&complete).then(|| decided_without_proof(set))?)
        .or_else(|| unsound(set, &answers))
        .or_else(|| contradiction(&answers))
        .or_else(|| limit(&answers))
        .unwrap_or(Outcome::Agree);
    Some(examined(set, complete.verdict, outcome))
}
