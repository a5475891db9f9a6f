//! §5, basic rules.

use lozenge_axon_vocabulary::{DimId, DimNode, Pool};
use rustc_hash::FxHashMap;

use super::Outcome;
use crate::constraints::{Constraint, Constraints, Side};
use crate::reading::Reading;

/// Drops `ṡ1 = ṡ2` if `ṡ1 ≡ ṡ2`. To the paper all ragged dimensions are one sign, `*`.
pub(super) fn tautology(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    let same = left == right || one_sign(pool, left) == one_sign(pool, right);
    same.then(|| Outcome::Set(constraints.with(index, [])))
}

/// Returns a side in which every ragged dimension is the same.
fn one_sign(pool: &mut Pool, side: &Side) -> Side {
    side.with_dims(|dim| {
        let mut new: FxHashMap<DimId, DimId> = FxHashMap::default();
        for part in pool.with_parts([dim]) {
            let result = match pool.node(part) {
                DimNode::Ragged(_) => pool.ragged_with(0),
                DimNode::Op(op, left, right) => pool.op(op, new[&left], new[&right]),
                DimNode::Number(_) | DimNode::Var(_) => part,
            };
            new.insert(part, result);
        }
        new[&dim]
    })
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
