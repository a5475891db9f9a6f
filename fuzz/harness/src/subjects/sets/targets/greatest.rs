//! `greatest`: whether a solution that the solver calls the greatest (Prop. 5.4) is above every other one, and whether
//! there is a reason where it calls a solution anything less. Other solutions come from trying small values and from
//! Z3; none comes from the solver.

use lozenge_oracle::Entailment;
use lozenge_solver::{Problem, Solution, Solver, Standing};
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Order, Var, Verdict,
};

use super::comparison::{examined, stopped, useful};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::{Effort, Parties};
use crate::subjects::sets::differences::BELOW_GREATEST;
use crate::subjects::sets::greatness::{self, Greatest, is_as_great, is_below, rows, with_leaves};

/// The longest axis, and the highest rank of a row, that are tried.
const LENGTH: u64 = 8;
const RANK: usize = 2;
/// The largest number of assignments that are tried.
const TRIED: u128 = 20_000;

/// Asks the solver for a solution, concludes the sizes that are forced, and holds it to what it calls the solution.
pub fn greatest(set: &ConstraintSet, _: &mut Parties) -> Option<Comparison> {
    let mut solver = Solver::new(Problem::from(set));
    if let Err(refusal) = solver.solve() {
        let outcome = match refusal.verdict {
            Verdict::Unknown => stopped("policy mode", &refusal.message),
            _ => Outcome::Agree,
        };
        return Some(examined(set, refusal.verdict, outcome));
    }
    let at_first = solver.solution().is_greatest();
    solver.conclude_sizes();
    let solution = solver.solution();
    let (outcome, answer) = match solution.is_greatest() {
        true => called_greatest(set, &solution),
        false if at_first => (
            Disagreement::new("what is forced makes a greatest solution another one").into(),
            "greatest",
        ),
        false => called_less(set, &solution),
    };
    Some(Comparison {
        outcome,
        useful: useful(set, Verdict::Sat),
        answer,
    })
}

/// Compares a solution that is called the greatest: no other one may be above it or beside it.
fn called_greatest(set: &ConstraintSet, solution: &Solution) -> (Outcome, &'static str) {
    let claimed = solution.ground();
    let outcome = if let Some(at) = claimed.first_violated(&set.constraints, Order::Marked) {
        Disagreement::new("a claimed solution is none")
            .answered("Def. 3.4", format!("it violates {}", set.constraints[at]))
            .into()
    } else {
        match beside(set, &claimed) {
            Search::Found(other) => {
                Disagreement::new("a greatest solution is not above another one")
                    .answered("solver", &claimed)
                    .answered("another solution", other)
                    .into()
            }
            Search::None => Outcome::Agree,
            Search::Stopped(why) => Outcome::Unknown(why),
        }
    };
    (outcome, "greatest")
}

/// Compares a solution that is not called the greatest: a policy step made it, a variable of it may have another value,
/// or there is a solution that is not below it.
fn called_less(set: &ConstraintSet, solution: &Solution) -> (Outcome, &'static str) {
    let claimed = solution.ground();
    if !solution.policy_steps(1).is_empty() {
        return (chosen(set, claimed), "chosen");
    }
    if let Search::Found(_) = beside(set, &claimed) {
        return (Outcome::Agree, "one of several");
    }
    let is_open = |var: &Var| {
        let standing = solution.standing(var);
        standing.is_none_or(|standing| standing != Standing::Forced)
    };
    let outcome = match set.vars().iter().any(is_open) {
        true => Outcome::Agree,
        false => Disagreement::new("the only solution is not called the greatest")
            .answered("solver", &claimed)
            .into(),
    };
    (outcome, "open")
}

/// Compares a solution for which policy chose. Choices cost nothing where the result is the greatest solution, or where
/// there is none.
fn chosen(set: &ConstraintSet, claimed: Ground) -> Outcome {
    // An open size has no greatest value.
    if set.has_sizes() {
        return Outcome::Agree;
    }
    let (pinned, rows) = (with_leaves(set, &claimed), rows(set));
    match greatness::greatest(&pinned, &rows, [claimed.clone()]) {
        Greatest::Is(found) if !is_as_great(&rows, &claimed, &found) => {
            Outcome::Differ(&BELOW_GREATEST)
        }
        Greatest::Is(_) | Greatest::NotFound => Outcome::Agree,
        Greatest::Unknown(why) => Outcome::Unknown(why),
    }
}

/// The result of a search for other solutions.
enum Search {
    /// One that is not below the claimed one.
    Found(Ground),
    /// There is none.
    None,
    /// A limit was reached, and none was found before.
    Stopped(String),
}

