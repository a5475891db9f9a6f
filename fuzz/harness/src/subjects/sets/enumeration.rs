//! Enumeration of a small universe.

use std::collections::BTreeSet;

use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, DimTerm, Order, RowTerm, Var, Verdict,
};

use super::{Question, SetAnswer, Sets};
use crate::subject::party::{Asked, Effort, Party};

/// Tries every assignment of rows up to rank 2 over the atoms of the set, one more atom, and the unit. It answers `sat`
/// with a solution or, since there are longer rows, `unknown`. It is silent about sets with more than two row variables
/// or three dimension variables.
pub const ENUMERATION: Party<Sets> = Party {
    name: "enumeration",
    about: "every assignment of a small universe",
    questions: &[Question::Decide],
    checks: None,
    make: |effort| {
        Asked::boxed(effort, answer, |effort, question, set| {
            answer(effort, question, set).map_or_else(String::new, |answer| answer.to_string())
        })
    },
};

fn answer(_: &Effort, question: Question, set: &ConstraintSet) -> Option<SetAnswer> {
    match question {
        Question::Decide => set_answer(set),
        Question::Solve | Question::Close => None,
    }
}

const RANK: usize = 2;
const ROW_VARS: usize = 2;
const DIMS: usize = 3;

fn collect(row: &RowTerm, dims: &mut BTreeSet<Dim>) {
    dims.extend(row.axes().filter_map(DimTerm::ground).cloned());
}

/// Returns the dimensions that the set names, the unit, and an atom that it does not name.
fn dims(set: &ConstraintSet) -> BTreeSet<Dim> {
    let mut dims = BTreeSet::new();
    for constraint in &set.constraints {
        match constraint {
            Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => {
                dims.extend([a, b].into_iter().filter_map(DimTerm::ground).cloned());
            }
            Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
                collect(a, &mut dims);
                collect(b, &mut dims);
            }
            other => dims.extend(
                other
                    .dims()
                    .into_iter()
                    .filter_map(DimTerm::ground)
                    .cloned(),
            ),
        }
    }
    let fresh = (2..).filter_map(Dim::new).find(|dim| !dims.contains(dim));
    dims.extend(fresh);
    dims.insert(Dim::Unit);
    dims
}

/// The longest axis that is tried in sets that relate sizes; the second constant is the largest number of variables.
const LENGTH: u64 = 8;
const SIZED: usize = 4;

/// Returns the answer about a set without rows that relates sizes: tries every axis up to a length, with every basis
/// that the set names.
fn of_sizes(set: &ConstraintSet) -> Option<SetAnswer> {
    let is_row = |var: &Var| matches!(var, Var::Row(_));
    let vars = set.vars();
    let has_rows = set.constraints.iter().any(|stated| stated.rows().is_some());
    if has_rows || vars.iter().any(is_row) || vars.len() > SIZED {
        return None;
    }
    let named = dims(set);
    let bases: BTreeSet<&Basis> = named
        .iter()
        .filter_map(|dim| match dim {
            Dim::Atom { basis, .. } => Some(basis),
            Dim::Unit => None,
        })
        .collect();
    let atoms = (1..=LENGTH).flat_map(|size| {
        let of_size = bases
            .iter()
            .map(move |basis| Dim::based(size, (*basis).clone()));
        of_size.flatten()
    });
    let universe = Universe {
        dims: std::iter::once(Dim::Unit).chain(atoms).collect(),
        rank: 0,
    };
    let ground = Solutions::new(set, &universe, Order::Marked).next()?;
    Some(SetAnswer {
        ground: Some(ground),
        ..SetAnswer::only(Verdict::Sat)
    })
}

fn set_answer(set: &ConstraintSet) -> Option<SetAnswer> {
    if set.has_sizes() {
        return of_sizes(set);
    }
    let dims = dims(set);
    let rows = set
        .vars()
        .iter()
        .filter(|var| matches!(var, lozenge_vocabulary::Var::Row(_)))
        .count();
    if rows > ROW_VARS || dims.len() > DIMS {
        return None;
    }
    let universe = Universe {
        dims: dims.into_iter().collect(),
        rank: RANK,
    };
    let ground = Solutions::new(set, &universe, Order::Marked).next();
    Some(match ground {
        Some(ground) => SetAnswer {
            ground: Some(ground),
            ..SetAnswer::only(Verdict::Sat)
        },
        None => SetAnswer {
            limit: Some(format!("no solution with rows of rank {RANK} at most")),
            ..SetAnswer::only(Verdict::Unknown)
        },
    })
}
