//! The policy's resolution of deferred equations (Def. 4.3(c), (d)): one variable is closed upward, and the equation
//! is checked again.
//!
//! In a split equation `s · x₁ = x₂ · t` the document closes "either variable". Here the lengths decide: `x₂ = []`
//! needs `|s| ≤ |t|`, and `x₁ = []` needs `|s| ≥ |t|`. The variable that the lengths allow is closed, the left one if
//! both are possible.

use crate::firing::{Choice, Firing, Fresh, by};
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::RowTerm;

/// Closes one row variable of a deferred constraint. An inequality is deferred only in the one-shot reading; its result
/// gets the missing axes.
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
