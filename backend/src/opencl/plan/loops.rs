//! A loop nest without names: its loops, and for each the stride of the address in each slot.
//!
//! Kernels are scheduled in this form. Two loops are merged if all addresses are the same as with one loop, so that an
//! elementwise operation on four axes becomes one long loop.
//!
//! Where points that differ in a free factor may write the same cell, the kernel iterates over cells instead: each axis
//! of the written tensor with an affine index becomes a loop over its positions, and the factors of the index become
//! reduced loops that are *tied* to it. The values of a cell are then combined in the order of the nest, as everywhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use lozenge_vocabulary::projections::Index;

use super::conditions::{Guard, Sum, Tie, Variable};
use crate::loop_nest::{LoopNest, Slot};
use crate::shape::strides;

/// One loop, or several merged ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// The number of steps, at least 2.
    pub extent: u64,
    /// The number of elements by which one step moves the address, for each slot.
    pub strides: Vec<u64>,
    /// True if a guard or a tie reads its variable.
    pub tied: bool,
}

impl Loop {
    /// Merges this loop with `inner`, which runs inside it; `None` if the strides of some slot do not allow it.
    fn merged(&self, inner: &Loop) -> Option<Loop> {
        let mut pairs = self.strides.iter().zip(&inner.strides);
        let nested = pairs.all(|(outer, inner_step)| *outer == inner_step * inner.extent);
        (nested && !self.tied && !inner.tied).then(|| Loop {
            extent: self.extent * inner.extent,
            strides: inner.strides.clone(),
            tied: false,
        })
    }
}

/// The part of an address that no loop moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offset {
    /// The constant part, in elements. It is negative where a window begins before its axis, but points with a negative
    /// address are skipped.
    pub fixed: i64,
    /// The stride of each axis that a symbol indexes, beside the number of the symbol.
    pub symbols: Vec<(usize, u64)>,
}

/// All loops of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loops {
    /// The loops whose points write different cells, the largest stride of the written tensor first.
    pub free: Vec<Loop>,
    /// The loops whose points write the same cell, in the order in which the values are combined.
    pub reduced: Vec<Loop>,
    /// The offset at which the address of each slot starts.
    pub offsets: Vec<Offset>,
    /// The symbols by number.
    pub symbols: Vec<Arc<str>>,
    /// The conditions that tie reduced loops to the cell.
    pub ties: Vec<Tie>,
    /// The conditions under which a point is not skipped.
    pub guards: Vec<Guard>,
}

/// The origin of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A factor of the product space.
    Factor(usize),
    /// The positions of an axis of the written tensor.
    Axis(usize),
}

/// A loop that may still be merged, with its origin.
type Raw = (Origin, Loop);

impl Loops {
    pub fn new(nest: &LoopNest) -> Loops {
        let indices = nest.slots().iter().flat_map(|slot| &slot.map.0);
        let symbols: BTreeSet<Arc<str>> = indices
            .filter_map(|index| match index {
                Index::Symbol(symbol) => Some(symbol.clone()),
                Index::Iter(_) | Index::Fix(_) | Index::Affine(_) => None,
            })
            .collect();
        let symbols: Vec<Arc<str>> = symbols.into_iter().collect();
        let roles = Roles::new(nest);
        let factors = 0..nest.factors().len();
        let one = |factor: usize| (Origin::Factor(factor), roles.factor(nest, factor));
        let axes = roles.gathered.iter();
        let mut free: Vec<Raw> = factors
            .clone()
            .filter(|factor| roles.free[*factor])
            .map(one)
            .chain(axes.map(|axis| (Origin::Axis(*axis), roles.axis(nest, *axis))))
            .collect();
        free.sort_by_key(|(_, one)| std::cmp::Reverse(one.strides[0]));
        let reduced = factors.filter(|factor| !roles.free[*factor]).map(one);
        let (free, free_places) = merged(free);
        let (reduced, reduced_places) = merged(reduced.collect());
        let place = |origin: Origin| {
            let at = |places: &[(Origin, usize)]| {
                let mut places = places.iter();
                places
                    .find(|(other, _)| *other == origin)
                    .map(|(_, at)| *at)
            };
            match (at(&free_places), at(&reduced_places)) {
                (Some(at), _) => Variable::Free(at),
                (None, at) => Variable::Reduced(at.unwrap_or_default()),
            }
        };
        let sum = |index: &Index| Sum {
            terms: index
                .terms()
                .into_iter()
                .map(|(coefficient, factor)| (coefficient, place(Origin::Factor(factor))))
                .collect(),
            offset: offset_of(index),
        };
        let tie = |axis: &usize| Tie {
            sum: sum(&nest.slots()[0].map.0[*axis]),
            cell: place(Origin::Axis(*axis)),
        };
        Loops {
            free,
            reduced,
            offsets: nest
                .slots()
                .iter()
                .enumerate()
                .map(|(number, slot)| offset(slot, &symbols, roles.gathered_of(number)))
                .collect(),
            symbols,
            ties: roles.gathered.iter().map(tie).collect(),
            guards: guards(nest, &roles, sum),
        }
    }

