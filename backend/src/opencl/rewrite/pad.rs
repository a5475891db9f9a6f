//! Windows that extend beyond their axis: a sum of products over such windows becomes a copy with margins of zeros and
//! a sum without conditions.
//!
//! A condition skips a tile as a whole or not at all, so no loop that it reads can be one of a tile's rows. In a
//! convolution of one image these are all loops but that of the channels. Without the conditions the rows of the image
//! are rows of a tile.
//!
//! A product with a zero of the margin adds nothing, unless its other factor is infinite or NaN: then cells whose
//! windows extend beyond the image become NaN, where the loop nest skips that factor. All cells further inside have the
//! factor in their sums, so the result is not finite either way. But its bits differ, so this is only done with
//! [`Numerics::Fast`](crate::Numerics).

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};
use lozenge_vocabulary::projections::{Affine, Index, IndexMap, Projections};

use super::step::{Operand, Step};
use crate::loop_nest::LoopNest;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::schedule::{Profile, Schedule};
use crate::opencl::plan::steps::scheduled;
use crate::rules::Arithmetic;

/// The number of points below which the second launch costs more than rows save.
const LEAST_POINTS: u64 = 1 << 22;

/// The least number of times that each value of the copy has to be read.
const READS: u64 = 32;

/// The number of rows at which a tile is as fast as it gets.
const ROWS: u64 = 4;

/// Divides the loop nest into a copy, of at most `room` values, and a sum without conditions, if the sum has rows then
/// and had none before.
pub(super) fn padded(nest: &LoopNest, room: u64, kind: (Profile, Arithmetic)) -> Option<Vec<Step>> {
    let margins = Margins::of(nest)?;
    let (values, points) = (margins.values()?, nest.points()?);
    let is_large = points >= LEAST_POINTS && points / READS >= values;
    if !is_large || values > room || has_rows(nest, kind) {
        return None;
    }
    let steps = margins.steps()?;
    has_rows(&steps[1].nest, kind).then_some(steps)
}

/// Tells whether a kernel of the nest computes several rows of cells at once.
fn has_rows(nest: &LoopNest, (profile, arithmetic): (Profile, Arithmetic)) -> bool {
    let (_, schedule) = scheduled(Job::new(nest, arithmetic), profile);
    match schedule {
        Schedule::Tile(tile) => tile.height() >= ROWS,
        Schedule::Packed(_) | Schedule::Grid(_) => true,
        _ => false,
    }
}

/// The only operand of a sum of products that has conditions.
struct Margins<'n> {
    nest: &'n LoopNest,
    slot: usize,
    /// The numbers of zeros before and behind each axis of the operand.
    each: Vec<(u64, u64)>,
}

