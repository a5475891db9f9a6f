//! A loop nest without names: which loops there are, and how far one step of each moves the address in each slot.
//!
//! This is the form in which kernels are scheduled. Two loops that no address can tell from one are merged, so that an
//! elementwise operation on four axes is one long loop.

use std::collections::BTreeSet;
use std::sync::Arc;

use lozenge_vocabulary::projections::Index;

use crate::loop_nest::{LoopNest, Slot};
use crate::tensor::strides;

/// One loop, or several merged ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// How many steps it takes, at least 2.
    pub extent: u64,
    /// For each slot, how many elements one step moves its address.
    pub strides: Vec<u64>,
}

impl Loop {
    /// The loop that runs over this one and, at each of its steps, over `inner`; none where some address tells them apart.
    fn merged(&self, inner: &Loop) -> Option<Loop> {
        let mut pairs = self.strides.iter().zip(&inner.strides);
        let nested = pairs.all(|(outer, inner_step)| *outer == inner_step * inner.extent);
        nested.then(|| Loop {
            extent: self.extent * inner.extent,
            strides: inner.strides.clone(),
        })
    }
}

/// The part of an address that no loop moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offset {
    /// In elements.
    pub fixed: u64,
    /// For each symbol that indexes an axis, by its number, the stride of that axis.
    pub symbols: Vec<(usize, u64)>,
}

/// All loops of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loops {
    /// The loops whose points write different cells, the largest stride of the written tensor first.
    pub free: Vec<Loop>,
    /// The loops whose points meet in a cell, in the order in which the values meet.
    pub reduced: Vec<Loop>,
    /// For each slot, where its address starts.
    pub offsets: Vec<Offset>,
    /// The symbols by number.
    pub symbols: Vec<Arc<str>>,
}

impl Loops {
    pub fn new(nest: &LoopNest) -> Loops {
        let indices = nest.slots().iter().flat_map(|slot| &slot.map.0);
        let symbols: BTreeSet<Arc<str>> = indices
            .filter_map(|index| match index {
                Index::Symbol(symbol) => Some(symbol.clone()),
                Index::Iter(_) | Index::Fix(_) => None,
            })
            .collect();
        let symbols: Vec<Arc<str>> = symbols.into_iter().collect();
        let one = |(number, extent): (usize, u64)| Loop {
            extent,
            strides: nest.slots().iter().map(|slot| step(slot, number)).collect(),
        };
        let loops = |reduced: bool| {
            let factors = nest.factors().iter().enumerate();
            let chosen = factors.filter(move |(_, factor)| factor.reduced == reduced);
            chosen.map(|(number, factor)| one((number, factor.size)))
        };
        let mut free: Vec<Loop> = loops(false).collect();
        free.sort_by_key(|one| std::cmp::Reverse(one.strides[0]));
        Loops {
            free: merged(free),
            reduced: merged(loops(true).collect()),
            offsets: nest.slots().iter().map(|s| offset(s, &symbols)).collect(),
            symbols,
        }
    }

    /// How many cells are written. A product of sizes of axes of the written tensor, no axis twice: it cannot overflow.
    pub fn cells(&self) -> u64 {
        self.free.iter().map(|one| one.extent).product()
    }

    /// How many values meet in each cell, at most `u64::MAX`.
    pub fn values_a_cell(&self) -> u64 {
        let extents = self.reduced.iter().map(|one| one.extent);
        extents.fold(1, u64::saturating_mul)
    }
}

/// How far one step of a factor moves the address in a slot: it may index several axes.
fn step(slot: &Slot, factor: usize) -> u64 {
    let axes = slot.map.0.iter().zip(strides(&slot.sizes));
    axes.filter(|(index, _)| **index == Index::Iter(factor))
        .map(|(_, stride)| stride)
        .sum()
}

fn offset(slot: &Slot, symbols: &[Arc<str>]) -> Offset {
    let mut offset = Offset::default();
    for (index, stride) in slot.map.0.iter().zip(strides(&slot.sizes)) {
        match index {
            Index::Iter(_) => {}
            Index::Fix(position) => offset.fixed += position * stride,
            Index::Symbol(symbol) => {
                let number = symbols.binary_search(symbol).unwrap_or_default();
                offset.symbols.push((number, stride));
            }
        }
    }
    offset
}

/// Neighbours that can be one loop are one.
fn merged(loops: Vec<Loop>) -> Vec<Loop> {
    let mut all: Vec<Loop> = Vec::with_capacity(loops.len());
    for one in loops {
        match all.last().and_then(|outer| outer.merged(&one)) {
            Some(both) => *all.last_mut().expect("there is an outer loop") = both,
            None => all.push(one),
        }
    }
    all
}