    /// Merges neighbouring loops where that has become possible. The loops must be plain.
    pub fn merged_again(mut self) -> Loops {
        let again = |loops: &mut Vec<Loop>| {
            let raw = std::mem::take(loops).into_iter();
            *loops = merged(raw.map(|one| (Origin::Factor(0), one)).collect()).0;
        };
        again(&mut self.free);
        again(&mut self.reduced);
        self
    }

    /// Returns the number of cells that are written. It is a product of sizes of axes of the written tensor, no axis
    /// twice, so it cannot overflow.
    pub fn cells(&self) -> u64 {
        self.free.iter().map(|one| one.extent).product()
    }

    /// Returns the number of values that are combined in each cell, at most `u64::MAX`.
    pub fn values_a_cell(&self) -> u64 {
        let extents = self.reduced.iter().map(|one| one.extent);
        extents.fold(1, u64::saturating_mul)
    }

    /// Returns the largest magnitude of a sum in any condition.
    pub fn largest_sum(&self) -> u64 {
        let loops = self;
        let sums = loops.guards.iter().map(|guard| (&guard.sum, guard.size));
        let tied = loops.ties.iter().map(|tie| {
            let size = match tie.cell {
                Variable::Free(number) => loops.free[number].extent,
                Variable::Reduced(number) => loops.reduced[number].extent,
            };
            (&tie.sum, size)
        });
        let reach = |(sum, size): (&Sum, u64)| {
            let extent = |variable: &Variable| match variable {
                Variable::Free(number) => loops.free[*number].extent,
                Variable::Reduced(number) => loops.reduced[*number].extent,
            };
            let terms = sum.terms.iter();
            let reach = terms.map(|(c, variable)| c.saturating_mul(extent(variable)));
            reach
                .fold(sum.offset.unsigned_abs(), u64::saturating_add)
                .saturating_add(size)
        };
        sums.chain(tied).map(reach).max().unwrap_or(0)
    }

    /// Tells whether no point is skipped and no loop is tied to a cell.
    pub fn is_plain(&self) -> bool {
        self.ties.is_empty() && self.guards.is_empty()
    }
}

/// The role of each factor and of each axis of the written tensor in a kernel.
struct Roles {
    /// A flag for each factor: true if points that differ in the factor, and in no reduced one, write different cells.
    free: Vec<bool>,
    /// The axes of the written tensor over whose positions the kernel iterates.
    gathered: Vec<usize>,
    /// A flag for each factor: true if a guard or a tie reads the factor.
    tied: Vec<bool>,
}

impl Roles {
    fn new(nest: &LoopNest) -> Roles {
        let map = &nest.slots()[0].map;
        let mut free: Vec<bool> = nest.factors().iter().map(|one| !one.reduced).collect();
        let mut gathered = Vec::new();
        if nest.overlaps() {
            // The value of a factor that is the only one in an axis follows from the cell.
            free.fill(false);
            for index in &map.0 {
                if let [(_, factor)] = index.terms()[..] {
                    free[factor] = true;
                }
            }
            gathered = (0..map.0.len())
                .filter(|axis| {
                    let terms = map.0[*axis].terms();
                    terms.iter().any(|(_, factor)| !free[*factor])
                })
                .collect();
        }
        let mut tied = vec![false; free.len()];
        let mut read = |index: &Index| {
            index
                .terms()
                .iter()
                .for_each(|(_, factor)| tied[*factor] = true);
        };
        gathered.iter().for_each(|axis| read(&map.0[*axis]));
        for slot in nest.slots() {
            slot.guarded
                .iter()
                .for_each(|axis| read(&slot.map.0[*axis]));
        }
        Roles {
            free,
            gathered,
            tied,
        }
    }

