//! `arith_verdicts`: sets that relate sizes, put to all parties.

use lozenge_vocabulary::{ConstraintSet, Verdict};

use super::comparison::{against_truth, contradiction, examined, limit, unsound};
use super::verdicts::cites_too_little;
use crate::outcome::{Comparison, Outcome};
use crate::subject::party::Parties;
use crate::subjects::sets::{COMPLETE, ENUMERATION, Question, RULES, SOLVER, SetAnswer, Z3};

/// Compares the transcribed rules, the solver in both modes, Z3 and, where the set is small enough, enumeration.
pub fn arith_verdicts(set: &ConstraintSet, parties: &mut Parties) -> Option<Comparison> {
    let rules = parties.ask(&RULES, Question::Solve, set)?;
    let solver = parties.ask(&SOLVER, Question::Solve, set)?;
    let complete = parties.ask(&COMPLETE, Question::Decide, set)?;
    let oracle = parties.ask(&Z3, Question::Decide, set)?;
    let tried = parties
        .ask(&ENUMERATION, Question::Decide, set)
        // If enumeration finds nothing, that proves nothing: there are longer axes.
        .filter(|tried: &SetAnswer| tried.verdict == Verdict::Sat);
    let mut decided = vec![("complete", &complete), ("oracle", &oracle)];
    decided.extend(tried.iter().map(|answer| ("enumeration", answer)));
    let mut all = vec![("spec", &rules), ("solver", &solver)];
    all.extend(&decided);
    let truth = (&Z3, Question::Decide);
    let outcome = unsound(set, &all)
        .or_else(|| contradiction(&all))
        .or_else(|| cites_too_little(set, &solver, truth, parties))
        .or_else(|| cites_too_little(set, &complete, truth, parties))
        .or_else(|| limit(&decided))
        .unwrap_or_else(|| against_truth(set, ("solver", &solver), ("oracle", &oracle)));
    let outcome = match (outcome, limit(&[("spec", &rules)])) {
        (Outcome::Agree, Some(limit)) => limit,
        (outcome, _) => outcome,
    };
    Some(examined(set, oracle.verdict, outcome))
}
