//! `closing`: the transcribed rules and the production solver close the same set.

use super::comparison::{between, contradiction, examined, limit, order_matters, unsound};
use lozenge_vocabulary::{ConstraintSet, Ground, Order};

use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Outcome};
use crate::subject::party::Parties;
use crate::subject::party::Party;
use crate::subjects::sets::differences::{BELOW_GREATEST, COMMITMENT};
use crate::subjects::sets::greatness::{Greatest, greatest, is_as_great, rows, with_leaves};
use crate::subjects::sets::{Question, RULES, SOLVER, Sets};

/// Compares the transcribed rules with the production solver, in solving and closing. Where they close a set
/// differently, they must have solved it differently, by policy steps.
pub fn closing(set: &ConstraintSet, parties: &mut Parties) -> Option<Comparison> {
    let rules = parties.ask(&RULES, Question::Close, set)?;
    let solver = parties.ask(&SOLVER, Question::Close, set)?;
    let answers = [("spec", &rules), ("solver", &solver)];
    let serious = unsound(set, &answers)
        .or_else(|| contradiction(&answers))
        .or_else(|| limit(&answers));
    let outcome = match serious {
        Some(outcome) => outcome,
        None if rules.ground == solver.ground => Outcome::Agree,
        None => {
            let solved =
                |who: &Party<Sets>, parties: &mut Parties| parties.ask(who, Question::Solve, set);
            let (by_rules, by_solver) = (solved(&RULES, parties)?, solved(&SOLVER, parties)?);
            if by_rules.ground != by_solver.ground
                && by_rules.policy_steps + by_solver.policy_steps > 0
                && order_matters(set)
            {
                Outcome::Differ(class(set, rules.ground.as_ref(), solver.ground.as_ref()))
            } else {
                between("closed otherwise", answers[0], answers[1])
            }
        }
    };
    Some(examined(set, solver.verdict, outcome))
}

/// Classifies the difference between two closings by asking whether the solver has less than the greatest solution, if
/// there is one.
fn class(
    set: &ConstraintSet,
    rules: Option<&Ground>,
    solver: Option<&Ground>,
) -> &'static KnownDifference {
    // An open size has no greatest value.
    let (Some(solver), Some(rules), false) = (solver, rules, set.has_sizes()) else {
        return &COMMITMENT;
    };
    let (pinned, rows) = (with_leaves(set, solver), rows(set));
    let is_solution = rules
        .first_violated(&pinned.constraints, Order::Marked)
        .is_none();
    let proposed = is_solution.then(|| rules.clone());
    match greatest(
        &pinned,
        &rows,
        std::iter::once(solver.clone()).chain(proposed),
    ) {
        Greatest::Is(found) if !is_as_great(&rows, solver, &found) => &BELOW_GREATEST,
        _ => &COMMITMENT,
    }
}
