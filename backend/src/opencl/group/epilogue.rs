//! A contraction and the elementwise operation that reads its result, as one job with an [`Epilogue`].

use super::inline::split;
use crate::loop_nest::Write;
use crate::opencl::plan::epilogue::Epilogue;
use crate::opencl::plan::job::{Argument, Job, WithEpilogue};
use crate::opencl::plan::loops::{Loop, Loops, Offset};

/// Makes the job of a contraction and of an operation that reads its result in some of its slots. `None` if the
/// operation is not elementwise, does not read exactly what the contraction writes, or computes in another precision,
/// or if the loops do not fit.
pub(crate) fn with_epilogue(
    contraction: &Job,
    operation: &Job,
    reads: &[usize],
) -> Option<WithEpilogue> {
    if !(has_total(contraction) && is_elementwise(operation) && are_alike(contraction, operation)) {
        return None;
    }
    let (first, more) = reads.split_first()?;
    let loops = &operation.loops;
    let equal = |slot: &usize| {
        let strides = |one: &Loop| one.strides[*slot] == one.strides[*first];
        loops.free.iter().all(strides) && loops.offsets[*slot] == loops.offsets[*first]
    };
    let once = loops.free.iter().all(|one| one.strides[*first] > 0)
        && loops.cells() == contraction.loops.cells()
        && loops.offsets[*first] == contraction.loops.offsets[0];
    if !once || !more.iter().all(equal) {
        return None;
    }
    let own: Vec<usize> = (1..loops.offsets.len())
        .filter(|slot| !reads.contains(slot))
        .collect();
    let loops = joined(&contraction.loops, loops, *first, &own)?;
    let (cells, loops) = loops;
    let before = contraction.loops.offsets.len();
    let operands = (1..operation.loops.offsets.len()).map(|slot| {
        let place = own.iter().position(|one| *one == slot);
        place.map(|place| before + place)
    });
    Some(WithEpilogue {
        job: Job {
            buffers: (0..loops.offsets.len()).map(Argument::Slot).collect(),
            loops,
            largest: contraction.largest.max(operation.largest),
            epilogue: Some(Epilogue {
                function: operation.function.clone(),
                operands: operands.collect(),
                accumulator: operation.accumulator,
                write: operation.write,
            }),
            ..contraction.clone()
        },
        cells,
    })
}

/// Tells whether each cell of a job is the total of its values and of nothing else.
fn has_total(job: &Job) -> bool {
    job.loops.is_plain()
        && !job.loops.reduced.is_empty()
        && job.loops.offsets[0].symbols.is_empty()
        && job.write == Write::ReadModifyWrite
        && job.accumulator.erase
        && job.epilogue.is_none()
}

/// Tells whether a job stores, or combines with what is there, one value for each cell.
pub(super) fn is_elementwise(job: &Job) -> bool {
    let loops = &job.loops;
    let writes_once = job.is_straight() || !job.accumulator.erase;
    loops.is_plain() && loops.reduced.is_empty() && loops.symbols.is_empty() && writes_once
}

/// Tells whether two jobs compute in the same precision, which is that of tensors, and by the same rules.
fn are_alike(one: &Job, other: &Job) -> bool {
    let precisions = [one.stored, other.precision, other.stored];
    precisions
        .iter()
        .all(|precision| *precision == one.precision)
        && one.numerics == other.numerics
}

/// Splits the loops of the contraction so that their parts correspond to loops of the operation, with the written cell
/// and the operands `own` of the operation. Beside them the distances by which each free loop moves the cell of the
/// contraction.
fn joined(
    contraction: &Loops,
    operation: &Loops,
    read: usize,
    own: &[usize],
) -> Option<(Vec<u64>, Loops)> {
    // The distances by which a loop of the operation moves addresses: first the cell that it reads, then those of the
    // loops, and the cell that it reads once more as the last.
    let digits = operation.free.iter().map(|one| {
        let own = own.iter().map(|slot| one.strides[*slot]);
        let (cell, written) = (one.strides[read], one.strides[0]);
        Loop {
            extent: one.extent,
            strides: [cell, written]
                .into_iter()
                .chain(own)
                .chain([cell])
                .collect(),
            tied: false,
        }
    });
    let digits: Vec<Loop> = digits.collect();
    let operands = contraction.offsets.len() - 1;
    let mut free = Vec::new();
    for one in &contraction.free {
        free.extend(split(one, 0, &digits, own.len() + 2)?);
    }
    for one in &mut free {
        one.strides[..=operands].rotate_right(1);
    }
    free.sort_by_key(|one: &Loop| std::cmp::Reverse(one.strides[0]));
    let cells = free
        .iter_mut()
        .map(|one| one.strides.pop().unwrap_or(0))
        .collect();
    let reduced = contraction.reduced.iter().map(|one| {
        let mut one = one.clone();
        one.strides.extend(own.iter().map(|_| 0));
        one
    });
    let written = &operation.offsets[0];
    let own = own.iter().map(|slot| &operation.offsets[*slot]);
    let offsets: Vec<Offset> = [written]
        .into_iter()
        .chain(&contraction.offsets[1..])
        .chain(own)
        .cloned()
        .collect();
    let loops = Loops {
        free,
        reduced: reduced.collect(),
        offsets,
        ..contraction.clone()
    };
    Some((cells, loops))
}