impl<'n> Margins<'n> {
    fn of(nest: &'n LoopNest) -> Option<Margins<'n>> {
        let slots = nest.slots();
        let adds = matches!(nest.accumulator().combine, Combine::Add | Combine::Subtract);
        // Such a nest erases only its own cells, which a new one would not know.
        let beside_others =
            nest.accumulator().erase && nest.initial().is_none() && !nest.is_surjective();
        let is_product = slots.len() == 3 && *nest.function() == Function::Multiply;
        if !adds || beside_others || !is_product || nest.overlaps() {
            return None;
        }
        let guarded: Vec<usize> = (0..slots.len())
            .filter(|slot| !slots[*slot].guarded.is_empty())
            .collect();
        let [slot] = guarded[..] else {
            return None;
        };
        if slot == 0 {
            return None;
        }
        let axes = slots[slot].map.0.iter().zip(slots[slot].sizes.iter());
        let margin = |(axis, (index, size)): (usize, (&Index, &u64))| match index {
            Index::Affine(affine) if slots[slot].guarded.contains(&axis) => {
                beyond(nest, affine, *size)
            }
            _ => Some((0, 0)),
        };
        Some(Margins {
            nest,
            slot,
            each: axes.enumerate().map(margin).collect::<Option<_>>()?,
        })
    }

    /// Returns the sizes of the copy.
    fn sizes(&self) -> Option<Vec<u64>> {
        let sizes = self.nest.slots()[self.slot].sizes.iter().zip(&self.each);
        let with =
            |(size, (low, high)): (&u64, &(u64, u64))| size.checked_add(*low)?.checked_add(*high);
        sizes.map(with).collect()
    }

    fn values(&self) -> Option<u64> {
        self.sizes()?.into_iter().try_fold(1, u64::checked_mul)
    }

    /// Makes the copy, and the sum that reads it.
    fn steps(&self) -> Option<Vec<Step>> {
        Some(vec![self.copy()?, self.sum()?])
    }

    fn copy(&self) -> Option<Step> {
        let from = &self.nest.slots()[self.slot];
        let mut factors = Vec::new();
        let (mut written, mut read) = (Vec::new(), Vec::new());
        for (size, (low, _)) in from.sizes.iter().zip(&self.each) {
            if *size == 1 {
                written.push(Index::Fix(*low));
                read.push(Index::Fix(0));
                continue;
            }
            let factor = factors.len();
            factors.push(*size);
            written.push(match low {
                0 => Index::Iter(factor),
                _ => Index::Affine(Affine {
                    terms: vec![(1, factor)],
                    offset: i64::try_from(*low).ok()?,
                }),
            });
            read.push(Index::Iter(factor));
        }
        let projections = Projections {
            factors,
            maps: vec![IndexMap(written), IndexMap(read)],
            sizes: vec![self.sizes()?, from.sizes.to_vec()],
        };
        let accumulator = Accumulator {
            erase: true,
            combine: Combine::Replace,
        };
        let names = [self.name(), from.tensor.to_string()];
        let nest = LoopNest::new(&projections, accumulator, Function::Identity, &names).ok()?;
        Some(Step {
            nest,
            operands: vec![Operand::Slot(self.slot)],
        })
    }

    fn sum(&self) -> Option<Step> {
        let slots = self.nest.slots();
        let mut maps: Vec<IndexMap> = slots.iter().map(|slot| (*slot.map).clone()).collect();
        let mut sizes: Vec<Vec<u64>> = slots.iter().map(|slot| slot.sizes.to_vec()).collect();
        sizes[self.slot] = self.sizes()?;
        for (index, (low, _)) in maps[self.slot].0.iter_mut().zip(&self.each) {
            if let Index::Affine(affine) = index {
                affine.offset = affine.offset.checked_add(i64::try_from(*low).ok()?)?;
            }
        }
        let projections = Projections {
            factors: self.nest.factors().iter().map(|one| one.size).collect(),
            maps,
            sizes,
        };
        let names: Vec<String> = (0..slots.len())
            .map(|slot| match slot == self.slot {
                true => self.name(),
                false => slots[slot].tensor.to_string(),
            })
            .collect();
        let accumulator = self.nest.accumulator();
        let nest = LoopNest::new(&projections, accumulator, Function::Multiply, &names).ok()?;
        let operands = (1..slots.len()).map(|slot| match slot == self.slot {
            true => Operand::Step(0),
            false => Operand::Slot(slot),
        });
        Some(Step {
            nest,
            operands: operands.collect(),
        })
    }

    /// Makes the name of the copy.
    fn name(&self) -> String {
        format!("padded'{}", self.nest.slots()[self.slot].tensor)
    }
}

/// Returns the distances by which the values of an index go beyond both ends of an axis.
fn beyond(nest: &LoopNest, affine: &Affine, size: u64) -> Option<(u64, u64)> {
    let mut last = i128::from(affine.offset);
    for (coefficient, factor) in &affine.terms {
        let steps = nest.factors().get(*factor).map_or(0, |one| one.size - 1);
        last = last.checked_add(i128::from(*coefficient).checked_mul(i128::from(steps))?)?;
    }
    let low = (-i128::from(affine.offset)).max(0);
    let high = (last - (i128::from(size) - 1)).max(0);
    Some((u64::try_from(low).ok()?, u64::try_from(high).ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::both;
    use super::*;
    use crate::rules::Numerics;

    /// Makes a convolution of `cells` by `cells` with windows of 3 by 3, one cell beyond each edge, 3 channels to 2:
    /// `z[y, x, d]` is the sum of `i[y + u - 1, x + v - 1, c] * k[u, v, c, d]`.
    fn convolution(cells: u64, stride: u64) -> LoopNest {
        with_channels(cells, stride, [3, 2])
    }

    fn with_channels(cells: u64, stride: u64, [from, to]: [u64; 2]) -> LoopNest {
        let moved = |one: usize, tap: usize| {
            Index::Affine(Affine {
                terms: vec![(stride, one), (1, tap)],
                offset: -1,
            })
        };
        let over = cells.div_ceil(stride);
        let all = |factors: &[usize]| factors.iter().map(|one| Index::Iter(*one)).collect();
        let projections = Projections {
            factors: vec![over, over, to, 3, 3, from],
            maps: vec![
                IndexMap(all(&[0, 1, 2])),
                IndexMap(vec![moved(0, 3), moved(1, 4), Index::Iter(5)]),
                IndexMap(all(&[3, 4, 5, 2])),
            ],
            sizes: vec![
                vec![over, over, to],
                vec![cells, cells, from],
                vec![3, 3, from, to],
            ],
        };
        let accumulator = Accumulator {
            erase: true,
            combine: Combine::Add,
        };
        LoopNest::new(
            &projections,
            accumulator,
            Function::Multiply,
            &["z", "i", "k"],
        )
        .expect("a loop nest")
    }

    #[test]
    fn a_copy_with_margins_gives_the_same_sums() {
        for (cells, stride) in [(5, 1), (6, 2), (7, 2), (2, 1)] {
            let nest = convolution(cells, stride);
            assert!(nest.is_guarded());
            let steps = Margins::of(&nest).and_then(|margins| margins.steps());
            let steps = steps.expect("steps");
            assert!(!steps[1].nest.is_guarded());
            let [found, expected] = both(&nest, &steps);
            assert_eq!(found, expected, "{nest}");
        }
    }

    #[test]
    fn a_large_one_gets_margins_if_there_is_room() {
        let nest = with_channels(56, 1, [64, 64]);
        let room = 58 * 58 * 64;
        for profile in [Profile::Cpu, Profile::Parallel] {
            let kind = (profile, Numerics::Fast.into());
            assert!(padded(&nest, room, kind).is_some());
            assert!(padded(&nest, room - 1, kind).is_none());
        }
    }

    #[test]
    fn small_ones_and_those_without_conditions_are_left_as_they_are() {
        let kind = (Profile::Cpu, Numerics::Fast.into());
        assert!(padded(&convolution(5, 1), 1 << 24, kind).is_none());
        let inner = steps_without_conditions();
        assert!(Margins::of(&inner).is_none());
    }

    fn steps_without_conditions() -> LoopNest {
        let nest = convolution(5, 1);
        let margins = Margins::of(&nest).expect("margins");
        margins.sum().expect("a sum").nest
    }
}
