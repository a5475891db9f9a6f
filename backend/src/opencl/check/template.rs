//! The conditions under which each template of kernels applies. A schedule is *legal* for a job if its template
//! computes the job.
//!
//! The heuristics of [`Schedule::of`] choose only legal schedules; one that is drawn at random is kept only
//! if it passes here.

use super::defect::{Check, Defect};
use crate::loop_nest::Write;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::loops::Loop;
use crate::opencl::plan::parallel::{Grid, ITEMS, Spread, Team, Turned};
use crate::opencl::plan::schedule::{Dot, Packed, Schedule, Staged, Sweep, Tile};

/// The widths of vectors in OpenCL C that templates use.
const LANES: [u64; 4] = [2, 4, 8, 16];

type Legal = Result<(), Defect>;

/// Refuses unless a condition holds.
fn ensure(holds: bool, check: Check, detail: impl Into<String>) -> Legal {
    match holds {
        true => Ok(()),
        false => Err(Defect {
            check,
            detail: detail.into(),
        }),
    }
}

/// Checks that the template of a schedule computes a job. That its tiles fit their loops is checked apart from this.
///
/// # Errors
/// The first condition that does not hold.
pub(crate) fn legal(schedule: &Schedule, job: &Job) -> Legal {
    ensure(
        job.epilogue.is_none() || matches!(schedule, Schedule::Packed(_) | Schedule::Grid(_)),
        Check::Points,
        "an epilogue, which only the schedules packed and grid compute",
    )?;
    match schedule {
        Schedule::Cell => Ok(()),
        Schedule::Tile(one) => tile(one, job),
        Schedule::Packed(one) => packed(one, job),
        Schedule::Dot(one) => dot(one, job),
        Schedule::Sweep(one) => sweep(one, job),
        Schedule::Staged(one) => staged(one, job),
        Schedule::Grid(one) => grid(one, job),
        Schedule::Team(one) => team(one, job),
        Schedule::Spread(one) => spread(one, job),
        Schedule::Turned(one) => turned(one, job),
    }
}

fn free(job: &Job, number: usize) -> Result<&Loop, Defect> {
    let none = || Defect {
        check: Check::Coverage,
        detail: format!("there is no loop i{number}"),
    };
    job.loops.free.get(number).ok_or_else(none)
}

/// Templates other than cell and tile know no conditions.
fn is_plain(job: &Job) -> Legal {
    ensure(
        job.loops.is_plain(),
        Check::Points,
        "the loops have conditions, which only the schedules cell and tile test",
    )
}

/// Templates other than cell and tile do not compensate sums. Those with short chains of additions need not, if the
/// order is free.
fn is_accurate(job: &Job, short_chains: bool) -> Legal {
    ensure(
        !job.compensated || short_chains && job.is_free(),
        Check::Values,
        "a compensated sum, which this schedule does not compute",
    )
}

/// Checks that several values are combined in a cell.
fn combines(job: &Job) -> Legal {
    ensure(
        !job.loops.reduced.is_empty() && job.write == Write::ReadModifyWrite,
        Check::Points,
        "no loop is reduced",
    )
}

fn strip(strip: u64) -> Legal {
    ensure(strip > 0, Check::Coverage, "a work-item without tiles")
}

fn tile(tile: &Tile, job: &Job) -> Legal {
    ensure(
        LANES.contains(&tile.lanes),
        Check::Coverage,
        format!("vectors of {}", tile.lanes),
    )?;
    for number in [Some(tile.vector), tile.rows.map(|(row, _)| row)]
        .into_iter()
        .flatten()
    {
        ensure(
            !free(job, number)?.tied,
            Check::Points,
            format!("a condition reads i{number}, along which tiles lie"),
        )?;
    }
    strip(tile.strip)
}

