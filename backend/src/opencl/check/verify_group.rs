//! Verification of groups of calls before they are launched: their order does not change results, and calls that run in
//! parallel do not access the same cells.

use std::collections::{BTreeMap, BTreeSet};

use super::defect::{Check, Defect};
use crate::memory::BufferId;
use crate::opencl::plan::loops::Loops;

/// The accesses of a call.
pub(crate) struct Accesses<'a> {
    /// Its loops.
    pub loops: &'a Loops,
    /// The buffers of its slots, of which the first is written.
    pub buffers: &'a [BufferId],
    /// The number of elements of each buffer.
    pub elements: &'a [u64],
}

/// Checks that calls in another order give the same results: if two calls touch a buffer and one of them writes it,
/// they keep their order. Each call occurs once.
pub(crate) fn order(calls: &[Accesses<'_>], order: &[usize]) -> Result<(), Defect> {
    let stages = |detail: String| {
        Err(Defect {
            check: Check::Stages,
            detail,
        })
    };
    let distinct: BTreeSet<usize> = order.iter().copied().collect();
    if order.len() != calls.len() || distinct.len() != calls.len() {
        return stages(format!("{} calls of {} run", distinct.len(), calls.len()));
    }
    // For each buffer the calls that touch it, in the order of the program, and whether they write it.
    let mut touches: BTreeMap<BufferId, Vec<(usize, bool)>> = BTreeMap::new();
    for (at, call) in calls.iter().enumerate() {
        let own: BTreeSet<BufferId> = call.buffers.iter().copied().collect();
        for buffer in own {
            touches
                .entry(buffer)
                .or_default()
                .push((at, buffer == call.buffers[0]));
        }
    }
    let mut place = vec![0; calls.len()];
    for (position, at) in order.iter().enumerate() {
        place[*at] = position;
    }
    for touches in touches.values() {
        // The calls that must come before the next write: the last write, and everything since.
        let (mut write, mut since): (Option<usize>, usize) = (None, 0);
        for (at, writes) in touches {
            let place = place[*at];
            let before = if *writes {
                since.max(write.unwrap_or(0))
            } else {
                write.unwrap_or(0)
            };
            let first = write.is_none() && since == 0;
            if !first && place < before {
                return stages(format!("call {at} runs before one that it depends on"));
            }
            since = since.max(place);
            if *writes {
                write = Some(place);
            }
        }
    }
    Ok(())
}

/// Checks that range r of each call of a group touches only range r of every buffer that the group writes.
pub(crate) fn ranges(group: &[&Accesses<'_>], ranges: u64) -> Result<(), Defect> {
    let written: BTreeSet<BufferId> = group.iter().map(|call| call.buffers[0]).collect();
    for call in group {
        let loops = call.loops;
        for (slot, buffer) in call.buffers.iter().enumerate() {
            if !written.contains(buffer) {
                continue;
            }
            let elements = i128::from(call.elements[slot]);
            let extent = loops.free.first().map_or(0, |one| one.extent);
            let even = extent > 0 && extent % ranges == 0 && call.elements[slot] % ranges == 0;
            let others = loops.free.iter().skip(1).chain(&loops.reduced);
            let inner: i128 = others
                .map(|one| i128::from(one.extent - 1) * i128::from(one.strides[slot]))
                .sum();
            let stride = loops
                .free
                .first()
                .map_or(0, |one| i128::from(one.strides[slot]));
            let within = |range: u64| {
                let size = elements / i128::from(ranges);
                let steps = extent / ranges;
                let from = i128::from(loops.offsets[slot].fixed)
                    + i128::from(range) * i128::from(steps) * stride;
                let to = from + i128::from(steps.saturating_sub(1)) * stride + inner;
                let begin = i128::from(range) * size;
                begin <= from && to < begin + size
            };
            let symbols = !loops.offsets[slot].symbols.is_empty();
            // Addresses are linear in the number of the range, so checking the first and the last range suffices.
            if !even || symbols || !within(0) || !within(ranges - 1) {
                return Err(Defect {
                    check: Check::Stages,
                    detail: format!("slot {slot} of a call reaches beyond its range"),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::plan::loops::{Loop, Offset};

    fn loops(free: &[(u64, &[u64])], reduced: &[(u64, &[u64])]) -> Loops {
        let all = |loops: &[(u64, &[u64])]| {
            loops
                .iter()
                .map(|(extent, strides)| Loop {
                    extent: *extent,
                    strides: strides.to_vec(),
                    tied: false,
                })
                .collect::<Vec<Loop>>()
        };
        let slots = free
            .iter()
            .chain(reduced)
            .map(|(_, strides)| strides.len())
            .max()
            .unwrap();
        Loops {
            free: all(free),
            reduced: all(reduced),
            offsets: vec![Offset::default(); slots],
            symbols: Vec::new(),
            ties: Vec::new(),
            guards: Vec::new(),
        }
    }

    fn buffers(count: usize) -> Vec<BufferId> {
        let mut store =
            crate::memory::Store::new(crate::memory::Limits::default(), Default::default());
        (0..count)
            .map(|_| store.insert(&[1], || Ok(())).unwrap())
            .collect()
    }

    #[test]
    fn an_order_that_moves_a_call_over_one_that_it_depends_on_is_refused() {
        let ids = buffers(4);
        let one = loops(&[(4, &[1, 1])], &[]);
        let slots = [[1, 0], [2, 1], [3, 0], [0, 3]].map(|slots| slots.map(|slot| ids[slot]));
        let calls: Vec<Accesses> = slots
            .iter()
            .map(|buffers| Accesses {
                loops: &one,
                buffers,
                elements: &[4, 4],
            })
            .collect();
        for good in [
            [0, 1, 2, 3],
            [2, 0, 1, 3],
            [0, 2, 1, 3],
            [0, 2, 3, 1],
            [2, 0, 3, 1],
        ] {
            assert_eq!(order(&calls, &good), Ok(()), "{good:?}");
        }
        // The second reads what the first writes; the last writes what the first and the third read.
        for bad in [[1, 0, 2, 3], [3, 0, 1, 2], [0, 1, 3, 2], [0, 0, 1, 2]] {
            let found = order(&calls, &bad).map_err(|defect| defect.check);
            assert_eq!(found, Err(Check::Stages), "{bad:?}");
        }
        assert!(order(&calls, &[0, 1, 2]).is_err());
    }

    #[test]
    fn a_range_that_reads_another_one_is_refused() {
        let ids = buffers(3);
        // A sum over the columns of 8 rows, and a square minus it.
        let sum = loops(&[(8, &[1, 4])], &[(4, &[0, 1])]);
        let minus = loops(&[(8, &[4, 4, 1]), (4, &[1, 1, 0])], &[]);
        let calls = |minus: &Loops, ranges_of: u64| {
            let first = Accesses {
                loops: &sum,
                buffers: &[ids[1], ids[0]],
                elements: &[8, 32],
            };
            let second = Accesses {
                loops: minus,
                buffers: &[ids[2], ids[0], ids[1]],
                elements: &[32, 32, 8],
            };
            ranges(&[&first, &second], ranges_of)
        };
        for good in [1, 2, 4, 8] {
            assert_eq!(calls(&minus, good), Ok(()));
        }
        assert!(calls(&minus, 3).is_err(), "8 rows are not 3 ranges");
        // The sum of another row, the column in place of the row, one element further.
        let mut other = minus.clone();
        other.offsets[2].fixed = 1;
        assert!(calls(&other, 8).is_err());
        other.offsets[2].fixed = -1;
        assert!(calls(&other, 8).is_err());
        let mut other = minus.clone();
        other.free[0].strides[2] = 0;
        other.free[1].strides[2] = 1;
        assert!(calls(&other, 8).is_err());
        let mut other = minus;
        other.free[1].extent = 5;
        assert!(calls(&other, 8).is_err());
    }
}
