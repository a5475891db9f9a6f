//! Verification of a plan before its kernels are launched. The checks use only its loops and numbers, and do not depend
//! on how the plan was made.
//!
//! | check | what it finds |
//! |---|---|
//! | bounds | an address outside of its tensor or scratch buffer |
//! | coverage | a cell that is to be written and is not, or a tile that is longer than its loop |
//! | races | two work-items that store one cell |
//! | stages | a read of a place that no earlier step has written, an epilogue before the total of its cell is complete, operations of a group in another order, a range that reads another one |
//! | points | a value that is left out, counted twice, or paired with the wrong value |
//! | values | a part that does not start from the neutral element, a sum that is combined in another way |
//! | limits | more registers or local memory than a core has |
//!
//! Bounds, coverage and races are decided by intervals, by the mixed-radix test and, for races between few cells, by
//! enumeration. The points of the plan are compared with those of the job by their number and by the first and second
//! moments of all addresses, including the cell's and products of two slots. These are polynomials of the loops, and a
//! moved, duplicated or skipped point changes them. Plans whose loops occur in guards or ties have a single step with
//! the loops of the nest, so these loops are checked on the loop nest, not here.

use std::collections::BTreeSet;

use lozenge_vocabulary::operation::{Combine, Function};

use super::defect::{Check, Defect, defect};
use super::template::legal;
use crate::loop_nest::Write;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::loops::{Loop, Loops};
use crate::opencl::plan::parallel::GROUP_BYTES;
use crate::opencl::plan::schedule::Schedule;
use crate::opencl::plan::steps::Plan;

/// The largest size of local memory in bytes. It is memory of the thread, and has to stay in the second-level cache.
const LOCAL_BYTES: u64 = 1 << 19;

/// The number of vector registers with 16 lanes.
const REGISTERS: u64 = 32;

/// Checks that the steps of a plan compute a job; `elements` has the size of the tensor of each slot.
pub(crate) fn verify(asked: &Job, elements: &[u64], plan: &Plan) -> Result<(), Defect> {
    if !asked.loops.is_plain() {
        return match plan.steps.as_slice() {
            [(job, schedule)] if job.loops == asked.loops && job.epilogue.is_none() => {
                legal(schedule, job)?;
                fitting(schedule, job)
            }
            _ => defect(
                Check::Points,
                "a loop nest with conditions has one step with its loops",
            ),
        };
    }
    for (job, schedule) in &plan.steps {
        epilogue(job)?;
        bounds(job, elements, &plan.scratch)?;
        races(&job.loops)?;
        fitting(schedule, job)?;
    }
    coverage(asked, plan)?;
    stages(plan)?;
    values(asked, plan)?;
    points(asked, plan)?;
    let mut steps = plan.steps.iter();
    steps.try_for_each(|(job, schedule)| legal(schedule, job))
}

fn reach<'l>(loops: impl Iterator<Item = &'l Loop>, slot: usize) -> i128 {
    loops
        .map(|one| i128::from(one.extent - 1) * i128::from(one.strides[slot]))
        .sum()
}

fn all(loops: &Loops) -> impl Iterator<Item = &Loop> {
    loops.free.iter().chain(&loops.reduced)
}

fn bounds(job: &Job, elements: &[u64], scratch: &[u64]) -> Result<(), Defect> {
    for (slot, buffer) in job.buffers.iter().enumerate() {
        let size = match buffer {
            Argument::Slot(number) => elements.get(*number),
            Argument::Scratch(number) => scratch.get(*number),
            Argument::Local(_) => None,
        };
        let offset = &job.loops.offsets[slot];
        let least = i128::from(offset.fixed);
        let most = least + reach(all(&job.loops), slot);
        let Some(size) = size else {
            return defect(Check::Bounds, format!("slot {slot} has no buffer"));
        };
        if least < 0 || most >= i128::from(*size) {
            return defect(
                Check::Bounds,
                format!("slot {slot} is addressed from {least} to {most}, and has {size} elements"),
            );
        }
    }
    Ok(())
}

