//! Random sets that relate sizes, run by the transcribed rules, which never guess a size.

use crate::formal_core::case::{STRATEGIES, line, run, witness};
use crate::formal_core::s6_closing::close;
use crate::machinery::{Effort, Finding, Witness};
use lozenge_oracle::Oracle;
use lozenge_spec::rules::RULES;
use lozenge_spec::solve::{End, Run};
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::generate::windows;
use lozenge_testkit::minimise::minimise;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, Var};
use lozenge_vocabulary::verdict::{Order, Verdict};

/// The seed of the stream of sets.
const SEED: u64 = 8;

/// The finding on one set: `None` where the claim does not apply.
type Found = Option<Result<(), String>>;

/// Tries random sets, and makes the first one against the claim smaller.
fn sampled(tried: u64, what: &str, examine: fn(&ConstraintSet) -> Found) -> Finding {
    let fails = |set: &ConstraintSet| matches!(examine(set), Some(Err(_)));
    let mut applied = 0;
    let mut against = None;
    for index in 0..tried {
        let set = windows::indexed(SEED, index);
        match examine(&set) {
            None => {}
            Some(Ok(())) => applied += 1,
            Some(Err(_)) => {
                let smallest = minimise(&set, fails);
                let why = examine(&smallest).and_then(Result::err);
                against = Some(witness(&smallest, why.unwrap_or_default()));
                break;
            }
        }
    }
    let vacuous = (against.is_none() && applied == 0)
        .then(|| Witness::new("every set", "the claim applied to none"));
    let scope = format!(
        "{tried} random sets with windows, concatenations, products and bounds of sizes, run by the rules of this project, since the \
         document defines no staged run; {what} for {applied} of them"
    );
    Finding::sampled(scope, tried, against.or(vacuous))
}

fn violated(set: &ConstraintSet, gamma: &Ground) -> Option<String> {
    let at = gamma.first_violated(&set.constraints, Order::Marked)?;
    let constraint = &set.constraints[at];
    Some(format!("{} does not satisfy {constraint}", line(gamma)))
}

fn is_undecided(run: &Run) -> bool {
    matches!(run.end, End::Limit)
}

/// Checks that closing ends in the same values, or is refused, whatever the order of the constraints.
fn closes_alike(set: &ConstraintSet) -> Found {
    let runs = STRATEGIES.map(|strategy| run(set, strategy, RULES, true));
    if runs.iter().any(is_undecided) || runs.iter().all(|run| run.greatest().is_none()) {
        return None;
    }
    let values = runs.each_ref().map(Run::greatest);
    let other = values.iter().find(|value| **value != values[0]);
    let shown = |value: &Option<Ground>| value.as_ref().map_or("failure".into(), line);
    Some(match other {
        None => Ok(()),
        Some(other) => Err(format!("{} and {}", shown(&values[0]), shown(other))),
    })
}

/// Decides Conj. 8.3 without guesses: no order of the constraints changes what closing gives.
pub fn without_guesses(effort: Effort) -> Finding {
    sampled(effort.samples() / 20, "closing gave sizes", closes_alike)
}

/// Checks that a set that has a solution is closed, or refused because a size is open.
fn fails_only_at_an_open_size(set: &ConstraintSet) -> Found {
    let solved = run(set, Strategy::First, RULES, false);
    if solved.verdict() != Verdict::Sat {
        return None;
    }
    let closed = close(set);
    match closed.failure() {
        Some(failure) if failure.rule != Rule::CloseArith => Some(Err(failure.to_string())),
        _ if is_undecided(&closed) => None,
        _ => Some(Ok(())),
    }
}

/// Decides Conj. 8.3 without guesses: closing a set in solved form fails only where it names an open size.
pub fn refuses_only_open_sizes(effort: Effort) -> Finding {
    sampled(
        effort.samples() / 20,
        "solved form was reached",
        fails_only_at_an_open_size,
    )
}

/// Checks that the values of a successful run are a solution, before closing and after it.
fn ends_in_a_solution(set: &ConstraintSet) -> Found {
    let runs = [run(set, Strategy::First, RULES, false), close(set)];
    let mut values = runs.iter().filter_map(Run::greatest).peekable();
    values.peek()?;
    Some(match values.find_map(|gamma| violated(set, &gamma)) {
        None => Ok(()),
        Some(why) => Err(why),
    })
}

