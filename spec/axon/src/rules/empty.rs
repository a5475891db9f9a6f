//! §5, empty shapes.

use lozenge_axon_vocabulary::{DimId, Pool};

use super::Outcome;
use crate::constraints::{Constraint, Constraints, Segment, Side};
use crate::reading::Reading;

/// Returns `[d1,…,dn] = [d'1,…,d'n], s1 = [], …, sm = []` for the first list of that rank in an append.
fn emptied(
    constraints: &Constraints,
    index: usize,
    known: &[DimId],
    append: &[Segment],
) -> Option<Outcome> {
    let is_it =
        |segment: &Segment| matches!(segment, Segment::List(axes) if axes.len() == known.len());
    let at = append.iter().position(is_it)?;
    let side = |segment: &Segment| Side::Shape(vec![segment.clone()]);
    let lists = Constraint {
        left: Side::Shape(vec![Segment::List(known.to_vec())]),
        right: side(&append[at]),
    };
    let others = append.iter().enumerate().filter(|(other, _)| *other != at);
    let empty = others.map(|(_, segment)| Constraint {
        left: side(segment),
        right: Side::Shape(vec![Segment::List(Vec::new())]),
    });
    Some(Outcome::Set(
        constraints.with(index, std::iter::once(lists).chain(empty)),
    ))
}

/// Reads a list on the left and an append with a list of its rank on the right.
pub(super) fn empty_right(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    emptied(constraints, index, left.list()?, right.append()?)
}

/// Reads an append with a list on the left and a list of its rank on the right. The known list is put on the left, as
/// printed.
pub(super) fn empty_left(
    _: &mut Pool,
    _: Reading,
    constraints: &Constraints,
    index: usize,
) -> Option<Outcome> {
    let Constraint { left, right } = &constraints.0[index];
    emptied(constraints, index, right.list()?, left.append()?)
}
