//! The policy's resolution of deferred equations (Def. 4.3(c), (d)): one variable is closed upward, and the equation
//! is checked again.
//!
//! Of a split equation `s · x₁ = x₂ · t` the document closes "either variable". The lengths choose here: `x₂ = []`
//! asks for `|s| ≤ |t|`, `x₁ = []` for `|s| ≥ |t|`; so the variable is closed that the lengths allow, the left
//! one when both do.

use crate::cause::Cause;
use crate::configuration::Configuration;
use crate::row_inequality::one_shot_deficit;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, RowTerm, RowVar, Var};

/// Resolves the oldest deferred equation; `false` when there is none.
pub(crate) fn resolve_one(config: &mut Configuration) -> bool {
    let Some(first) = config.deferred.first() else {
        return false;
    };
    let (var, axes) = match &first.constraint {
        Constraint::RowEq(left, right) => (closed_upward(left, right), 0),
        Constraint::RowLe(result, operand) => {
            (result.var.clone(), one_shot_deficit(result, operand))
        }
        Constraint::DimEq(..) | Constraint::DimLe(..) => (None, 0),
    };
    let Some(var) = var else { return false };
    let cause = first.cause.clone();
    let fresh = (0..axes)
        .map(|_| DimTerm::Var(config.fresh_dim(var.name())))
        .collect();
    let value = RowTerm::closed(Vec::new(), fresh);
    config.step(Rule::CloseDeferred, None, &[]);
    let cause: Cause = config.commit(
        Rule::CloseDeferred,
        Var::Row(var.clone()),
        value.to_string(),
        &cause,
    );
    config.bind_row(var, value, cause.clone(), cause);
    true
}

/// The variable of a word equation that is closed upward. The explicit axes of each side are its surpluses.
fn closed_upward(left: &RowTerm, right: &RowTerm) -> Option<RowVar> {
    let keep_left = left.explicit() < right.explicit();
    if keep_left {
        right.var.clone()
    } else {
        left.var.clone()
    }
}