/// Checks that an epilogue computes a cell from its complete total, which begins with no value of the cell, and that
/// its other operands belong to the cell, and not to one of the values that are combined.
fn epilogue(job: &Job) -> Result<(), Defect> {
    let Some(epilogue) = &job.epilogue else {
        return Ok(());
    };
    let own = job.function.arity() + 1;
    let slots: Vec<usize> = epilogue.slots().collect();
    let operands = epilogue.operands.len();
    if slots != (own..own + slots.len()).collect::<Vec<usize>>()
        || own + slots.len() != job.loops.offsets.len()
        || operands != epilogue.function.arity()
        || operands == slots.len()
    {
        return defect(
            Check::Points,
            "an epilogue of other operands than its slots and the total",
        );
    }
    if !job.accumulator.erase || job.write != Write::ReadModifyWrite {
        return defect(
            Check::Values,
            "an epilogue of a total that does not start from the neutral element",
        );
    }
    let moves = |one: &Loop| slots.iter().any(|slot| one.strides[*slot] != 0);
    match job.loops.reduced.iter().any(moves) {
        true => defect(
            Check::Points,
            "a reduced loop moves an operand of an epilogue, which is computed once for all values of a cell",
        ),
        false => Ok(()),
    }
}

/// Checks that no two work-items store one cell: by the mixed-radix test, and where that does not tell by enumeration.
fn races(loops: &Loops) -> Result<(), Defect> {
    if let Some(one) = loops.reduced.iter().find(|one| one.strides[0] != 0) {
        let stride = one.strides[0];
        let detail = format!("a reduced loop moves the written cell by {stride}");
        return defect(Check::Races, detail);
    }
    match overlap(loops) {
        Some((stride, reached)) if !are_distinct(loops) => defect(
            Check::Races,
            format!("a loop moves the written cell by {stride}, and others by up to {reached}"),
        ),
        _ => Ok(()),
    }
}

/// Applies the mixed-radix test: in ascending order, each stride is larger than the sum that all before it can reach.
/// Returns the first stride that is not, with that sum.
fn overlap(loops: &Loops) -> Option<(u64, u128)> {
    let free = loops.free.iter();
    let mut free: Vec<(u64, u64)> = free.map(|one| (one.strides[0], one.extent)).collect();
    free.sort_unstable();
    let mut reached = 0;
    for (stride, extent) in free {
        if u128::from(stride) <= reached {
            return Some((stride, reached));
        }
        reached += u128::from(stride) * u128::from(extent - 1);
    }
    None
}

/// The most cells that are enumerated.
const ENUMERATED: u64 = 1 << 22;

/// Tells whether the free loops write a different cell at each point, by enumeration; false if there are too many
/// cells. Strides of sums of several loops are no mixed radix, as in `c[3*i + 3*j, i]`.
fn are_distinct(loops: &Loops) -> bool {
    let extents = loops.free.iter().map(|one| one.extent);
    let count = extents.fold(1, u64::saturating_mul);
    if count > ENUMERATED {
        return false;
    }
    let mut cells: Vec<u128> = vec![0];
    for one in &loops.free {
        let stride = u128::from(one.strides[0]);
        let steps = (0..u128::from(one.extent)).map(|step| step * stride);
        cells = steps
            .flat_map(|moved| cells.iter().map(move |cell| cell + moved))
            .collect();
    }
    cells.sort_unstable();
    cells.windows(2).all(|pair| pair[0] != pair[1])
}

/// Checks that a schedule fits the loops of a job, and a core.
pub(crate) fn fitting(schedule: &Schedule, job: &Job) -> Result<(), Defect> {
    shape(schedule, &job.loops)?;
    limits(schedule, job)
}

