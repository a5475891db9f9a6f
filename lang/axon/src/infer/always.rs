//! Equations that are left and have a solution whatever the type is: they are no condition.
//!
//! A side such as `[i,j]@k`, none of whose names stands anywhere else, is equal to every shape with two axes or more.

use lozenge_axon_vocabulary::{DimNode, Equation, Piece, Pool, Variable, Word};
use rustc_hash::FxHashMap;

use super::Stated;
use super::types::{Level, TypeId, Types};

/// Leaves out equations that have a solution for all values of the names of a type. What was made at a level above
/// `above` may be chosen.
pub(super) fn without(
    types: &Types,
    found: TypeId,
    left: Vec<Stated>,
    above: Level,
) -> Vec<Stated> {
    let mut left = left;
    loop {
        let counts = counts(types, found, &left);
        let is_free = |side: &Word, other: &Word| is_free(types, &counts, side, other, above);
        let place = left.iter().position(|stated| match &stated.equation {
            Equation::Shapes(one, other) => is_free(one, other) || is_free(other, one),
            Equation::Dims(..) => false,
        });
        let Some(place) = place else { return left };
        let stated = left.remove(place);
        // The axes of the other side are sizes still.
        for dim in stated.equation.dims() {
            if !matches!(types.pool.node(dim), DimNode::Var(_)) {
                left.push(Stated {
                    equation: Equation::Dims(dim, dim),
                    origin: stated.origin.clone(),
                });
            }
        }
    }
}

/// Counts how often each name stands in a type and in equations.
fn counts(types: &Types, found: TypeId, left: &[Stated]) -> FxHashMap<Variable, usize> {
    let mut counts = FxHashMap::default();
    let mut count = |word: &Word| {
        for piece in &word.0 {
            for name in names(&types.pool, piece) {
                *counts.entry(name).or_default() += 1;
            }
        }
    };
    types.words(found).iter().for_each(&mut count);
    for stated in left {
        match &stated.equation {
            Equation::Shapes(one, other) => [one, other].into_iter().for_each(&mut count),
            Equation::Dims(one, other) => count(&Word::list([*one, *other])),
        }
    }
    counts
}

fn names(pool: &Pool, piece: &Piece) -> Vec<Variable> {
    match piece {
        Piece::Shape(shape) => vec![Variable::Shape(*shape)],
        Piece::Axis(dim) => pool
            .variables(*dim)
            .into_iter()
            .map(Variable::Dim)
            .collect(),
    }
}

/// Tells whether a side is equal to every shape with as many axes as the other side has at least: it is made of names
/// that stand nowhere else, one of which is a shape.
fn is_free(
    types: &Types,
    counts: &FxHashMap<Variable, usize>,
    side: &Word,
    other: &Word,
    above: Level,
) -> bool {
    let is_alone = |piece: &Piece| match piece {
        Piece::Shape(shape) => {
            types.shape_level(*shape) > above && counts.get(&Variable::Shape(*shape)) == Some(&1)
        }
        Piece::Axis(dim) => match types.pool.node(*dim) {
            DimNode::Var(name) => {
                types.dim_level(name) > above && counts.get(&Variable::Dim(name)) == Some(&1)
            }
            _ => false,
        },
    };
    side.shapes().count() > 0
        && side.0.iter().all(is_alone)
        && side.dims().count() <= other.dims().count()
}
