//! §5, basic rules.

use lozenge_axon_vocabulary::Pool;

use super::Outcome;
use crate::constraints::{Constraint, Constraints};
use crate::run::Reading;

/// Drops `ṡ1 = ṡ2` if `ṡ1 ≡ ṡ2`.
pub(super) fn tautology(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    (left == right).then(|| Outcome::Set(constraints.with(index, [])))
}

/// Puts `ṡ` for `a` into the others, given `a = ṡ`, if `a ∈ fsv(C)` and `a ∉ fsv(ṡ)`.
pub(super) fn substitute(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let constraint = &constraints.0[index];
    let variable = constraint.left.variable(pool)?;
    let mentions = |other: &Constraint, pool: &Pool| {
        other.left.mentions(pool, variable) || other.right.mentions(pool, variable)
    };
    if constraint.right.mentions(pool, variable)
        || !constraints.others(index).any(|other| mentions(other, pool))
    {
        return None;
    }
    let mut new = Constraints::default();
    for (other, from) in constraints.0.iter().enumerate() {
        new.insert(if other == index {
            from.clone()
        } else {
            Constraint {
                left: from.left.substituted(pool, variable, &constraint.right),
                right: from.right.substituted(pool, variable, &constraint.right),
            }
        });
    }
    Some(Outcome::Set(new))
}

/// Fails on `c1 = c2` if `c1 ≢ c2`.
pub(super) fn constants_differ(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    (left.constant(pool)? != right.constant(pool)?).then_some(Outcome::Fail)
}
