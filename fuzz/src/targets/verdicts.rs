//! `spec_solver`, `solver_oracle` and `complete_oracle`: the same set put to different parties.

use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::comparison::{against_truth, contradiction, examined, limit, policies, unsound};
use crate::class::Class;
use crate::input::Input;
use crate::outcome::{Disagreement, Examined, Outcome};
use crate::party::{Question, Said};
use crate::worker::{Who, Worker};

/// What a refusal cites has to have no solution by itself: what else the set says is not told as a reason.
fn cites_too_little(
    set: &ConstraintSet,
    refused: &Said,
    (who, question): (Who, Question),
    worker: &mut Worker,
) -> Option<Outcome> {
    if refused.cited.is_empty() || refused.cited.len() == set.constraints.len() {
        return None;
    }
    let cited = refused.cited.iter();
    let part = ConstraintSet {
        constraints: cited.map(|at| set.constraints[*at].clone()).collect(),
        tags: set.tags.clone(),
    };
    let said = worker.said(who, question, &Input::Set(part.clone()))?;
    let met = (said.verdict == Verdict::Sat).then(|| {
        Disagreement::new("what a refusal cites has a solution")
            .said("the solver cites", &part)
            .said("asked for what is cited, the other", &said)
    });
    met.map(Outcome::from)
}

/// The transcribed rules against the production solver, both in policy mode.
pub fn spec_solver(input: &Input, worker: &mut Worker) -> Option<Examined> {
    let Input::Set(set) = input else { return None };
    let rules = worker.said(Who::Rules, Question::Solve, input)?;
    let solver = worker.said(Who::Production, Question::Solve, input)?;
    let outcome = cites_too_little(set, &solver, (Who::Rules, Question::Solve), worker)
        .unwrap_or_else(|| {
            let (a, b) = (("spec", &rules), ("solver", &solver));
            policies(set, a, b, Class::Commitment)
        });
    Some(examined(set, solver.verdict, outcome))
}

/// The production solver in policy mode against Z3.
pub fn solver_oracle(input: &Input, worker: &mut Worker) -> Option<Examined> {
    let Input::Set(set) = input else { return None };
    let solver = worker.said(Who::Production, Question::Solve, input)?;
    let oracle = worker.said(Who::Z3, Question::Decide, input)?;
    let truth = (Who::Z3, Question::Decide);
    let outcome = cites_too_little(set, &solver, truth, worker)
        .unwrap_or_else(|| against_truth(set, ("solver", &solver), ("oracle", &oracle)));
    Some(examined(set, solver.verdict, outcome))
}

/// The production solver in complete mode against Z3 and, where the set is small enough, against trying everything.
pub fn complete_oracle(input: &Input, worker: &mut Worker) -> Option<Examined> {
    let Input::Set(set) = input else { return None };
    let complete = worker.said(Who::Complete, Question::Decide, input)?;
    let oracle = worker.said(Who::Z3, Question::Decide, input)?;
    let tried = worker
        .said(Who::Enumeration, Question::Decide, input)
        // Nothing found says nothing: there are longer rows.
        .filter(|tried: &Said| tried.verdict == Verdict::Sat);
    let mut answers = vec![("complete", &complete), ("oracle", &oracle)];
    answers.extend(tried.iter().map(|said| ("enumeration", said)));
    let truth = (Who::Z3, Question::Decide);
    let outcome = cites_too_little(set, &complete, truth, worker)
        .or_else(|| unsound(set, &answers))
        .or_else(|| contradiction(&answers))
        .or_else(|| limit(&answers))
        .unwrap_or(Outcome::Agree);
    Some(examined(set, complete.verdict, outcome))
}
