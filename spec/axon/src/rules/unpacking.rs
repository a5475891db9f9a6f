//! §5, unpacking.

use lozenge_axon_vocabulary::Pool;

use super::Outcome;
use crate::constraints::{Constraint, Constraints, Side};
use crate::reading::Reading;

/// Equates the axes of two lists of one rank.
pub(super) fn unpack(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let (left, right) = (
        constraints.0[index].left.list()?,
        constraints.0[index].right.list()?,
    );
    if left.len() != right.len() {
        return None;
    }
    let axes = left.iter().zip(right).map(|(left, right)| Constraint {
        left: Side::Dim(*left),
        right: Side::Dim(*right),
    });
    Some(Outcome::Set(constraints.with(index, axes)))
}

/// Fails on two lists of different ranks.
pub(super) fn ranks_differ(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let (left, right) = (
        constraints.0[index].left.list()?,
        constraints.0[index].right.list()?,
    );
    (left.len() != right.len()).then_some(Outcome::Fail)
}
