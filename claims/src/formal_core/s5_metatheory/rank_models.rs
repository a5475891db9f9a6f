//! Rank models (Def. 5.2.1), and the models of flank lengths that the marked order requires instead.

use std::collections::BTreeMap;

use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::term::{RowTerm, RowVar, Substitution, Var};

/// The length of each flank of each row variable.
pub type Lengths = BTreeMap<RowVar, (usize, usize)>;

fn rank(row: &RowTerm, lengths: &Lengths) -> usize {
    let (leading, trailing) = flanks(row, lengths);
    leading + trailing
}

fn flanks(row: &RowTerm, lengths: &Lengths) -> (usize, usize) {
    let (leading, trailing) = row
        .var
        .as_ref()
        .and_then(|v| lengths.get(v))
        .copied()
        .unwrap_or_default();
    (row.leading.len() + leading, row.trailing.len() + trailing)
}

/// Tells whether the ranks satisfy the rank abstraction of Def. 5.2.1.
pub fn models_ranks(set: &ConstraintSet, lengths: &Lengths) -> bool {
    set.constraints.iter().all(|constraint| match constraint {
        Constraint::RowEq(a, b) => rank(a, lengths) == rank(b, lengths),
        Constraint::RowLe(a, b) => rank(a, lengths) >= rank(b, lengths),
        _ => true,
    })
}

/// Tells whether the lengths satisfy what the marked order requires of each flank and what equality requires of ranks.
pub fn models_flanks(set: &ConstraintSet, lengths: &Lengths) -> bool {
    set.constraints.iter().all(|constraint| match constraint {
        Constraint::RowEq(a, b) => rank(a, lengths) == rank(b, lengths),
        Constraint::RowLe(a, b) => {
            let ((low_leading, low_trailing), (high_leading, high_trailing)) =
                (flanks(a, lengths), flanks(b, lengths));
            low_leading >= high_leading && low_trailing >= high_trailing
        }
        _ => true,
    })
}

/// Returns the lengths of a model carried through bindings: those of the variables in the bound terms, fresh ones
/// included.
///
/// # Errors
/// When a variable is shorter than the axes of its binding, or gets different lengths from two bindings.
pub fn through_bindings(model: &Lengths, bindings: &Substitution) -> Result<Lengths, String> {
    let mut extended = model.clone();
    for (var, term) in &bindings.rows {
        let Some((leading, trailing)) = model.get(var) else {
            continue;
        };
        let rest = leading
            .checked_sub(term.leading.len())
            .zip(trailing.checked_sub(term.trailing.len()))
            .ok_or_else(|| var.to_string())?;
        let known = match &term.var {
            Some(inner) => *extended.entry(inner.clone()).or_insert(rest),
            None => (0, 0),
        };
        if known != rest {
            return Err(var.to_string());
        }
    }
    Ok(extended)
}

/// Returns every assignment of flank lengths up to a bound to the row variables of a set.
pub fn assignments(set: &ConstraintSet, longest: usize) -> Vec<Lengths> {
    let mut all = vec![Lengths::new()];
    for var in set.vars() {
        let Var::Row(var) = var else { continue };
        all = all
            .iter()
            .flat_map(|known| {
                let var = &var;
                (0..=longest).flat_map(move |leading| {
                    (0..=longest).map(move |trailing| {
                        let mut more = known.clone();
                        more.insert(var.clone(), (leading, trailing));
                        more
                    })
                })
            })
            .collect();
    }
    all
}

/// Returns every assignment of ranks up to a bound; a rank is represented as a trailing length.
pub fn rank_assignments(set: &ConstraintSet, highest: usize) -> Vec<Lengths> {
    assignments(set, highest)
        .into_iter()
        .filter(|lengths| lengths.values().all(|(leading, _)| *leading == 0))
        .collect()
}
