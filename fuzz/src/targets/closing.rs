//! `closing`: the transcribed rules and the production solver close the same set.

use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Ground, Var};

use super::comparison::{between, contradiction, examined, limit, unsound};
use crate::input::Input;
use crate::known_difference::KnownDifference;
use crate::outcome::{Comparison, Outcome};
use crate::parties::{Parties, PartyId};
use crate::party::Question;
use lozenge_testkit::rewriting::{Naming, mirrored, mirrored_ground, orders};

/// At most how many namings and how many orders of the constraints are tried to explain a difference.
const TRIED: usize = 720;

fn by_rules(set: &ConstraintSet) -> Option<Ground> {
    let options = Options {
        close: true,
        traced: false,
        ..Options::default()
    };
    solve(set, &options).greatest()
}

fn of_sort(set: &ConstraintSet, rows: bool) -> Vec<Var> {
    let sort = |var: &Var| matches!(var, Var::Row(_)) == rows;
    set.vars().into_iter().filter(sort).collect()
}

/// Whether the rules close the set as the solver does once its variables are named otherwise.
fn named_otherwise(set: &ConstraintSet, solver: Option<&Ground>) -> bool {
    let (dims, rows) = (of_sort(set, false), of_sort(set, true));
    let limit = TRIED.isqrt();
    let (dim_orders, row_orders) = (orders(dims.len(), limit), orders(rows.len(), limit));
    let from = [dims.as_slice(), rows.as_slice()].concat();
    dim_orders.iter().any(|dim_order| {
        row_orders.iter().any(|row_order| {
            let names = dim_order.iter().map(|at| &dims[*at]);
            let names = names.chain(row_order.iter().map(|at| &rows[*at]));
            let to: Vec<Var> = names.cloned().collect();
            let naming = Naming::new(&from, &to);
            by_rules(&naming.set(set)) == solver.map(|ground| naming.ground(ground))
        })
    })
}

/// Whether the rules close the mirror image of the set as the solver closes the set.
fn mirrored_otherwise(set: &ConstraintSet, solver: Option<&Ground>) -> bool {
    by_rules(&mirrored(set)) == solver.map(mirrored_ground)
}

/// Whether the rules close the set as the solver does once its constraints are stated in another order.
fn stated_otherwise(set: &ConstraintSet, solver: Option<&Ground>) -> bool {
    orders(set.constraints.len(), TRIED).iter().any(|order| {
        let other = ConstraintSet {
            constraints: order
                .iter()
                .map(|at| set.constraints[*at].clone())
                .collect(),
            tags: set.tags.clone(),
        };
        by_rules(&other).as_ref() == solver
    })
}

/// The transcribed rules against the production solver, solving and closing. A difference has to come from solving, or
/// the rules themselves have to give the solver's answer under other names, in a mirror, or in another order.
pub fn closing(input: &Input, parties: &mut Parties) -> Option<Comparison> {
    let Input::Set(set) = input else { return None };
    let rules = parties.set_answer(PartyId::Rules, Question::Close, input)?;
    let solver = parties.set_answer(PartyId::Solver, Question::Close, input)?;
    let answers = [("spec", &rules), ("solver", &solver)];
    let serious = unsound(set, &answers)
        .or_else(|| contradiction(&answers))
        .or_else(|| limit(&answers));
    let outcome = match serious {
        Some(outcome) => outcome,
        None if rules.ground == solver.ground => Outcome::Agree,
        None => {
            let solved =
                |who, parties: &mut Parties| parties.set_answer(who, Question::Solve, input);
            let (by_rules, by_solver) = (
                solved(PartyId::Rules, parties)?,
                solved(PartyId::Solver, parties)?,
            );
            if by_rules.ground != by_solver.ground
                && by_rules.policy_steps + by_solver.policy_steps > 0
            {
                Outcome::Differ(KnownDifference::Commitment)
            } else if named_otherwise(set, solver.ground.as_ref())
                || mirrored_otherwise(set, solver.ground.as_ref())
            {
                Outcome::Differ(KnownDifference::Naming)
            } else if stated_otherwise(set, solver.ground.as_ref()) {
                Outcome::Differ(KnownDifference::Stating)
            } else {
                between("closed otherwise", answers[0], answers[1])
            }
        }
    };
    Some(examined(set, solver.verdict, outcome))
}
