//! Finite scopes: every constraint set of a given form.

use std::collections::BTreeMap;

use lozenge_vocabulary::{Constraint, ConstraintSet, DimTerm, RowTerm, RowVar, Substitution};

/// Returns all row terms with at most one axis on either side, taken from `axes`, and a variable or none.
fn terms(axes: &[&str], vars: &[&str]) -> Vec<RowTerm> {
    let mut flanks: Vec<Vec<DimTerm>> = vec![Vec::new()];
    flanks.extend(axes.iter().map(|l| vec![l.parse().expect("a term")]));
    let mut terms = Vec::new();
    for leading in &flanks {
        for trailing in &flanks {
            terms.push(RowTerm::closed(leading.clone(), trailing.clone()));
            for var in vars {
                let var = RowVar::new(var);
                terms.push(RowTerm::open(leading.clone(), var, trailing.clone()));
            }
        }
    }
    terms
}

/// Returns all row constraints between those terms.
pub(crate) fn constraints(axes: &[&str], vars: &[&str]) -> Vec<Constraint> {
    let terms = terms(axes, vars);
    let mut all = Vec::new();
    for a in &terms {
        for b in &terms {
            all.push(Constraint::RowEq(a.clone(), b.clone()));
            all.push(Constraint::RowLe(a.clone(), b.clone()));
        }
    }
    all
}

/// Returns every set of one constraint.
pub(crate) fn singles(axes: &[&str], vars: &[&str]) -> Vec<ConstraintSet> {
    let all = constraints(axes, vars);
    all.into_iter().map(|c| [c].into_iter().collect()).collect()
}

/// Returns every set of two constraints, up to their order and to swapping the first two variables.
pub(crate) fn pairs(axes: &[&str], vars: &[&str]) -> Vec<ConstraintSet> {
    let all = constraints(axes, vars);
    let swap = swapped(vars);
    let places: BTreeMap<&Constraint, usize> = all.iter().zip(0..).collect();
    let other: Vec<usize> = all.iter().map(|c| places[&c.substituted(&swap)]).collect();
    let mut sets = Vec::new();
    for (at, a) in all.iter().enumerate() {
        for (before, b) in all[..at].iter().enumerate() {
            let (x, y) = (other[at], other[before]);
            if (at, before) <= (x.max(y), x.min(y)) {
                sets.push([a.clone(), b.clone()].into_iter().collect());
            }
        }
    }
    sets
}

/// Returns the renaming that swaps the first two variables.
fn swapped(vars: &[&str]) -> Substitution {
    let mut swap = Substitution::default();
    if let [a, b, ..] = vars {
        let (a, b) = (RowVar::new(a), RowVar::new(b));
        swap.rows.insert(a.clone(), b.clone().into());
        swap.rows.insert(b, a.into());
    }
    swap
}
