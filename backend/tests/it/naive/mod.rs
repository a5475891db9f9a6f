//! The meaning of an assignment, without any of the decisions of Prop. 7.6: an erasing operator first sets every cell
//! to the neutral element, and then every point accumulates.

use std::collections::HashMap;

use lozenge_backend::arithmetic::{apply, combine, neutral};
use lozenge_backend::{Symbols, Tensor};
use lozenge_vocabulary::operation::{Accumulator, Function};
use lozenge_vocabulary::projections::{Index, Projections};

/// Lists all points of a product space in lexicographic order.
pub fn points(factors: &[u64]) -> Vec<Vec<u64>> {
    factors.iter().fold(vec![vec![]], |points, size| {
        let extended = |point: Vec<u64>| {
            (0..*size).map(move |at| point.iter().copied().chain([at]).collect::<Vec<u64>>())
        };
        points.into_iter().flat_map(extended).collect()
    })
}

/// Returns the place to which an index map sends a point that is not skipped.
pub fn cell(projections: &Projections, slot: usize, point: &[u64], symbols: &Symbols) -> Vec<u64> {
    place(projections, slot, point, symbols).expect("the point exists")
}

/// Returns the place to which an index map sends a point; `None` if an index is out of range.
pub fn place(
    projections: &Projections,
    slot: usize,
    point: &[u64],
    symbols: &Symbols,
) -> Option<Vec<u64>> {
    let position = |(index, size): (&Index, &u64)| match index {
        Index::Iter(factor) => Some(point[*factor]),
        Index::Fix(position) => Some(*position),
        Index::Symbol(symbol) => Some(symbols[symbol]),
        Index::Affine(affine) => {
            let terms = affine.terms.iter();
            let sum: i64 = terms.map(|(c, factor)| (c * point[*factor]) as i64).sum();
            let position = sum + affine.offset;
            (0..*size as i64)
                .contains(&position)
                .then_some(position as u64)
        }
    };
    let axes = projections.maps[slot]
        .0
        .iter()
        .zip(&projections.sizes[slot]);
    axes.map(position).collect()
}

/// Lists all multi-indices of a shape, in the order in which their cells are stored.
pub fn cells(shape: &[u64]) -> Vec<Vec<u64>> {
    points(shape)
}

/// The place of each value of a tensor: its multi-indices, counted in order.
pub struct Addresses(HashMap<Vec<u64>, usize>);

impl Addresses {
    pub fn of(tensor: &Tensor) -> Addresses {
        Addresses(cells(tensor.shape()).into_iter().zip(0..).collect())
    }

    pub fn at(&self, cell: &[u64]) -> usize {
        self.0[cell]
    }
}

/// Computes the values of the first tensor, which is written, after the assignment.
pub fn assign(
    projections: &Projections,
    accumulator: Accumulator,
    function: &Function,
    tensors: &[&Tensor],
    symbols: &Symbols,
) -> Tensor {
    let mut written = tensors[0].clone();
    if accumulator.erase {
        written.values_mut().fill(neutral(accumulator.combine));
    }
    let addresses: Vec<_> = tensors.iter().map(|one| Addresses::of(one)).collect();
    for point in points(&projections.factors) {
        let places = (0..tensors.len()).map(|slot| place(projections, slot, &point, symbols));
        let Some(places) = places.collect::<Option<Vec<_>>>() else {
            continue;
        };
        let mut read = [0.0; 2];
        for slot in 1..tensors.len() {
            read[slot - 1] = tensors[slot].values()[addresses[slot].at(&places[slot])];
        }
        let held = &mut written.values_mut()[addresses[0].at(&places[0])];
        *held = combine(accumulator.combine, *held, apply(function, &read));
    }
    written
}