/// Looks for a solution that is not below this one: among those that give at most two dimension variables another
/// value, among small values, and by Z3, which compares no solutions in which variables may be 0.
fn beside(set: &ConstraintSet, claimed: &Ground) -> Search {
    if let Some(other) = near(set, claimed) {
        return Search::Found(other);
    }
    let universe = universe(set);
    let tried = universe.as_ref().map(|universe| {
        let mut solutions = Solutions::new(set, universe, Order::Marked);
        solutions.find(|other| !is_below(set, other, claimed))
    });
    if let Some(Some(other)) = tried {
        return Search::Found(other);
    }
    if !set.summands.is_empty() {
        return match tried {
            Some(None) => Search::None,
            _ => Search::Stopped("trying: too many values".into()),
        };
    }
    match Effort::default().oracle().greatest(set, claimed).marked {
        Entailment::Holds => Search::None,
        Entailment::Fails(other) => Search::Found(other),
        Entailment::Unknown(why) => Search::Stopped(format!("oracle: {why}")),
    }
}

/// Returns a solution that is not below this one and that gives at most two dimension variables another value.
fn near(set: &ConstraintSet, claimed: &Ground) -> Option<Ground> {
    let vars: Vec<DimVar> = set
        .vars()
        .into_iter()
        .filter_map(|var| match var {
            Var::Dim(var) => Some(var),
            Var::Row(_) => None,
        })
        .collect();
    let is_beside = |other: &Ground| {
        other
            .first_violated(&set.constraints, Order::Marked)
            .is_none()
            && !is_below(set, other, claimed)
    };
    let ways: Vec<Vec<Ground>> = vars
        .iter()
        .map(|var| otherwise(set, claimed, var))
        .collect();
    let alone = ways.iter().flatten().find(|other| is_beside(other));
    alone.cloned().or_else(|| {
        let pairs = vars.iter().enumerate().flat_map(|(at, second)| {
            let firsts = ways[..at].iter().flatten();
            firsts.flat_map(move |first| otherwise(set, first, second))
        });
        pairs.into_iter().find(is_beside)
    })
}

/// Returns the assignments that give one variable another value: 0 if it may be, the unit, and each length of the basis
/// that it has.
fn otherwise(set: &ConstraintSet, ground: &Ground, var: &DimVar) -> Vec<Ground> {
    let basis = match ground.dims.get(var) {
        Some(Dim::Atom { basis, .. }) => basis.clone(),
        _ => Basis::Default,
    };
    let sizes = (1..=LENGTH).filter_map(|size| Dim::based(size, basis.clone()));
    let dims = std::iter::once(Dim::Unit).chain(sizes).map(Some);
    let zero = set.summands.contains(var).then_some(None);
    let values = dims
        .chain(zero)
        .filter(|value| value.as_ref() != ground.dims.get(var));
    values
        .map(|value| {
            let mut other = ground.clone();
            other.zeros.remove(var);
            match value {
                Some(dim) => drop(other.dims.insert(var.clone(), dim)),
                None => {
                    other.dims.remove(var);
                    other.zeros.insert(var.clone());
                }
            }
            other
        })
        .collect()
}

/// Returns the constants that a set names.
fn named(set: &ConstraintSet) -> Vec<Dim> {
    let rows = set
        .constraints
        .iter()
        .flat_map(|constraint| match constraint {
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
                a.axes().chain(b.axes()).collect::<Vec<&DimTerm>>()
            }
            other => other.dims(),
        });
    let mut dims: Vec<Dim> = rows.filter_map(DimTerm::ground).cloned().collect();
    dims.push(Dim::Unit);
    dims.sort();
    dims.dedup();
    dims
}

/// Returns the values that are tried: the named ones, every length up to the longest that leaves few enough
/// assignments, and each of them with every named basis and with one more. `None` where even few lengths are too many.
fn universe(set: &ConstraintSet) -> Option<Universe> {
    let vars = set.vars();
    let rows = vars.iter().filter(|var| matches!(var, Var::Row(_))).count();
    let named = named(set);
    let mut bases: Vec<Basis> = vec![Basis::Default, Basis::named("other")];
    for dim in &named {
        if let Dim::Atom { basis, .. } = dim
            && !bases.contains(basis)
        {
            bases.push(basis.clone());
        }
    }
    (1..=LENGTH).rev().find_map(|longest| {
        let sizes = (1..=longest).flat_map(|size| {
            let of_size = bases.iter().cloned();
            of_size.filter_map(move |basis| Dim::based(size, basis))
        });
        let mut dims: Vec<Dim> = named.iter().cloned().chain(sizes).collect();
        dims.sort();
        dims.dedup();
        let letters = dims.len() as u128;
        let words: u128 = (0..=RANK as u32)
            .map(|rank| letters.pow(rank) * u128::from(rank + 1))
            .sum();
        let of_rows = words.checked_pow(rows as u32)?;
        let of_dims = letters.checked_pow((vars.len() - rows) as u32)?;
        let all = of_rows.checked_mul(of_dims)?;
        (all <= TRIED).then_some(Universe { dims, rank: RANK })
    })
}
