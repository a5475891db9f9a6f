//! Def. 5.3 and Prop. 5.4: the form in which a run ends, and its greatest solution.

use super::final_configuration::{residual, upward};
use crate::formal_core::case::{Case, equations, line, not_below, solved, store, universe};
use crate::formal_core::property::{Outcome, against, check};
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Survey, Theorem};
use crate::machinery::Claim;
use lozenge_spec::solve::Run;
use lozenge_testkit::enumeration::Solutions;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::Var;
use lozenge_vocabulary::verdict::Order;
use std::collections::BTreeSet;

/// The claims of Def. 5.3 and Prop. 5.4.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 5.3",
        "In solved form σ⋆ is idempotent, every variable in B⋆ is unsolved, each dimension variable carries at most one atom, and all stored caps and adjacencies contain no pending pins (else a rule would fire).",
        &[Survey(Reading::Repaired, def_5_3)],
    )
    .repaired(
        "The same, with no pending pins at dimension sort; at row sort `[] <= <r>` is one that no rule performs.",
        &[Survey(Reading::Repaired, def_5_3_repaired)],
    ),
    Claim::new(
        "Prop. 5.4(i)",
        "γ↑ ∈ Sol(constr(B⋆) ∪ eqns(σ⋆)).",
        &[Theorem(&["Runs.upward_satisfies"]), Survey(Reading::Repaired, prop_5_4_i)],
    ),
    Claim::new(
        "Prop. 5.4(ii)",
        "γ↑ is the pointwise-greatest element of Sol(constr(B⋆) ∪ eqns(σ⋆)) (eqns read as ≈ at row sort, Lemma 5.1).",
        &[Survey(Reading::Repaired, prop_5_4_ii)],
    )
    .repaired(
        "γ↑ is pointwise-greatest among the γ with γ = γ∘σ⋆ that satisfy constr(B⋆).",
        &[Theorem(&["Runs.upward_fixes", "Runs.upward_greatest"]), Survey(Reading::Repaired, prop_5_4_ii_repaired)],
    ),
];

/// Returns the conditions of Def. 5.3 on a final configuration.
fn solved_form(case: &Case, pins: fn(&Case, &Run) -> Option<String>) -> Outcome {
    let run = case.run();
    solved(run).then_some(())?;
    if !run.config.bindings.is_idempotent() {
        return Some(Err("σ⋆ is not idempotent".into()));
    }
    let unsolved: BTreeSet<Var> = run.config.unsolved().into_iter().collect();
    let stored: BTreeSet<Var> = store(run).iter().flat_map(Constraint::vars).collect();
    if let Some(var) = stored.iter().find(|v| !unsolved.contains(v)) {
        return Some(Err(format!("{var} is solved and in the store")));
    }
    against(pins(case, run))
}

/// Returns a variable that a stored bound determines completely: a pin that no rule has performed.
pub fn pending_pin(case: &Case, run: &Run) -> Option<String> {
    let stored: BTreeSet<Var> = store(run).iter().flat_map(Constraint::vars).collect();
    let (first, rest) = case.solutions().split_first()?;
    let pinned = stored.iter().find(|var| {
        case.set.vars().contains(var) && rest.iter().all(|g| value(g, var) == value(first, var))
    })?;
    Some(format!(
        "{pinned} is unsolved with a stored bound, and every solution has {pinned} = {}",
        value(first, pinned)?
    ))
}

pub fn pending_dimension_pin(case: &Case, run: &Run) -> Option<String> {
    pending_pin(case, run).filter(|why| !why.starts_with('<'))
}

fn value(gamma: &Ground, var: &Var) -> Option<String> {
    match var {
        Var::Dim(var) => gamma.dims.get(var).map(Dim::to_string),
        Var::Row(var) => gamma.rows.get(var).map(Row::to_string),
    }
}

fn def_5_3(case: &Case) -> Outcome {
    solved_form(case, pending_pin)
}

fn def_5_3_repaired(case: &Case) -> Outcome {
    solved_form(case, pending_dimension_pin)
}

fn prop_5_4_i(case: &Case) -> Outcome {
    let run = case.run();
    solved(run).then_some(())?;
    let all: Vec<Constraint> = store(run)
        .into_iter()
        .chain(equations(&run.config.bindings))
        .collect();
    let gamma = upward(run);
    check(gamma.first_violated(&all, Order::Marked).is_none(), || {
        format!("{} violates the store", line(&gamma))
    })
}

/// Solutions of the store and of eqns(σ) with `≈` between rows, as Lemma 5.1 reads them.
fn prop_5_4_ii(case: &Case) -> Outcome {
    let run = case.run();
    (solved(run) && run.config.minted.is_empty()).then_some(())?;
    let set: ConstraintSet = store(run)
        .into_iter()
        .chain(equations(&run.config.bindings))
        .collect();
    let top = upward(run);
    against(
        Solutions::new(&set, &universe(2), Order::Marked)
            .find_map(|gamma| not_below(&gamma, &top, Row::below)),
    )
}

pub fn prop_5_4_ii_repaired(case: &Case) -> Outcome {
    let run = case.run();
    solved(run).then_some(())?;
    let top = upward(run);
    against(
        residual(run, 2)
            .iter()
            .find_map(|gamma| not_below(gamma, &top, Row::below)),
    )
}
