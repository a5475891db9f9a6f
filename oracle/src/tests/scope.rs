//! Finite scopes: every constraint set of a given form.

use lozenge_spec::{Constraint, ConstraintSet, DimTerm, RowTerm, RowVar};

/// All row terms with at most one axis on either side, taken from `letters`, and a variable or none.
fn terms(letters: &[&str], vars: &[&str]) -> Vec<RowTerm> {
    let mut flanks: Vec<Vec<DimTerm>> = vec![Vec::new()];
    flanks.extend(letters.iter().map(|l| vec![l.parse().expect("a term")]));
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

/// All row constraints between those terms.
pub(crate) fn constraints(letters: &[&str], vars: &[&str]) -> Vec<Constraint> {
    let terms = terms(letters, vars);
    let mut all = Vec::new();
    for a in &terms {
        for b in &terms {
            all.push(Constraint::RowEq(a.clone(), b.clone()));
            all.push(Constraint::RowLe(a.clone(), b.clone()));
        }
    }
    all
}

/// Every set of one constraint.
pub(crate) fn singles(letters: &[&str], vars: &[&str]) -> Vec<ConstraintSet> {
    let all = constraints(letters, vars);
    all.into_iter().map(|c| [c].into_iter().collect()).collect()
}

/// Every set of two constraints, the order of the two left out.
pub(crate) fn pairs(letters: &[&str], vars: &[&str]) -> Vec<ConstraintSet> {
    let all = constraints(letters, vars);
    let mut sets = Vec::new();
    for (at, a) in all.iter().enumerate() {
        for b in &all[..at] {
            sets.push([a.clone(), b.clone()].into_iter().collect());
        }
    }
    sets
}
