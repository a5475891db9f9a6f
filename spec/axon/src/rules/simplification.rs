//! §5, simplification.

use lozenge_axon_vocabulary::Pool;

use super::Outcome;
use crate::constraints::{Constraint, Constraints};
use crate::reading::Reading;
use crate::simp::simp;

/// Simplifies both sides of a constraint if that changes one.
pub(super) fn simplify(
    pool: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let constraint = &constraints.0[index];
    let new = Constraint {
        left: simp(pool, &constraint.left),
        right: simp(pool, &constraint.right),
    };
    (new != *constraint).then(|| Outcome::Set(constraints.with(index, [new])))
}