/// Checks that the tiles of a schedule lie along existing loops and fit them.
fn shape(schedule: &Schedule, loops: &Loops) -> Result<(), Defect> {
    match schedule {
        Schedule::Cell => Ok(()),
        Schedule::Tile(tile) => {
            fits(loops, tile.vector, tile.width())?;
            contiguous(loops, tile.vector)?;
            let Some((row, height)) = tile.rows else {
                return Ok(());
            };
            fits(loops, row, height)?;
            apart(row, tile.vector)
        }
        Schedule::Packed(packed) => {
            let Some((_, height)) = packed.tile.rows else {
                return defect(Check::Coverage, "a packed tile without rows");
            };
            // Panels are padded, so a tile may be wider than the rest of its loop.
            contiguous(loops, packed.tile.vector)?;
            if packed.block_rows == 0 || !packed.block_rows.is_multiple_of(height) {
                return defect(
                    Check::Coverage,
                    "a block that is no multiple of its tile's rows",
                );
            }
            if packed.block_panels == 0 || packed.depth == 0 {
                return defect(Check::Points, "a block without points");
            }
            Ok(())
        }
        Schedule::Dot(dot) => {
            let lies = |one: &Loop| one.strides[1..].iter().all(|stride| *stride <= 1);
            if !loops.reduced.get(dot.along).is_some_and(lies) {
                let along = dot.along;
                return defect(
                    Check::Points,
                    format!("vectors along the loop k{along}, whose elements are no neighbours"),
                );
            }
            dot.rows
                .map_or(Ok(()), |(row, height)| fits(loops, row, height))
        }
        Schedule::Sweep(sweep) => {
            contiguous(loops, sweep.vector)?;
            fits(loops, sweep.vector, sweep.width)
        }
        Schedule::Staged(staged) => {
            contiguous(loops, staged.vector)?;
            apart(staged.row, staged.vector)?;
            fits(loops, staged.vector, staged.width)?;
            fits(loops, staged.row, staged.height)?;
            match staged.width.is_multiple_of(16) && staged.height.is_multiple_of(16) {
                true => Ok(()),
                false => defect(
                    Check::Coverage,
                    "a turned block that is not made of squares",
                ),
            }
        }
        Schedule::Grid(grid) => {
            fits(loops, grid.row, 1)?;
            fits(loops, grid.column, 1)?;
            apart(grid.row, grid.column)
        }
        Schedule::Team(team) => team.rows.map_or(Ok(()), |rows| divides(loops, rows)),
        Schedule::Spread(_) => Ok(()),
        Schedule::Turned(turned) => {
            fits(loops, turned.row, 1)?;
            fits(loops, turned.column, 1)?;
            apart(turned.row, turned.column)
        }
    }
}

/// Checks that a free loop consists of whole rows of a team.
fn divides(loops: &Loops, (row, steps): (usize, u64)) -> Result<(), Defect> {
    fits(loops, row, steps)?;
    match loops.free[row].extent.is_multiple_of(steps) {
        true => Ok(()),
        false => defect(Check::Coverage, "rows of a team that leave some over"),
    }
}

/// Checks that a tile of that length lies along a free loop.
fn fits(loops: &Loops, number: usize, length: u64) -> Result<(), Defect> {
    match loops.free.get(number) {
        Some(one) if length >= 1 && length <= one.extent => Ok(()),
        _ => defect(
            Check::Coverage,
            format!("a tile of {length} along the loop i{number}"),
        ),
    }
}

/// Checks that neighbours along a free loop are neighbours in the written tensor.
fn contiguous(loops: &Loops, number: usize) -> Result<(), Defect> {
    match loops.free.get(number) {
        Some(one) if one.strides[0] == 1 => Ok(()),
        _ => defect(
            Check::Coverage,
            format!("vectors along the loop i{number}, whose cells are no neighbours"),
        ),
    }
}

/// Checks that rows and vectors lie along different loops.
fn apart(row: usize, vector: usize) -> Result<(), Defect> {
    match row == vector {
        true => defect(
            Check::Coverage,
            format!("rows and vectors along the same loop i{row}"),
        ),
        false => Ok(()),
    }
}

