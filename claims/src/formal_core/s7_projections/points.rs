//! The points of a product space, and the cell that an index map gives to each.

use lozenge_vocabulary::projections::{Index, IndexMap};

/// Returns every point of a product space with these factors.
pub fn points(factors: &[u64]) -> Vec<Vec<u64>> {
    factors.iter().fold(vec![Vec::new()], |points, n| {
        points
            .iter()
            .flat_map(|p| (0..*n).map(move |i| [p.as_slice(), &[i]].concat()))
            .collect()
    })
}

/// Returns the cell that an index map gives to a point.
pub fn address(map: &IndexMap, point: &[u64]) -> Vec<u64> {
    map.0
        .iter()
        .map(|index| match index {
            Index::Iter(factor) => point[*factor],
            Index::Fix(at) => *at,
            Index::Symbol(_) => 0,
            Index::Affine(affine) => u64::try_from(affine.at(point)).unwrap_or(u64::MAX),
        })
        .collect()
}