fn packed(packed: &Packed, job: &Job) -> Legal {
    is_plain(job)?;
    is_accurate(job, true)?;
    combines(job)?;
    ensure(
        job.precision_of(0) == job.precision,
        Check::Values,
        "totals in a tensor of a narrower precision",
    )?;
    tile(&packed.tile, job)?;
    ensure(
        job.operands() == 2,
        Check::Points,
        "packed, without two operands",
    )?;
    let rows = match packed.tile.rows {
        Some((row, _)) => free(job, row)?,
        None => return ensure(false, Check::Coverage, "a packed tile without rows"),
    };
    let vector = free(job, packed.tile.vector)?;
    let moves = |slot: usize| {
        let stride = |one: &Loop| one.strides.get(slot).is_some_and(|stride| *stride > 0);
        (stride(rows), stride(vector))
    };
    ensure(
        packed.row_operand.min(packed.vector_operand) == 1
            && packed.row_operand.max(packed.vector_operand) == 2
            && moves(packed.row_operand) == (true, false)
            && moves(packed.vector_operand) == (false, true),
        Check::Points,
        "packed, where no operand moves along the rows alone and the other along the vectors alone",
    )
}

fn dot(dot: &Dot, job: &Job) -> Legal {
    is_plain(job)?;
    is_accurate(job, true)?;
    combines(job)?;
    ensure(
        job.is_free(),
        Check::Values,
        "vectors along a reduced loop, where the order of values is fixed",
    )?;
    ensure(dot.vectors > 0, Check::Points, "no vectors")?;
    ensure(
        dot.along < job.loops.reduced.len(),
        Check::Points,
        format!("there is no loop k{}", dot.along),
    )?;
    strip(dot.strip)
}

fn sweep(sweep: &Sweep, job: &Job) -> Legal {
    is_plain(job)?;
    is_accurate(job, false)?;
    combines(job)?;
    let along = &free(job, sweep.vector)?.strides;
    ensure(
        along[1..].iter().all(|stride| *stride <= 1),
        Check::Points,
        format!(
            "elements along i{} that are no neighbours, which a sweep reads",
            sweep.vector
        ),
    )
}

fn staged(staged: &Staged, job: &Job) -> Legal {
    is_plain(job)?;
    is_accurate(job, false)?;
    ensure(
        job.loops.reduced.is_empty() && job.is_straight() && job.operands() == 1,
        Check::Points,
        "staged, without one operand whose values are stored",
    )?;
    ensure(
        free(job, staged.row)?.strides[1] == 1,
        Check::Points,
        format!(
            "elements along i{} that are no neighbours, which are read together",
            staged.row
        ),
    )
}

fn along(along: usize, job: &Job) -> Legal {
    ensure(
        along < job.loops.reduced.len(),
        Check::Points,
        format!("there is no loop k{along}"),
    )
}

fn grid(grid: &Grid, job: &Job) -> Legal {
    is_plain(job)?;
    is_accurate(job, false)?;
    combines(job)?;
    along(grid.along, job)?;
    ensure(
        [4, 8].contains(&grid.each)
            && grid.depth > 0
            && grid.across.is_power_of_two()
            && grid.across <= ITEMS,
        Check::Coverage,
        "a block without whole vectors or points, or not of all items",
    )?;
    ensure(
        job.is_free() || grid.along + 1 == job.loops.reduced.len(),
        Check::Values,
        "blocks along an outer reduced loop, where the order of values is fixed",
    )?;
    free(job, grid.row)?;
    free(job, grid.column)?;
    ensure(
        job.operands() == 2 && grid.operands(&job.loops).is_some(),
        Check::Points,
        "a grid, where no operand moves along the rows alone and the other along the columns alone",
    )
}

fn team(team: &Team, job: &Job) -> Legal {
    is_plain(job)?;
    combines(job)?;
    along(team.along, job)?;
    ensure(
        job.is_free(),
        Check::Values,
        "items that share the values of a cell, where their order is fixed",
    )?;
    ensure(
        team.items.is_power_of_two() && team.items <= ITEMS,
        Check::Coverage,
        format!("a team of {} items", team.items),
    )
}

fn spread(spread: &Spread, job: &Job) -> Legal {
    is_plain(job)?;
    ensure(
        spread.cells > 0,
        Check::Coverage,
        "a work-item without cells",
    )?;
    ensure(
        job.loops.reduced.is_empty() && job.is_straight(),
        Check::Points,
        "several values for a cell, which this schedule does not combine",
    )
}

fn turned(turned: &Turned, job: &Job) -> Legal {
    is_plain(job)?;
    is_accurate(job, false)?;
    free(job, turned.row)?;
    free(job, turned.column)?;
    ensure(
        job.loops.reduced.is_empty() && job.is_straight() && job.operands() == 1,
        Check::Points,
        "turned, without one operand whose values are stored",
    )
}
