//! A loop nest together with the buffers and symbols that it is run on, checked before anything runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_vocabulary::projections::{Affine, Index};

use crate::error::Error;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, Store};

/// The values of the symbols that index axes from outside (`Sol(idx)` of Def. 7.1).
pub type Symbols = BTreeMap<Arc<str>, u64>;

/// An index in which a symbol is replaced by its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// The variable of a factor.
    Iter(usize),
    /// A position.
    At(u64),
    /// A sum of variables of factors, which may lie outside of the axis.
    Affine(Affine),
}

/// Computes the index map of each slot with the values of symbols put in, if the call fits the loop nest and the
/// limits.
pub(crate) fn check<S>(
    nest: &LoopNest,
    buffers: &[BufferId],
    symbols: &Symbols,
    store: &Store<S>,
) -> Result<Vec<Vec<Position>>, Error> {
    check_buffers(nest, buffers, store)?;
    all_positions(nest, symbols)
}

/// Checks that the buffers fit the loop nest, and the loop nest the limits.
pub(crate) fn check_buffers<S>(
    nest: &LoopNest,
    buffers: &[BufferId],
    store: &Store<S>,
) -> Result<(), Error> {
    let expected = nest.slots().len();
    if buffers.len() != expected {
        let found = buffers.len();
        return Err(Error::BufferCount { expected, found });
    }
    let limit = store.limits().points;
    if nest.points().is_none_or(|points| points > limit) {
        let points = nest
            .points()
            .map_or_else(|| "more than 2^64".to_string(), |points| points.to_string());
        return Err(Error::TooManyPoints { points, limit });
    }
    for (number, (slot, buffer)) in nest.slots().iter().zip(buffers).enumerate() {
        let unknown = |_| Error::UnknownBuffer { slot: Some(number) };
        let found = &store.get(*buffer).map_err(unknown)?.shape;
        if *found != *slot.sizes {
            return Err(Error::BufferShape {
                slot: number,
                tensor: slot.tensor.to_string(),
                expected: slot.sizes.to_vec(),
                found: found.clone(),
            });
        }
    }
    Ok(())
}

/// Computes the index map of each slot with the values of symbols put in.
pub(crate) fn all_positions(
    nest: &LoopNest,
    symbols: &Symbols,
) -> Result<Vec<Vec<Position>>, Error> {
    let slots = 0..nest.slots().len();
    slots.map(|slot| positions(nest, slot, symbols)).collect()
}

pub(crate) fn positions(
    nest: &LoopNest,
    number: usize,
    symbols: &Symbols,
) -> Result<Vec<Position>, Error> {
    let slot = &nest.slots()[number];
    let indices = slot.map.0.iter().zip(&*slot.sizes).enumerate();
    indices
        .map(|(axis, (index, size))| match index {
            Index::Iter(factor) => Ok(Position::Iter(*factor)),
            Index::Fix(position) => Ok(Position::At(*position)),
            Index::Affine(affine) => Ok(Position::Affine(affine.clone())),
            Index::Symbol(symbol) => match symbols.get(symbol) {
                Some(position) if position < size => Ok(Position::At(*position)),
                Some(position) => Err(Error::Index {
                    slot: number,
                    tensor: slot.tensor.to_string(),
                    axis,
                    size: *size,
                    problem: format!("the symbol {symbol} has the value {position}"),
                }),
                None => Err(Error::MissingSymbol {
                    slot: number,
                    tensor: slot.tensor.to_string(),
                    axis,
                    symbol: symbol.clone(),
                }),
            },
        })
        .collect()
}

/// Tells whether an operand slot of a kernel may read the written buffer directly: nothing is initialised before, and
/// each point reads only the cell that it alone writes. Otherwise a tensor that is both written and read is copied
/// first, since every read has to see the values from before the operation.
#[cfg(feature = "opencl")]
pub(crate) fn reads_in_place(nest: &LoopNest, slot: usize) -> bool {
    let same_map = nest.slots()[slot].map == nest.slots()[0].map;
    same_map && nest.is_injective() && nest.initial().is_none()
}