/// Decides Conj. 8.4(a), of the rules of this project.
pub fn conj_8_4_a(effort: Effort) -> Finding {
    sampled(effort.samples() / 20, "a run succeeded", ends_in_a_solution)
}

/// Tells whether a constraint relates sizes: every size is at least 1, so that `b >= 1` says nothing.
fn relates_sizes(constraint: &Constraint) -> bool {
    let says_nothing = matches!(constraint, Constraint::AtLeast { size, .. } if size.get() == 1);
    constraint.is_of_sizes() && !says_nothing
}

/// Returns a set in which the rows whose elements are counted are those that closing gave: closing them at their tops
/// is a step of the broadcast closing, and `3 = |[b <r>]|` forces `b` only after it.
fn with_counted_rows(set: &ConstraintSet, gamma: &Ground) -> Option<ConstraintSet> {
    let mut stated = set.clone();
    let counted = set
        .constraints
        .iter()
        .filter_map(|constraint| match constraint {
            Constraint::Elements(elements) => Some(elements.rows()),
            _ => None,
        });
    for row in counted.flatten() {
        let closed = RowTerm::from(gamma.row(row)?);
        stated
            .constraints
            .push(Constraint::RowEq(row.clone(), closed));
    }
    Some(stated)
}

/// Checks that each size that closing gives an axis of an arithmetic constraint is the only one that Z3 allows it,
/// given the rows that closing gave.
fn closes_to_forced_sizes(set: &ConstraintSet) -> Found {
    let gamma = close(set).greatest()?;
    let stated = with_counted_rows(set, &gamma)?;
    let forced = Oracle::new(Order::Marked).forced(&stated).ok()??;
    let mut of_sizes = set
        .constraints
        .iter()
        .filter(|constraint| relates_sizes(constraint))
        .flat_map(|constraint| constraint.dims())
        .filter_map(|term| match term {
            DimTerm::Var(var) => Some(var),
            DimTerm::Const(_) => None,
        })
        .peekable();
    of_sizes.peek()?;
    let undecided = |var: &DimVar| {
        let var = Var::Dim(var.clone());
        forced.undetermined.iter().any(|(open, _)| *open == var)
    };
    for var in of_sizes {
        let closed = gamma.dims.get(var)?.size();
        let only = forced.dims.get(var).map(|dim| dim.size());
        match only.or(forced.sizes.get(var).copied()) {
            Some(only) if only == closed => {}
            Some(only) => return Some(Err(format!("{var} closes to {closed}, and is {only}"))),
            None if undecided(var) => return None,
            None => {
                return Some(Err(format!(
                    "{var} closes to {closed}, and may have another size"
                )));
            }
        }
    }
    Some(Ok(()))
}

/// Decides Conj. 8.4(c), of the rules of this project: on every set that they close, the sizes are forced.
pub fn conj_8_4_c(effort: Effort) -> Finding {
    sampled(
        effort.samples() / 50,
        "closing gave sizes that Z3 was asked about",
        closes_to_forced_sizes,
    )
}

/// Decides Conj. 8.4(c) without the rows that closing gives: whether what closing gives a size is its only one.
/// `close_row` gives a row whose elements are counted no more axes than are known of it, and the sizes beside it follow
/// from that.
pub fn whatever_the_rows(_: Effort) -> Finding {
    let set: ConstraintSet = ["n = a * |<r>|", "n = 12"]
        .iter()
        .filter_map(|text| text.parse::<Constraint>().ok())
        .collect();
    let var = DimVar::new("a");
    let closed = close(&set).greatest();
    let closed = closed.and_then(|gamma| Some(gamma.dims.get(&var)?.size()));
    let other: Vec<Constraint> = ["a = 4", "<r> ~ [3]"]
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let mut stated = set.clone();
    stated.constraints.extend(other);
    let is_solution = Oracle::new(Order::Marked).sat(&stated).verdict() == Verdict::Sat;
    let against = (closed == Some(12) && is_solution).then(|| {
        let why = "closing gives a = 12 and <r> = [], and a = 4 with <r> = [3] is a solution";
        witness(&set, why)
    });
    Finding::exhaustive(
        "one product with a row of which nothing is known",
        1,
        against,
    )
}
