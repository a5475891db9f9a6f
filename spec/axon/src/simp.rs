//! §5, simplification: the function `simp`, which the paper describes in words.
//!
//! It computes operators of constants, orders the operands of `+` and `*` (names by name, constants last, as in the
//! trace of §6.2), drops empty shapes of an append and joins lists. Ordering the operands of `-` and `/` too would be
//! wrong.

use lozenge_axon_vocabulary::{DimId, DimNode, Op, Pool};
use rustc_hash::FxHashMap;

use crate::constraints::{Segment, Side};

/// Returns the canonical form of a shape or a dimension.
pub fn simp(pool: &mut Pool, side: &Side) -> Side {
    let side = side.with_dims(|dim| simp_dim(pool, dim));
    let Side::Shape(segments) = side else {
        return side;
    };
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        match (segment, joined.last_mut()) {
            (Segment::List(axes), _) if axes.is_empty() => {}
            (Segment::List(axes), Some(Segment::List(before))) => before.extend(axes),
            (segment, _) => joined.push(segment),
        }
    }
    if joined.is_empty() {
        joined.push(Segment::List(Vec::new()));
    }
    Side::Shape(joined)
}

fn simp_dim(pool: &mut Pool, dim: DimId) -> DimId {
    let mut new: FxHashMap<DimId, DimId> = FxHashMap::default();
    for part in pool.with_parts([dim]) {
        let result = match pool.node(part) {
            DimNode::Op(op, left, right) => simp_op(pool, op, new[&left], new[&right]),
            DimNode::Number(_) | DimNode::Var(_) | DimNode::Ragged(_) => part,
        };
        new.insert(part, result);
    }
    new[&dim]
}

fn simp_op(pool: &mut Pool, op: Op, left: DimId, right: DimId) -> DimId {
    if let (DimNode::Number(one), DimNode::Number(other)) = (pool.node(left), pool.node(right)) {
        let value = op.apply(i128::from(one), i128::from(other));
        if let Some(value) = value.and_then(|value| i64::try_from(value).ok()) {
            return pool.number(value);
        }
    }
    let key = |dim: DimId| {
        (
            matches!(pool.node(dim), DimNode::Number(_)),
            pool.show(dim).to_string(),
        )
    };
    let is_ordered = matches!(op, Op::Subtract | Op::Divide) || key(left) <= key(right);
    if is_ordered {
        pool.op(op, left, right)
    } else {
        pool.op(op, right, left)
    }
}
