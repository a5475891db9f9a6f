//! The policy's resolution of deferred equations (Def. 4.3(c), (d)): one variable is closed upward, and the equation
//! is checked again.
//!
//! Of a split equation `s · x₁ = x₂ · t` the document closes "either variable". The lengths choose here: `x₂ = []` needs
//! `|s| ≤ |t|`, `x₁ = []` needs `|s| ≥ |t|`; so the variable is closed that the lengths allow, the left one when both do.

use crate::firing::{Choice, Firing, Fresh, by};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::RowTerm;

/// Closes one row variable of a deferred constraint. An inequality waits in the one-shot reading only; its result
/// gets the axes that it lacks.
pub fn resolve(deferred: &Constraint, mut fresh: Fresh) -> Option<Firing> {
    let (var, axes) = match deferred {
        Constraint::RowEq(left, right) if left.explicit() < right.explicit() => (&right.var, 0),
        Constraint::RowEq(left, _) => (&left.var, 0),
        Constraint::RowLe(result, operand) => {
            let lacking = operand.explicit().saturating_sub(result.explicit());
            (&result.var, lacking)
        }
        _ => return None,
    };
    let var = var.as_ref()?;
    let axes = (0..axes).map(|_| fresh.dim(var.name()).into()).collect();
    let value = RowTerm::closed(Vec::new(), axes);
    Some(by(Rule::CloseDeferred).binds_row(var, value, Choice::Value))
}
