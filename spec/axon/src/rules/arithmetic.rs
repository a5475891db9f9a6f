//! §5, arithmetic simplification and partial expression simplification. The printed results say `s` where `d` is meant.

use lozenge_axon_vocabulary::{DimId, DimNode, Op, Pool};
use rustc_hash::FxHashMap;

use super::Outcome;
use crate::constraints::{Constraint, Constraints, Side};
use crate::reading::Reading;

/// Reads `(op d c1) = c2`.
fn read(pool: &Pool, constraint: &Constraint, wanted: Op) -> Option<(DimId, i64, i64)> {
    let Side::Dim(left) = constraint.left else {
        return None;
    };
    let DimNode::Op(op, dim, constant) = pool.node(left) else {
        return None;
    };
    let DimNode::Number(constant) = pool.node(constant) else {
        return None;
    };
    let result = constraint.right.constant(pool)?;
    (op == wanted).then_some((dim, constant, result))
}

fn equals(
    pool: &mut Pool,
    constraints: &Constraints,
    index: usize,
    dim: DimId,
    value: i64,
) -> Outcome {
    let constraint = Constraint {
        left: Side::Dim(dim),
        right: Side::Dim(pool.number(value)),
    };
    Outcome::Set(constraints.with(index, [constraint]))
}

/// Divides `(* d c1) = c2` if `c2 mod c1 = 0`. There is no remainder by 0.
pub(super) fn times(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let (dim, constant, result) = read(pool, &constraints.0[index], Op::Multiply)?;
    if result.checked_rem(constant)? != 0 {
        return None;
    }
    let value = result.checked_div(constant)?;
    Some(equals(pool, constraints, index, dim, value))
}

/// Subtracts in `(+ d c1) = c2` if `c2 - c1 > 0`.
pub(super) fn plus(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let (dim, constant, result) = read(pool, &constraints.0[index], Op::Add)?;
    let value = result.checked_sub(constant)?;
    (value > 0).then(|| equals(pool, constraints, index, dim, value))
}

/// Adds in `(- d c1) = c2`.
pub(super) fn minus(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let (dim, constant, result) = read(pool, &constraints.0[index], Op::Subtract)?;
    let value = constant.checked_add(result)?;
    Some(equals(pool, constraints, index, dim, value))
}

/// Writes `c` for `(op s1 s2)` in the others, given `(op s1 s2) = c`.
pub(super) fn partial_expression(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let constraint = &constraints.0[index];
    let Side::Dim(left) = constraint.left else {
        return None;
    };
    constraint.right.constant(pool)?;
    let (DimNode::Op(..), Side::Dim(constant)) = (pool.node(left), &constraint.right) else {
        return None;
    };
    let mut is_found = false;
    let mut new = Constraints::default();
    for (other, from) in constraints.0.iter().enumerate() {
        if other == index {
            new.insert(from.clone());
            continue;
        }
        let mut side = |side: &Side| {
            side.with_dims(|dim| {
                let replaced = replaced(pool, dim, left, *constant);
                is_found |= replaced != dim;
                replaced
            })
        };
        new.insert(Constraint {
            left: side(&from.left),
            right: side(&from.right),
        });
    }
    is_found.then_some(Outcome::Set(new))
}

/// Returns a term in which one term stands for another.
fn replaced(pool: &mut Pool, dim: DimId, from: DimId, to: DimId) -> DimId {
    let mut new: FxHashMap<DimId, DimId> = FxHashMap::default();
    for part in pool.with_parts([dim]) {
        let result = match pool.node(part) {
            _ if part == from => to,
            DimNode::Op(op, left, right) => pool.op(op, new[&left], new[&right]),
            DimNode::Number(_) | DimNode::Var(_) | DimNode::Ragged(_) => part,
        };
        new.insert(part, result);
    }
    new[&dim]
}
