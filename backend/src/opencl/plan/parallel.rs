//! Schedules for devices with many small work-items side by side, such as GPUs.
//!
//! There a schedule is a property of a group of work-items, not of one: the items of a group share local memory, and
//! neighbouring items touch neighbouring elements, so that the device reads whole lines. All schedules keep the order
//! of the values of a cell, except [`Team`], which is for sums whose order is free.
//!
//! | schedule | when | what a group of [`ITEMS`] work-items computes |
//! |---|---|---|
//! | `Schedule::Cell` | neighbouring items read neighbours anyway | a cell in each item |
//! | [`Spread`] | so they do, there are many cells, and no loop is reduced | a few cells in each item |
//! | [`Grid`] | two operands are contracted as in a matrix product | a block of cells, from blocks of both operands in local memory |
//! | [`Team`] | the order is free, and there are few cells, or operands lie along a reduced loop | some cells, each by many items |
//! | [`Turned`] | an operand is transposed | a square of cells, through local memory |

use super::job::Job;
use super::loops::Loops;
use crate::precision::Precision;

/// The number of work-items in a group.
pub(crate) const ITEMS: u64 = 256;

/// The most bytes of local memory of a group.
pub(crate) const GROUP_BYTES: u64 = 1 << 15;

/// The side of a square that is transposed.
pub(crate) const SQUARE: u64 = 32;

/// A contraction of two operands: one moves along the rows of a block of cells, the other along its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The free loop of the rows, by its place in [`Loops::free`].
    pub row: usize,
    /// The free loop of the columns, along which neighbouring items store their cells.
    pub column: usize,
    /// The number of rows, and of columns, that an item computes: 4 or 8.
    pub each: u64,
    /// The number of items along the columns: a power of two. Along the rows a group has `ITEMS / across` items.
    pub across: u64,
    /// The reduced loop along which points are read together; the others run outside of it.
    pub along: usize,
    /// The number of points of that loop that are read together.
    pub depth: u64,
}

impl Grid {
    /// Returns the number of rows that a group computes.
    pub fn rows(&self) -> u64 {
        ITEMS / self.across * self.each
    }

    /// Returns the number of columns that a group computes.
    pub fn columns(&self) -> u64 {
        self.across * self.each
    }

    /// Finds the slots of the operands that move along the rows and along the columns, if one moves along each of them
    /// alone.
    pub fn operands(&self, loops: &Loops) -> Option<(usize, usize)> {
        let (across, along) = (loops.free.get(self.row)?, loops.free.get(self.column)?);
        let moves = |slot: usize| (across.strides[slot] > 0, along.strides[slot] > 0);
        // Further slots are those of an epilogue.
        match (loops.offsets.len(), moves(1), moves(2)) {
            (3.., (true, false), (false, true)) => Some((1, 2)),
            (3.., (false, true), (true, false)) => Some((2, 1)),
            _ => None,
        }
    }

    /// Returns the number of values of local memory of the blocks of both operands.
    pub fn local(&self) -> u64 {
        self.depth * (self.rows() + self.columns() + 2 * PADDING)
    }
}

/// The number of values by which the rows of a block are longer in local memory than their cells, so that items that
/// store along a column use different banks. Vectors of four stay aligned.
pub(crate) const PADDING: u64 = 4;

/// Cells that are each computed by several items, along a reduced loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Team {
    /// The number of items that compute a cell: a power of two, at most [`ITEMS`].
    pub items: u64,
    /// The reduced loop whose points they divide among them.
    pub along: usize,
    /// A free loop along which some operand does not move, and how many of its steps, which divide its extent, a team
    /// computes together.
    pub rows: Option<(usize, u64)>,
}

impl Team {
    /// Returns the number of teams in a group.
    pub fn teams(&self) -> u64 {
        ITEMS / self.items
    }

    /// Returns the number of cells that a team computes together.
    pub fn height(&self) -> u64 {
        self.rows.map_or(1, |(_, rows)| rows)
    }

    /// Returns the most additions through which a value passes: in its item, in the tree, and with what was there
    /// before.
    pub fn chain(&self, job: &Job) -> u64 {
        let extent = job.loops.reduced[self.along].extent;
        let others = job.loops.values_a_cell() / extent;
        let own = others.saturating_mul(extent.div_ceil(self.items));
        own.saturating_add(u64::from(self.items.ilog2()) + 2)
    }
}

/// Cells that each item computes a few of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    /// The number of cells of an item.
    pub cells: u64,
}

/// A square of cells whose operand is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turned {
    /// The free loop along which neighbouring cells are written.
    pub column: usize,
    /// The free loop along which neighbouring elements are read.
    pub row: usize,
}

/// The approximate number of work-items that keep a large device busy.
pub(super) const BUSY: u64 = 1 << 17;

/// The most bytes of local memory for the blocks of a contraction, so that a few groups run on a core at a time.
const LOCAL_BYTES: u64 = 24 << 10;

/// The number of groups below which a contraction leaves too much of a large device idle.
pub(super) const FEW_GROUPS: u64 = 64;

/// The fewest values along a reduced loop for which a team is worth its tree.
const TEAM: u64 = 32;

/// An operand with fewer elements is read again and again from the cache.
const LARGE: u64 = 1 << 18;

/// The most cells that a team computes together.
pub(super) const ROWS: u64 = 8;

