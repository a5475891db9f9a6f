//! §5, reordering. Each rule turns an equation around; they differ in what stands on the left.

use lozenge_axon_vocabulary::{DimNode, Pool};

use super::Outcome;
use crate::constraints::{Constraint, Constraints, Side};
use crate::reading::Reading;

fn turned(constraints: &Constraints, index: usize) -> Outcome {
    let Constraint { left, right } = constraints.0[index].clone();
    Outcome::Set(constraints.with(
        index,
        [Constraint {
            left: right,
            right: left,
        }],
    ))
}

fn node(pool: &Pool, side: &Side) -> Option<DimNode> {
    match side {
        Side::Dim(dim) => Some(pool.node(*dim)),
        Side::Shape(_) => None,
    }
}

/// Turns `c = ṡ` around, whatever `ṡ` is.
pub(super) fn constant_left(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    constraints.0[index].left.constant(pool)?;
    Some(turned(constraints, index))
}

/// Turns `c = a` around.
pub(super) fn constant_name(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    constraints.0[index].left.constant(pool)?;
    constraints.0[index].right.variable(pool)?;
    Some(turned(constraints, index))
}

/// Turns `* = a` around.
pub(super) fn ragged_left(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    constraints.0[index].right.variable(pool)?;
    matches!(node(pool, &constraints.0[index].left)?, DimNode::Ragged(_))
        .then(|| turned(constraints, index))
}

/// Turns `(op d1 d2) = a` around.
pub(super) fn operator_left(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    constraints.0[index].right.variable(pool)?;
    matches!(node(pool, &constraints.0[index].left)?, DimNode::Op(..))
        .then(|| turned(constraints, index))
}

/// Turns `[d1,…,dn] = a` around.
pub(super) fn list_left(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    constraints.0[index].left.list()?;
    constraints.0[index].right.variable(pool)?;
    Some(turned(constraints, index))
}

/// Turns `s1@…@sn = a` around.
pub(super) fn append_left(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    constraints.0[index].left.append()?;
    constraints.0[index].right.variable(pool)?;
    Some(turned(constraints, index))
}