fn limits(schedule: &Schedule, job: &Job) -> Result<(), Defect> {
    // The number of registers of 64 bytes that a vector of so many values takes.
    let wide = |lanes: u64| lanes.div_ceil(job.lanes());
    let registers = match schedule {
        Schedule::Cell | Schedule::Sweep(_) | Schedule::Turned(_) => 1,
        Schedule::Tile(tile) => {
            let held = if job.compensated { 2 } else { 1 };
            held * wide(tile.lanes) * tile.vectors * tile.height()
        }
        Schedule::Packed(packed) => {
            wide(packed.tile.lanes) * packed.tile.vectors * packed.tile.height()
        }
        Schedule::Dot(dot) => {
            let height = dot.rows.map_or(1, |(_, height)| height);
            wide(16) * dot.vectors * height
        }
        Schedule::Staged(_) => 16,
        Schedule::Grid(grid) => wide(grid.each * grid.each),
        Schedule::Team(team) => wide(team.height()),
        Schedule::Spread(spread) => wide(spread.cells),
    };
    if registers > REGISTERS {
        return defect(
            Check::Limits,
            format!("{registers} vectors of cells, and {REGISTERS} registers"),
        );
    }
    let bytes = schedule.local_bytes(job);
    let room = match schedule {
        Schedule::Grid(_) | Schedule::Team(_) | Schedule::Turned(_) => GROUP_BYTES,
        _ => LOCAL_BYTES,
    };
    match bytes > room {
        true => defect(Check::Limits, format!("{bytes} bytes of local memory")),
        false => Ok(()),
    }
}

/// Lists the addresses of loops in a slot, as strides and extents in ascending order with neighbours merged.
fn addresses<'l>(loops: impl Iterator<Item = &'l Loop>, slot: usize) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = loops.map(|one| (one.strides[slot], one.extent)).collect();
    all.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (stride, extent) in all {
        match merged.last_mut() {
            Some((below, length)) if *below * *length == stride => *length *= extent,
            _ => merged.push((stride, extent)),
        }
    }
    merged
}

/// Lists the cells that loops write.
fn cells(loops: &Loops) -> Vec<(u64, u64)> {
    addresses(loops.free.iter(), 0)
}

/// Checks that the last step writes the cells of the job, and the other steps fill the scratch buffers completely.
fn coverage(asked: &Job, plan: &Plan) -> Result<(), Defect> {
    let Some(((last, _), parts)) = plan.steps.split_last() else {
        return defect(Check::Coverage, "a plan without steps");
    };
    let same = cells(&last.loops) == cells(&asked.loops)
        && last.loops.offsets[0] == asked.loops.offsets[0];
    if !same || last.buffers[0] != asked.buffers[0] {
        return defect(
            Check::Coverage,
            "the last step writes other cells than those that are asked for",
        );
    }
    for (number, size) in plan.scratch.iter().enumerate() {
        let mut written: Vec<(i64, u64)> = Vec::new();
        for (job, _) in parts
            .iter()
            .filter(|(job, _)| job.buffers[0] == Argument::Scratch(number))
        {
            match cells(&job.loops).as_slice() {
                [] => written.push((job.loops.offsets[0].fixed, 1)),
                [(1, length)] => written.push((job.loops.offsets[0].fixed, *length)),
                _ => return defect(Check::Coverage, "a part leaves gaps in the scratch buffer"),
            }
        }
        written.sort_unstable();
        let mut at = 0;
        for (from, length) in written {
            if from as u64 != at {
                return defect(
                    Check::Coverage,
                    format!("a part writes from {from} on, and those before it up to {at}"),
                );
            }
            at += length;
        }
        if at != *size {
            return defect(
                Check::Coverage,
                format!("parts write {at} of {size} values"),
            );
        }
    }
    match parts
        .iter()
        .find(|(job, _)| !matches!(job.buffers[0], Argument::Scratch(_)))
    {
        Some(_) => defect(Check::Coverage, "a step before the last writes the result"),
        None => Ok(()),
    }
}

