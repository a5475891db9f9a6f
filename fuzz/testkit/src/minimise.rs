//! Minimisation of constraint sets that have a property: steps make the set smaller as long as it keeps the property,
//! until no constraint, axis or variable can be dropped, no two variables merged, and no constant made simpler.
//!
//! The shrinking of `proptest` was considered and not tried: it shrinks what one of its own strategies has drawn, and
//! sets come from files and from users as well.

use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::elements::Factor;
use lozenge_vocabulary::term::{DimTerm, RowTerm, Substitution, Var};

/// Returns an instance for which `keeps` is true, reached from this one by steps to smaller ones: none of them leads
/// further. Where `keeps` is `None` no more are tried.
pub fn least<I: Clone>(
    instance: &I,
    smaller: impl Fn(&I) -> Vec<I>,
    mut keeps: impl FnMut(&I) -> Option<bool>,
) -> I {
    let mut least = instance.clone();
    'smaller: loop {
        for candidate in smaller(&least) {
            match keeps(&candidate) {
                Some(true) => {
                    least = candidate;
                    continue 'smaller;
                }
                Some(false) => {}
                None => return least,
            }
        }
        return least;
    }
}

/// Returns a minimal set with the property, reached from this one by such steps.
pub fn minimise(set: &ConstraintSet, has: impl Fn(&ConstraintSet) -> bool) -> ConstraintSet {
    least(set, smaller, |smaller| Some(has(smaller)))
}

/// Says whether no single step leads to a smaller set with the property.
pub fn is_minimal(set: &ConstraintSet, has: impl Fn(&ConstraintSet) -> bool) -> bool {
    !smaller(set).iter().any(has)
}

/// Lists every set that is one step smaller, the largest steps first.
pub fn smaller(set: &ConstraintSet) -> Vec<ConstraintSet> {
    let mut all = without_a_constraint(set);
    all.extend(with_one_row_smaller(set));
    all.extend(with_one_variable_less(set));
    all.extend(with_one_constant_simpler(set));
    all.extend(set.tags.keys().map(|var| {
        let mut smaller = set.clone();
        smaller.tags.remove(var);
        smaller
    }));
    all
}

fn without_a_constraint(set: &ConstraintSet) -> Vec<ConstraintSet> {
    (0..set.constraints.len())
        .map(|at| {
            let mut smaller = set.clone();
            smaller.constraints.remove(at);
            smaller
        })
        .collect()
}

fn with_one_row_smaller(set: &ConstraintSet) -> Vec<ConstraintSet> {
    let mut all = Vec::new();
    for (at, constraint) in set.constraints.iter().enumerate() {
        let mut put = |constraint| {
            let mut smaller = set.clone();
            smaller.constraints[at] = constraint;
            all.push(smaller);
        };
        match constraint {
            Constraint::RowEq(a, b) => {
                smaller_rows(a)
                    .into_iter()
                    .for_each(|a| put(Constraint::RowEq(a, b.clone())));
                smaller_rows(b)
                    .into_iter()
                    .for_each(|b| put(Constraint::RowEq(a.clone(), b)));
            }
            Constraint::RowLe(a, b) => {
                smaller_rows(a)
                    .into_iter()
                    .for_each(|a| put(Constraint::RowLe(a, b.clone())));
                smaller_rows(b)
                    .into_iter()
                    .for_each(|b| put(Constraint::RowLe(a.clone(), b)));
            }
            _ => {}
        }
    }
    all
}

fn smaller_rows(row: &RowTerm) -> Vec<RowTerm> {
    let mut all = Vec::new();
    for at in 0..row.leading.len() {
        let mut smaller = row.clone();
        smaller.leading.remove(at);
        all.push(smaller);
    }
    for at in 0..row.trailing.len() {
        let mut smaller = row.clone();
        smaller.trailing.remove(at);
        all.push(smaller);
    }
    if row.var.is_some() {
        all.push(RowTerm {
            var: None,
            ..row.clone()
        });
    }
    all
}

