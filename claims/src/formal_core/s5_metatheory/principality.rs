//! Cor. 5.8 and the consequence of Ex. 3.5: when there is a principal model.

use super::representation::most_general;
use crate::formal_core::case::{
    Case, line, purely_semantic, restricted, solved, store, through, universe,
};
use crate::formal_core::property::{Outcome, against, check};
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Survey, Theorem};
use crate::machinery::Claim;
use lozenge_spec::solve::Run;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet, Tag};
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{DimTerm, DimVar, Substitution, Var};
use lozenge_vocabulary::verdict::Order;

/// The claims of Cor. 5.8.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Cor. 5.8",
        "If B⋆ stores no atom caps and no row caps (adjacencies allowed), then σ⋆ (free variables universal) satisfies σ⋆ ⊨ Φ₀ and is the ≤-least model.",
        &[Survey(Reading::Repaired, cor_5_8)],
    )
    .repaired(
        "If a run by semantic steps leaves an empty store (no adjacencies either), then σ⋆ ⊨ Φ₀ and every solution is an instance of σ⋆.",
        &[Theorem(&["Runs.principal_model"]), Survey(Reading::Repaired, principal_with_empty_store)],
    ),
    Claim::new(
        "Cor. 5.8(exactly)",
        "A principal model exists exactly in this case: not when a cap is stored.",
        &[Survey(Reading::Repaired, exactly_without_caps)],
    )
    .repaired(
        "An empty store after semantic steps is sufficient for a principal model, and necessary where there are dimension variables only; it is not where there are row variables.",
        &[Survey(Reading::Repaired, principal_exactly)],
    ),
];

/// Checks that every grounding of the unsolved variables, carried through σ⋆, is a solution.
fn is_model(case: &Case, run: &Run) -> Outcome {
    let unsolved = run.config.unsolved().into_iter();
    let free = ConstraintSet {
        tags: unsolved.map(|v| (v, Tag::Interior)).collect(),
        ..ConstraintSet::default()
    };
    let vars = case.set.vars();
    let few = Universe {
        rank: 1,
        ..universe(0)
    };
    let mut all = Solutions::new(&free, &few, Order::Marked).take(3000);
    against(all.find_map(|gamma| {
        let gamma = restricted(&through(&run.config.bindings, &gamma), &vars);
        (!case.is_solution(&gamma))
            .then(|| format!("{} is an instance of σ⋆ and no solution", line(&gamma)))
    }))
}

/// Checks "If B⋆ stores no atom caps and no row caps (adjacencies allowed), then σ⋆ ⊨ Φ₀."
fn cor_5_8(case: &Case) -> Outcome {
    let run = case.run();
    let adjacency = |bound: &Constraint| match bound {
        Constraint::DimLe(low, _) => low.var().is_some(),
        Constraint::RowLe(cap, _) => cap.explicit() == 0 && cap.var.is_some(),
        _ => false,
    };
    (solved(run) && run.config.bounds.constraints().all(adjacency)).then_some(())?;
    is_model(case, run)
}

/// Checks "Holds exactly in this case": with a cap in the store there is no principal model.
pub fn exactly_without_caps(case: &Case) -> Outcome {
    let run = case.run();
    (solved(run) && !store(run).is_empty()).then_some(())?;
    let (first, rest) = case.solutions().split_first()?;
    check(!rest.is_empty() || !run.config.minted.is_empty(), || {
        format!(
            "the store is not empty, and the only solution, {}, is a principal model",
            line(first)
        )
    })
}

/// Checks a run by semantic steps with an empty store: σ⋆ is a model and every solution is an instance of it.
pub fn principal_with_empty_store(case: &Case) -> Outcome {
    let run = case.run();
    (purely_semantic(run) && store(run).is_empty()).then_some(())?;
    match is_model(case, run) {
        Some(Ok(())) => most_general(case),
        failed => failed,
    }
}

/// Checks that an empty store is sufficient, and on dimensions alone necessary; for that a principal model is searched.
fn principal_exactly(case: &Case) -> Outcome {
    let sufficient = principal_with_empty_store(case);
    let dims: Option<Vec<DimVar>> = case
        .set
        .vars()
        .into_iter()
        .map(|var| {
            if let Var::Dim(var) = var {
                Some(var)
            } else {
                None
            }
        })
        .collect();
    let (Some(dims), false) = (dims, matches!(sufficient, Some(Err(_)))) else {
        return sufficient;
    };
    solved(case.run()).then_some(())?;
    let found = principal_model(case, &dims);
    check(
        found.is_some() == store(case.run()).is_empty(),
        || match found {
            Some(model) => format!("the store is not empty, and {model} is a principal model"),
            None => "the store is empty, and there is no principal model".into(),
        },
    )
}

/// Returns a model of which every solution is an instance: each variable is mapped to a constant or to a variable that
/// is mapped to itself.
fn principal_model(case: &Case, dims: &[DimVar]) -> Option<String> {
    let vars = dims.iter().map(|v| (Var::Dim(v.clone()), Tag::Interior));
    let free = ConstraintSet {
        tags: vars.collect(),
        ..ConstraintSet::default()
    };
    let groundings: Vec<Ground> = Solutions::new(&free, &universe(0), Order::Marked).collect();
    let is_principal = |sigma: &Substitution| {
        let instance = |gamma: &Ground| through(sigma, gamma);
        let model = groundings.iter().all(|g| case.is_solution(&instance(g)));
        model && case.solutions().iter().all(|g| instance(g) == *g)
    };
    let sigma = targeted(dims).into_iter().find(is_principal)?;
    let bound = sigma.dims.iter().map(|(v, t)| format!("{v} = {t}"));
    Some(format!("[{}]", bound.collect::<Vec<_>>().join(", ")))
}

/// Returns every idempotent substitution of the variables by constants of the universe and by variables among them.
fn targeted(dims: &[DimVar]) -> Vec<Substitution> {
    let constants = universe(0).dims.into_iter().map(DimTerm::from);
    let targets: Vec<DimTerm> = constants
        .chain(dims.iter().cloned().map(DimTerm::from))
        .collect();
    let mut all = vec![Substitution::default()];
    for var in dims {
        let with = |sigma: &Substitution, target: &DimTerm| {
            let mut sigma = sigma.clone();
            if *target != DimTerm::from(var.clone()) {
                sigma.dims.insert(var.clone(), target.clone());
            }
            sigma
        };
        all = all
            .iter()
            .flat_map(|sigma| targets.iter().map(move |target| with(sigma, target)))
            .collect();
    }
    all.retain(Substitution::is_idempotent);
    all
}