/// Checks that an earlier step has written whatever a step reads from a scratch buffer.
fn stages(plan: &Plan) -> Result<(), Defect> {
    let mut written = BTreeSet::new();
    for (job, _) in &plan.steps {
        for buffer in &job.buffers[1..] {
            if matches!(buffer, Argument::Scratch(_)) && !written.contains(buffer) {
                return defect(
                    Check::Stages,
                    "a step reads a scratch buffer before it is written",
                );
            }
        }
        written.insert(job.buffers[0]);
    }
    Ok(())
}

/// Checks that each part starts from the neutral element and that the parts are combined by the operator.
fn values(asked: &Job, plan: &Plan) -> Result<(), Defect> {
    let Some(((last, _), parts)) = plan.steps.split_last() else {
        return Ok(());
    };
    if last.accumulator != asked.accumulator || last.write != asked.write {
        return defect(
            Check::Values,
            "the last step combines values in another way",
        );
    }
    if last.epilogue != asked.epilogue {
        return defect(Check::Values, "another epilogue");
    }
    if parts.iter().any(|(job, _)| job.epilogue.is_some()) {
        return defect(Check::Stages, "an epilogue before the total is complete");
    }
    if parts.is_empty() {
        return match last.function == asked.function {
            true => Ok(()),
            false => defect(Check::Values, "another function"),
        };
    }
    let inner = match asked.accumulator.combine {
        Combine::Subtract => Combine::Add,
        Combine::Replace => {
            return defect(
                Check::Values,
                "the last value of a cell is no combination of parts",
            );
        }
        other => other,
    };
    // The sum of a single part is the sum of its values in their order, if nothing was there before.
    let is_whole = parts.len() == 1 && last.loops.reduced.is_empty() && asked.accumulator.erase;
    if !asked.is_free() && !is_whole {
        return defect(Check::Values, "parts, where the order of values is fixed");
    }
    if last.function != Function::Identity {
        return defect(Check::Values, "the parts are not what is combined");
    }
    for (job, _) in parts {
        if !job.accumulator.erase {
            return defect(
                Check::Values,
                "a part does not start from the neutral element",
            );
        }
        if job.accumulator.combine != inner || job.function != asked.function {
            return defect(Check::Values, "a part combines values in another way");
        }
    }
    Ok(())
}

/// The sums over all points of 1, of each address, and of each product of two addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Moments(Vec<u128>);

impl Moments {
    /// Computes the moments of all slots, in wrapping arithmetic, so that large loops have them too.
    pub(crate) fn of(loops: &Loops) -> Moments {
        let offsets = &loops.offsets;
        let slots = 0..offsets.len();
        let loops: Vec<&Loop> = all(loops).collect();
        let count = loops
            .iter()
            .fold(1u128, |count, one| count.wrapping_mul(one.extent.into()));
        let mut sums = vec![count];
        // A loop of n steps: the sum of k is n(n-1)/2, of k² (n-1)n(2n-1)/6.
        let first = |n: u128| n * (n - 1) / 2;
        let second = |n: u128| (n - 1) * n * (2 * n - 1) / 6;
        let others = |without: &[usize]| {
            let each = loops
                .iter()
                .enumerate()
                .filter(|(at, _)| !without.contains(at));
            each.fold(1u128, |count, (_, one)| {
                count.wrapping_mul(one.extent.into())
            })
        };
        let offset = |slot: usize| offsets[slot].fixed as u128;
        let total = |slot: usize| {
            loops
                .iter()
                .enumerate()
                .fold(offset(slot).wrapping_mul(count), |sum, (at, one)| {
                    let moved =
                        u128::from(one.strides[slot]).wrapping_mul(first(one.extent.into()));
                    sum.wrapping_add(moved.wrapping_mul(others(&[at])))
                })
        };
        for slot in slots.clone() {
            sums.push(total(slot));
        }
        for x in slots.clone() {
            for y in x..offsets.len() {
                // Σ (a + Σ sᵢkᵢ)(b + Σ tⱼkⱼ)
                let (a, b) = (offset(x), offset(y));
                let mut sum = a
                    .wrapping_mul(total(y))
                    .wrapping_add(b.wrapping_mul(total(x)));
                sum = sum.wrapping_sub(a.wrapping_mul(b).wrapping_mul(count));
                for (i, one) in loops.iter().enumerate() {
                    for (j, other) in loops.iter().enumerate() {
                        let strides =
                            u128::from(one.strides[x]).wrapping_mul(other.strides[y].into());
                        let moved = match i == j {
                            true => second(one.extent.into()).wrapping_mul(others(&[i])),
                            false => first(one.extent.into())
                                .wrapping_mul(first(other.extent.into()))
                                .wrapping_mul(others(&[i, j])),
                        };
                        sum = sum.wrapping_add(strides.wrapping_mul(moved));
                    }
                }
                sums.push(sum);
            }
        }
        Moments(sums)
    }
}