/// Replaces a variable by an earlier one of its sort, a constant or the empty row.
fn with_one_variable_less(set: &ConstraintSet) -> Vec<ConstraintSet> {
    let vars: Vec<Var> = set.vars().into_iter().collect();
    let mut all = Vec::new();
    for (at, var) in vars.iter().enumerate() {
        let mut replace = |by: Substitution| {
            let mut smaller = set.clone();
            smaller.tags.remove(var);
            smaller.constraints = set.constraints.iter().map(|c| c.substituted(&by)).collect();
            all.push(smaller);
        };
        match var {
            Var::Dim(var) => {
                let mut to = |term: DimTerm| {
                    let mut by = Substitution::default();
                    by.dims.insert(var.clone(), term);
                    replace(by);
                };
                [Some(Dim::Unit), Dim::new(3)]
                    .into_iter()
                    .flatten()
                    .for_each(|dim| to(dim.into()));
                for other in &vars[..at] {
                    if let Var::Dim(other) = other {
                        to(other.clone().into());
                    }
                }
            }
            Var::Row(var) => {
                let mut to = |term: RowTerm| {
                    let mut by = Substitution::default();
                    by.rows.insert(var.clone(), term);
                    replace(by);
                };
                to(RowTerm::default());
                for other in &vars[..at] {
                    if let Var::Row(other) = other {
                        to(other.clone().into());
                    }
                }
            }
        }
    }
    all
}

/// Replaces one occurrence of a constant by the unit or the atom 3, as far as these are simpler.
fn with_one_constant_simpler(set: &ConstraintSet) -> Vec<ConstraintSet> {
    let mut all = Vec::new();
    for (at, constraint) in set.constraints.iter().enumerate() {
        for by in [Some(Dim::Unit), Dim::new(3)].into_iter().flatten() {
            for occurrence in 0..constants(constraint) {
                let mut smaller = set.clone();
                if replace(&mut smaller.constraints[at], occurrence, &by) {
                    all.push(smaller);
                }
            }
        }
    }
    all
}

fn terms(constraint: &mut Constraint) -> Vec<&mut DimTerm> {
    match constraint {
        Constraint::DimEq(a, b) | Constraint::DimLe(a, b) => vec![a, b],
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => {
            let mut all: Vec<&mut DimTerm> = Vec::new();
            for row in [a, b] {
                all.extend(row.leading.iter_mut().chain(row.trailing.iter_mut()));
            }
            all
        }
        Constraint::Window(window) => {
            let taps = window.taps.iter_mut().map(|(_, tap)| tap);
            [&mut window.axis, &mut window.over]
                .into_iter()
                .chain(taps)
                .collect()
        }
        Constraint::Composite(composite) => {
            let parts = composite.parts.iter_mut();
            std::iter::once(&mut composite.whole).chain(parts).collect()
        }
        Constraint::Elements(elements) => {
            let mut all = vec![&mut elements.whole];
            for factor in &mut elements.factors {
                match factor {
                    Factor::Axis(axis) => all.push(axis),
                    Factor::Row(row) => {
                        all.extend(row.leading.iter_mut().chain(row.trailing.iter_mut()));
                    }
                }
            }
            all
        }
        Constraint::Flat(flat) => {
            let rows = flat.rows.iter_mut();
            rows.flat_map(|row| row.leading.iter_mut().chain(row.trailing.iter_mut()))
                .chain(&mut flat.axes)
                .collect()
        }
        Constraint::AtLeast { dim, .. } => vec![dim],
    }
}

fn constants(constraint: &Constraint) -> usize {
    terms(&mut constraint.clone()).len()
}

/// Replaces an occurrence of a constant if the replacement is simpler: the unit is simpler than 3, and 3 than any other
/// atom. Variables are left alone.
fn replace(constraint: &mut Constraint, occurrence: usize, by: &Dim) -> bool {
    let rank = |dim: &Dim| match dim {
        Dim::Unit => 0,
        three if Some(three) == Dim::new(3).as_ref() => 1,
        Dim::Atom { .. } => 2,
    };
    match terms(constraint).swap_remove(occurrence) {
        DimTerm::Const(dim) if rank(by) < rank(dim) => {
            *dim = by.clone();
            true
        }
        DimTerm::Const(_) | DimTerm::Var(_) => false,
    }
}