pub(crate) fn grid(job: &Job) -> Option<Grid> {
    let loops = &job.loops;
    if !loops.is_plain() || job.compensated || job.operands() != 2 {
        return None;
    }
    let last = loops.reduced.len().checked_sub(1)?;
    // In any order, the longest loop leaves the fewest blocks that are not full.
    let along = match job.is_free() {
        true => (0..=last).max_by_key(|number| loops.reduced[*number].extent)?,
        false => last,
    };
    let column = loops.free.len().checked_sub(1)?;
    let whole = |row: usize, each: u64, across: u64| Grid {
        row,
        column,
        each,
        across,
        along,
        depth: 1,
    };
    let rows = (0..column).filter(|row| whole(*row, 8, 16).operands(loops).is_some());
    let row = rows.max_by_key(|row| loops.free[*row].extent)?;
    let (rows, columns) = (loops.free[row].extent, loops.free[column].extent);
    if rows.min(columns) < 4 || rows.max(columns) < 16 || loops.values_a_cell() < 8 {
        return None;
    }
    let others = loops.cells() / (rows * columns);
    let shaped = |each: u64| {
        let items = |cells: u64| cells.div_ceil(each).next_power_of_two().clamp(2, ITEMS / 2);
        // Items lie along the columns if the rows are few.
        whole(row, each, items(columns).min(16).max(ITEMS / items(rows)))
    };
    let groups = |one: &Grid| others * rows.div_ceil(one.rows()) * columns.div_ceil(one.columns());
    let (large, small) = (shaped(8), shaped(4));
    let wide = job.precision == Precision::F32 && rows.min(columns) > 64;
    let grid = match wide && groups(&large) >= FEW_GROUPS {
        true => large,
        false => small,
    };
    let deep = |depth: &u64| {
        let grid = Grid {
            depth: *depth,
            ..grid
        };
        grid.local() * job.precision.bytes() <= LOCAL_BYTES
    };
    // Items that hold many cells have fewer registers for the values of the next block.
    let depths = if grid.each == 8 {
        [8, 4, 2]
    } else {
        [16, 8, 4]
    };
    let depth = depths.into_iter().find(deep)?;
    Some(Grid {
        depth: depth.min(loops.reduced[along].extent),
        ..grid
    })
}

pub(crate) fn team(job: &Job) -> Option<Team> {
    let loops = &job.loops;
    if !job.is_free() || !loops.is_plain() {
        return None;
    }
    let near = |number: &usize| loops.reduced[*number].strides[1..].contains(&1);
    let longest = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.max_by_key(|number| loops.reduced[*number].extent)
    };
    let all = 0..loops.reduced.len();
    // Items that read along a loop with long steps read a line each.
    let along = longest(&mut all.clone().filter(near)).or_else(|| longest(&mut all.clone()))?;
    let extent = loops.reduced[along].extent;
    // The loops along which items that run together would lie, if each computed a cell.
    let mut together = 1;
    let near = loops.free.iter().rev().take_while(|one| {
        let takes = together < TEAM;
        together *= one.extent;
        takes
    });
    let gathers = near.into_iter().any(|one| {
        let mut slots = 1..one.strides.len();
        slots.any(|slot| one.strides[slot] > 1 && loops.reduced[along].strides[slot] == 1)
    });
    if extent < TEAM || !gathers && loops.cells() >= BUSY / ITEMS {
        return None;
    }
    let items = (extent / 4).next_power_of_two().clamp(TEAM, ITEMS);
    let rows = rows(loops, along);
    Some(Team { items, along, rows })
}

/// Finds the steps of a free loop along which an operand does not move that moves along the values, so that each of its
/// values is read once for all of them.
fn rows(loops: &Loops, along: usize) -> Option<(usize, u64)> {
    let read = &loops.reduced[along].strides;
    // A small operand stays in the cache.
    let elements = |slot: usize| {
        let loops = loops.free.iter().chain(&loops.reduced);
        let moving = loops.filter(|one| one.strides[slot] > 0);
        moving.map(|one| one.extent).product::<u64>()
    };
    let reuses = |row: &usize| {
        let across = &loops.free[*row].strides;
        let mut slots = 1..read.len();
        slots.any(|slot| read[slot] > 0 && across[slot] == 0 && elements(slot) >= LARGE)
    };
    let row = (0..loops.free.len()).rev().find(reuses)?;
    let extent = loops.free[row].extent;
    let steps = (2..=ROWS)
        .rev()
        .find(|steps| extent.is_multiple_of(*steps))?;
    (loops.cells() / steps >= FEW_GROUPS).then_some((row, steps))
}

pub(crate) fn spread(job: &Job) -> Option<Spread> {
    let loops = &job.loops;
    let simple = loops.reduced.is_empty() && loops.is_plain() && job.is_straight();
    (simple && loops.cells() >= 4 * BUSY).then_some(Spread { cells: 4 })
}

pub(crate) fn turned(job: &Job) -> Option<Turned> {
    let loops = &job.loops;
    if !loops.reduced.is_empty() || !loops.is_plain() || job.operands() != 1 || !job.is_straight() {
        return None;
    }
    let column = loops.free.len().checked_sub(1)?;
    let written = &loops.free[column];
    let row = (0..column).find(|row| loops.free[*row].strides[1] == 1)?;
    let long = written.extent >= SQUARE / 2 && loops.free[row].extent >= SQUARE / 2;
    (long && written.strides[0] == 1 && written.strides[1] > 1).then_some(Turned { column, row })
}
