//! The solutions that a final configuration represents: its instances, and the solutions of its store.

use crate::formal_core::case::{
    Case, line, only_placements, purely_semantic, restricted, solved, store, through, universe,
};
use crate::formal_core::property::{Outcome, against};

use lozenge_spec::solve::Run;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::constraint::{ConstraintSet, Tag};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, RowTerm, Var};
use lozenge_vocabulary::verdict::Order;
use std::collections::BTreeSet;

/// Returns `γ↑` on all variables, including minted ones.
pub fn upward(run: &Run) -> Ground {
    run.config.upward()
}

/// Returns the ground substitutions of the unsolved variables that satisfy the store, each carried through σ.
pub fn residual(run: &Run, rank: usize) -> Vec<Ground> {
    let mut set: ConstraintSet = store(run).into_iter().collect();
    set.tags = run
        .config
        .unsolved()
        .into_iter()
        .map(|v| (v, Tag::Interior))
        .collect();
    let few = Universe {
        rank: if set.tags.len() > 3 { 1 } else { rank },
        ..universe(0)
    };
    Solutions::new(&set, &few, Order::Marked)
        .take(3000)
        .map(|gamma| through(&run.config.bindings, &gamma))
        .collect()
}

/// Finds values of the fresh variables that make γ an instance of σ⋆ on the input variables: rows by content, or
/// exactly.
pub fn instance(run: &Run, gamma: &Ground, vars: &BTreeSet<Var>, exact: bool) -> Option<Ground> {
    let mut found = restricted(gamma, vars);
    let bind_dim = |found: &mut Ground, term: &DimTerm, dim: &Dim| match term {
        DimTerm::Const(own) => own == dim,
        DimTerm::Var(var) => found.dims.entry(var.clone()).or_insert_with(|| dim.clone()) == dim,
    };
    for (var, term) in &run.config.bindings.dims {
        if let Some(dim) = gamma.dims.get(var) {
            bind_dim(&mut found, term, dim).then_some(())?;
        }
    }
    for (var, term) in &run.config.bindings.rows {
        let Some(row) = gamma.rows.get(var) else {
            continue;
        };
        let middle = cut(term, row, exact, |t, d| bind_dim(&mut found, t, d))?;
        match &term.var {
            Some(rest) => {
                let known = found
                    .rows
                    .entry(rest.clone())
                    .or_insert_with(|| middle.clone());
                (if exact {
                    *known == middle
                } else {
                    known.flat_equivalent(&middle)
                })
                .then_some(())?;
            }
            None => (middle.rank() == 0).then_some(())?,
        }
    }
    Some(found)
}

/// Matches the flanks of a term with a row; the rest is the value of its variable.
pub fn cut(
    term: &RowTerm,
    row: &Row,
    exact: bool,
    mut bind: impl FnMut(&DimTerm, &Dim) -> bool,
) -> Option<Row> {
    let flat = row.flat();
    let end = flat
        .len()
        .checked_sub(term.trailing.len())
        .filter(|end| term.leading.len() <= *end)?;
    let start = term.leading.len();
    let fits = row.leading.len() >= start && row.leading.len() <= end;
    (!exact || fits).then_some(())?;
    let pairs = term
        .leading
        .iter()
        .zip(&flat[..start])
        .chain(term.trailing.iter().zip(&flat[end..]));
    pairs.into_iter().all(|(t, d)| bind(t, d)).then_some(())?;
    let split = row.leading.len().clamp(start, end);
    Some(Row::new(
        flat[start..split].to_vec(),
        flat[split..end].to_vec(),
    ))
}

/// Checks, after semantic steps only, that γ ∈ Sol(Φ₀) iff it extends to a solution of the store with γ = γ∘σ⋆,
/// including placements.
pub fn exact_representation(case: &Case) -> Outcome {
    let run = case.run();
    purely_semantic(run).then_some(())?;
    let vars = case.set.vars();
    let extends = |g: &Ground| {
        instance(run, g, &vars, true)
            .is_some_and(|all| all.first_violated(&store(run), Order::Marked).is_none())
    };
    if let Some(gamma) = case.solutions().iter().find(|g| !extends(g)) {
        return Some(Err(format!(
            "{} is a solution that the final configuration loses",
            line(gamma)
        )));
    }
    let lost = residual(run, 1)
        .into_iter()
        .map(|g| restricted(&g, &vars))
        .find(|g| !case.is_solution(g));
    against(lost.map(|g| {
        format!(
            "{} satisfies the final configuration and is no solution",
            line(&g)
        )
    }))
}

pub fn is_only_placements(case: &Case) -> bool {
    solved(case.run()) && only_placements(case.run())
}

/// Tells whether γ is, up to placements, an instance of the final configuration that satisfies its store.
pub fn extends_up_to_placement(case: &Case, gamma: &Ground) -> bool {
    let run = case.run();
    instance(run, gamma, &case.set.vars(), false)
        .is_some_and(|all| all.first_violated(&store(run), Order::Marked).is_none())
}
