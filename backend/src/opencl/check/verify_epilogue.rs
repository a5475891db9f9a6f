//! Verification that a contraction with an epilogue is the contraction and the elementwise operation behind it: each
//! total goes to the cells that the operation computes from it, beside the same operands.

use super::defect::{Check, Defect, defect};
use super::verify::Moments;
use crate::opencl::plan::job::{Job, WithEpilogue};
use crate::opencl::plan::loops::{Loop, Loops};

/// Checks that a job is a contraction and an operation that reads its result in some of its slots, by the points of
/// both, as [`super::verify`] compares points.
pub(crate) fn verify_epilogue(
    contraction: &Job,
    operation: &Job,
    reads: &[usize],
    fused: &WithEpilogue,
) -> Result<(), Defect> {
    let Some(epilogue) = &fused.job.epilogue else {
        return defect(Check::Values, "an operation that is left out");
    };
    let job = &fused.job;
    let same = (&job.function, job.accumulator, job.write)
        == (
            &contraction.function,
            contraction.accumulator,
            contraction.write,
        )
        && (&epilogue.function, epilogue.accumulator, epilogue.write)
            == (&operation.function, operation.accumulator, operation.write);
    if !same {
        return defect(
            Check::Values,
            "another function, or values that are combined in another way",
        );
    }
    let before = contraction.loops.offsets.len();
    let whole = with_total(job, &fused.cells, contraction);
    let total = job.loops.offsets.len();
    // The total with the operands of the contraction, at every point.
    let wanted: Vec<usize> = (0..before).collect();
    let found: Vec<usize> = [total].into_iter().chain(1..before).collect();
    let values = of_slots(&contraction.loops, &wanted) == of_slots(&whole, &found);
    // The written cell with the operands of the operation, at every cell.
    let slots: Vec<usize> = (0..operation.loops.offsets.len()).collect();
    let operands = epilogue.operands.iter().map(|slot| slot.unwrap_or(total));
    let found: Vec<usize> = [0].into_iter().chain(operands).collect();
    let reads_total =
        |(slot, one): (usize, &Option<usize>)| reads.contains(&(slot + 1)) == one.is_none();
    let totals = epilogue.operands.iter().enumerate().all(reads_total);
    let cells = Loops {
        reduced: Vec::new(),
        ..whole
    };
    match values && totals && of_slots(&operation.loops, &slots) == of_slots(&cells, &found) {
        true => Ok(()),
        false => defect(
            Check::Points,
            "an epilogue for other cells, or of other operands, than the operation that it stands for",
        ),
    }
}

/// Returns the loops of a job with the cell of the contraction as a further slot.
fn with_total(job: &Job, cells: &[u64], contraction: &Job) -> Loops {
    let mut loops = job.loops.clone();
    for (one, cell) in loops.free.iter_mut().zip(cells) {
        one.strides.push(*cell);
    }
    for one in &mut loops.reduced {
        one.strides.push(0);
    }
    loops.offsets.push(contraction.loops.offsets[0].clone());
    loops
}

/// Returns the parts of loops that are compared: the moments of the addresses in some slots, and the symbols that move
/// them.
fn of_slots(loops: &Loops, slots: &[usize]) -> (Moments, Vec<Vec<(usize, u64)>>) {
    let some = |all: &[Loop]| -> Vec<Loop> {
        let some = all.iter().map(|one| Loop {
            strides: slots.iter().map(|slot| one.strides[*slot]).collect(),
            ..one.clone()
        });
        some.collect()
    };
    let offsets = slots.iter().map(|slot| loops.offsets[*slot].clone());
    let some = Loops {
        free: some(&loops.free),
        reduced: some(&loops.reduced),
        offsets: offsets.collect(),
        ..loops.clone()
    };
    let symbols = some.offsets.iter().map(|offset| offset.symbols.clone());
    (Moments::of(&some), symbols.collect())
}

#[cfg(test)]
#[path = "verify_epilogue_tests.rs"]
mod tests;
