//! §5, append unpacking and append dimensionality.

use lozenge_axon_vocabulary::{DimId, Pool};

use super::Outcome;
use crate::constraints::{Constraint, Constraints, Segment, Side};
use crate::reading::Reading;

/// Returns the parts of a side that is an append, or in the reading `unit` a list, which then has nothing before it and
/// nothing after it.
fn parts(side: &Side, reading: Reading) -> Option<&[Segment]> {
    match side {
        Side::Shape(segments) if segments.len() > 1 || reading == Reading::Unit => Some(segments),
        _ => None,
    }
}

/// Returns `s@[d1,…,dn-1]` and `dn`.
fn without_last(side: &Side, reading: Reading) -> Option<(Side, DimId)> {
    let (last, before) = parts(side, reading)?.split_last()?;
    let Segment::List(axes) = last else {
        return None;
    };
    let (axis, axes) = axes.split_last()?;
    let mut rest = before.to_vec();
    rest.push(Segment::List(axes.to_vec()));
    Some((Side::Shape(rest), *axis))
}

/// Returns `[d2,…,dn]@s` and `d1`.
fn without_first(side: &Side, reading: Reading) -> Option<(Side, DimId)> {
    let (first, after) = parts(side, reading)?.split_first()?;
    let Segment::List(axes) = first else {
        return None;
    };
    let (axis, axes) = axes.split_first()?;
    let mut rest = vec![Segment::List(axes.to_vec())];
    rest.extend_from_slice(after);
    Some((Side::Shape(rest), *axis))
}

fn taken(
    constraints: &Constraints,
    index: usize,
    left: (Side, DimId),
    right: (Side, DimId),
) -> Outcome {
    let rest = Constraint {
        left: left.0,
        right: right.0,
    };
    let axes = Constraint {
        left: Side::Dim(left.1),
        right: Side::Dim(right.1),
    };
    Outcome::Set(constraints.with(index, [rest, axes]))
}

/// Equates the last axes of two appends.
pub(super) fn last_axes(
    _: &mut Pool,
    reading: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    let (left, right) = (without_last(left, reading)?, without_last(right, reading)?);
    Some(taken(constraints, index, left, right))
}

/// Equates the first axes of two appends.
pub(super) fn first_axes(
    _: &mut Pool,
    reading: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    let (left, right) = (
        without_first(left, reading)?,
        without_first(right, reading)?,
    );
    Some(taken(constraints, index, left, right))
}

fn explicit(append: &[Segment]) -> usize {
    let count = |segment: &Segment| match segment {
        Segment::List(axes) => axes.len(),
        Segment::Name(_) => 0,
    };
    append.iter().map(count).sum()
}

/// Fails on an append on the left with more axes than the list on the right.
pub(super) fn too_many_left(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    (explicit(left.append()?) > right.list()?.len()).then_some(Outcome::Fail)
}

/// Fails on an append on the right with more axes than the list on the left.
pub(super) fn too_many_right(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    (explicit(right.append()?) > left.list()?.len()).then_some(Outcome::Fail)
}
