//! `arith_verdicts`: sets that relate sizes, put to all parties.

use lozenge_vocabulary::Verdict;

use super::comparison::{against_truth, contradiction, examined, limit, unsound};
use super::verdicts::cites_too_little;
use crate::input::Input;
use crate::outcome::{Comparison, Outcome};
use crate::parties::{Parties, PartyId};
use crate::party::{Question, SetAnswer};

/// Compares the transcribed rules, the solver in both modes, Z3 and, where the set is small enough, enumeration.
pub fn arith_verdicts(input: &Input, parties: &mut Parties) -> Option<Comparison> {
    let Input::Set(set) = input else { return None };
    let rules = parties.set_answer(PartyId::Rules, Question::Solve, input)?;
    let solver = parties.set_answer(PartyId::Solver, Question::Solve, input)?;
    let complete = parties.set_answer(PartyId::Complete, Question::Decide, input)?;
    let oracle = parties.set_answer(PartyId::Z3, Question::Decide, input)?;
    let tried = parties
        .set_answer(PartyId::Enumeration, Question::Decide, input)
        // If enumeration finds nothing, that proves nothing: there are longer axes.
        .filter(|tried: &SetAnswer| tried.verdict == Verdict::Sat);
    let mut decided = vec![("complete", &complete), ("oracle", &oracle)];
    decided.extend(tried.iter().map(|answer| ("enumeration", answer)));
    let mut all = vec![("spec", &rules), ("solver", &solver)];
    all.extend(&decided);
    let truth = (PartyId::Z3, Question::Decide);
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