    /// Returns the axes of a slot over whose positions the kernel iterates.
    fn gathered_of(&self, slot: usize) -> &[usize] {
        if slot == 0 { &self.gathered } else { &[] }
    }

    fn factor(&self, nest: &LoopNest, factor: usize) -> Loop {
        let slots = nest.slots().iter().enumerate();
        Loop {
            extent: nest.factors()[factor].size,
            strides: slots
                .map(|(number, slot)| step(slot, factor, self.gathered_of(number)))
                .collect(),
            tied: self.tied[factor],
        }
    }

    fn axis(&self, nest: &LoopNest, axis: usize) -> Loop {
        let written = &nest.slots()[0].sizes;
        let mut across = vec![0; nest.slots().len()];
        across[0] = strides(written)[axis];
        Loop {
            extent: written[axis],
            strides: across,
            tied: true,
        }
    }
}

/// Returns the distance by which one step of a factor moves the address in a slot, summed over all axes that it indexes
/// except those in `without`.
fn step(slot: &Slot, factor: usize, without: &[usize]) -> u64 {
    let axes = slot.map.0.iter().zip(strides(&slot.sizes)).enumerate();
    axes.filter(|(axis, _)| !without.contains(axis))
        .flat_map(|(_, (index, stride))| {
            let terms = index.terms().into_iter();
            let own = terms.filter(|(_, other)| *other == factor);
            own.map(move |(coefficient, _)| coefficient.wrapping_mul(stride))
        })
        .fold(0, u64::wrapping_add)
}

fn offset_of(index: &Index) -> i64 {
    match index {
        Index::Affine(affine) => affine.offset,
        Index::Iter(_) | Index::Fix(_) | Index::Symbol(_) => 0,
    }
}

fn offset(slot: &Slot, symbols: &[Arc<str>], without: &[usize]) -> Offset {
    let mut offset = Offset::default();
    let axes = slot.map.0.iter().zip(strides(&slot.sizes)).enumerate();
    for (_, (index, stride)) in axes.filter(|(axis, _)| !without.contains(axis)) {
        let stride_signed = stride as i64;
        match index {
            Index::Iter(_) => {}
            Index::Fix(position) => offset.fixed += *position as i64 * stride_signed,
            Index::Affine(affine) => {
                let moved = affine.offset.wrapping_mul(stride_signed);
                offset.fixed = offset.fixed.wrapping_add(moved);
            }
            Index::Symbol(symbol) => {
                let number = symbols.binary_search(symbol).unwrap_or_default();
                offset.symbols.push((number, stride));
            }
        }
    }
    offset
}

/// Lists the conditions on guarded axes. Those on a gathered axis always hold.
fn guards(nest: &LoopNest, roles: &Roles, sum: impl Fn(&Index) -> Sum) -> Vec<Guard> {
    let mut guards: Vec<Guard> = Vec::new();
    for (number, slot) in nest.slots().iter().enumerate() {
        for axis in &*slot.guarded {
            let guard = Guard {
                sum: sum(&slot.map.0[*axis]),
                size: slot.sizes[*axis],
                written: number == 0,
            };
            if !roles.gathered_of(number).contains(axis) && !guards.contains(&guard) {
                guards.push(guard);
            }
        }
    }
    guards
}

/// Merges neighbouring loops where possible. Returns the new place of each original loop beside them.
fn merged(loops: Vec<Raw>) -> (Vec<Loop>, Vec<(Origin, usize)>) {
    let mut all: Vec<Loop> = Vec::with_capacity(loops.len());
    let mut places = Vec::with_capacity(loops.len());
    for (origin, one) in loops {
        match all.last().and_then(|outer| outer.merged(&one)) {
            Some(both) => *all.last_mut().expect("there is an outer loop") = both,
            None => all.push(one),
        }
        places.push((origin, all.len() - 1));
    }
    (all, places)
}