/// Returns the loops of a part with the addresses of cells in place of those of the scratch buffer. The last step
/// determines to which cell each value of the buffer belongs.
fn with_cells(part: &Loops, last: &Loops, cells: u64) -> Option<Loops> {
    let mut loops = part.clone();
    for one in loops.free.iter_mut().chain(&mut loops.reduced) {
        let stride = one.strides[0];
        if stride % cells == 0 {
            one.strides[0] = 0;
            continue;
        }
        // The loop of the last step to which this loop corresponds.
        let digit = last.free.iter().find(|digit| {
            let place = digit.strides[1];
            place > 0
                && stride.is_multiple_of(place)
                && stride / place * (one.extent - 1) < digit.extent
        })?;
        one.strides[0] = digit.strides[0] * (stride / digit.strides[1]);
    }
    if !u64::try_from(part.offsets[0].fixed).is_ok_and(|fixed| fixed.is_multiple_of(cells)) {
        return None;
    }
    loops.offsets[0] = last.offsets[0].clone();
    Some(loops)
}

fn points(asked: &Job, plan: &Plan) -> Result<(), Defect> {
    let Some(((last, _), parts)) = plan.steps.split_last() else {
        return Ok(());
    };
    let wanted = Moments::of(&asked.loops);
    let mut found = Moments(vec![0; wanted.0.len()]);
    let mut add = |loops: &Loops| {
        for (sum, one) in found.0.iter_mut().zip(Moments::of(loops).0) {
            *sum = sum.wrapping_add(one);
        }
    };
    if parts.is_empty() {
        add(&last.loops);
    } else {
        let there = match last.buffers.as_slice() {
            [_, Argument::Scratch(number)] => plan.scratch.get(*number).copied().unwrap_or(0),
            _ => 0,
        };
        let cells = asked.loops.cells();
        // The last step reads every part of each cell once: its free loops count the cells, and its reduced loops the
        // parts.
        let dense =
            |loops: &[Loop], step: u64, count: u64| match addresses(loops.iter(), 1).as_slice() {
                [] => count == 1,
                [(stride, length)] => (*stride, *length) == (step, count),
                _ => false,
            };
        let whole = last
            .loops
            .offsets
            .get(1)
            .is_some_and(|offset| offset.fixed == 0)
            && there.is_multiple_of(cells)
            && dense(&last.loops.free, 1, cells)
            && dense(&last.loops.reduced, cells, there / cells);
        if !whole {
            return defect(
                Check::Points,
                "the last step does not take each part of each cell once",
            );
        }
        for (job, _) in parts {
            let Some(loops) = with_cells(&job.loops, &last.loops, cells) else {
                return defect(Check::Points, "a part is for no cell");
            };
            add(&loops);
        }
    }
    if found.0.first() != wanted.0.first() {
        let (found, wanted) = (found.0[0], wanted.0[0]);
        return defect(
            Check::Points,
            format!("{found} points, and {wanted} are asked for"),
        );
    }
    match found == wanted {
        true => Ok(()),
        false => defect(Check::Points, "other points than those that are asked for"),
    }
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
