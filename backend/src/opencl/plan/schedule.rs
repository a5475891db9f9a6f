//! Schedules: the distribution of the cells of a loop nest over work-items and vector lanes.
//!
//! With [`Numerics::Exact`](crate::Numerics) every schedule keeps the order in which the values of a cell are combined,
//! so that a kernel gives the interpreter's numbers to the last bit: only loops whose points write *different* cells
//! are distributed, tiled and vectorised. Reduced loops run inside, in their order. With
//! [`Numerics::Fast`](crate::Numerics) vectors may go along a reduced loop too.
//!
//! | schedule | when | what a work-item computes |
//! |---|---|---|
//! | [`Schedule::Cell`] | no neighbouring cells are written | one cell |
//! | [`Schedule::Tile`] | some loop writes neighbouring cells | rows × vectors of cells, held in registers |
//! | [`Schedule::Packed`] | two operands are contracted as in a large matrix product | a block of tiles, from packed operands |
//! | [`Schedule::Dot`] | the order is free, and operands lie along a reduced loop | some cells, vectors along that loop |
//! | [`Schedule::Sweep`] | the order is free, and operands lie along the cells | a long row of cells, held in local memory |
//! | [`Schedule::Staged`] | an operand is transposed | a block of cells, through local memory |
//!
//! These are for a CPU; [`parallel`](super::parallel) has those for other devices.

use std::fmt;

use super::job::Job;
use super::loops::Loops;
use super::parallel::{self, Grid, ITEMS, SQUARE, Spread, Team, Turned};
use crate::precision::Precision;

/// The kind of device for which a kernel is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A device with few cores and wide vector units: a work-item does its own blocking.
    Cpu,
    /// A device with many small work-items side by side.
    Parallel,
}

/// The cells that one work-item holds in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    /// The free loop along which neighbouring cells are written, by its place in [`Loops::free`]. No guard and no tie
    /// reads it or the loop of the rows, so that a tile is skipped as a whole or not at all.
    pub vector: usize,
    /// The lanes of a vector: 2, 4, 8 or 16, and at most the extent of the loop.
    pub lanes: u64,
    /// The number of vectors that lie side by side; with the lanes at most the extent of the loop.
    pub vectors: u64,
    /// Another free loop, and the number of its steps that the tile has, at most its extent.
    pub rows: Option<(usize, u64)>,
    /// The number of tiles that a work-item computes, one after the other.
    pub strip: u64,
}

impl Tile {
    /// Returns the number of neighbouring cells in a row of the tile.
    pub fn width(&self) -> u64 {
        self.lanes * self.vectors
    }

    /// Returns the number of rows of the tile.
    pub fn height(&self) -> u64 {
        self.rows.map_or(1, |(_, rows)| rows)
    }
}

/// A contraction of two operands: one moves along the rows of a tile, the other along its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// The tile in registers, which has rows, and vectors of 64 bytes.
    pub tile: Tile,
    /// The slot of the operand that moves along the rows and not along the vectors.
    pub row_operand: usize,
    /// The slot of the operand that moves along the vectors and not along the rows.
    pub vector_operand: usize,
    /// The number of rows that a work-item computes: a multiple of the tile's.
    pub block_rows: u64,
    /// The number of panels, each as wide as the tile, that a work-item computes.
    pub block_panels: u64,
    /// The number of reduced points in a block.
    pub depth: u64,
}

/// Vectors along a reduced loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dot {
    /// The reduced loop, by its place: one step of it moves every operand by one element or not at all.
    pub along: usize,
    /// The number of vectors of 16 that hold a cell.
    pub vectors: u64,
    /// A free loop along which some operand does not move, and the number of its steps that are processed together.
    pub rows: Option<(usize, u64)>,
    /// The number of tiles of rows that a work-item computes, one after the other.
    pub strip: u64,
}

impl Dot {
    /// The number of elements of a vector.
    pub const LANES: u64 = 16;

    /// The number of steps in a block of a very long loop, which has sums of its own.
    pub const BLOCK: u64 = 1024;
}

/// Cells in local memory, all of which are updated at each step of the reduced loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sweep {
    /// The free loop along which the cells lie.
    pub vector: usize,
    /// The number of cells that a work-item holds.
    pub width: u64,
}

/// A block of cells whose operand is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Staged {
    /// The free loop along which neighbouring cells are written.
    pub vector: usize,
    /// The free loop along which neighbouring elements are read.
    pub row: usize,
    /// The number of cells in a row of a block: a multiple of 16, at most the extent of the loop.
    pub width: u64,
    /// The number of rows, with the same conditions.
    pub height: u64,
}

/// The way in which a kernel iterates over its loop nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// Each work-item computes a cell.
    Cell,
    /// Each work-item computes a tile.
    Tile(Tile),
    /// Each work-item computes a block of tiles.
    Packed(Packed),
    /// Each work-item computes some cells, from vectors along a reduced loop.
    Dot(Dot),
    /// Each work-item computes a row of cells.
    Sweep(Sweep),
    /// Each work-item computes a transposed block.
    Staged(Staged),
    /// Each group of work-items computes a block of a contraction.
    Grid(Grid),
    /// Some work-items together compute a cell.
    Team(Team),
    /// Each work-item computes a few cells that are far apart.
    Spread(Spread),
    /// Each group of work-items computes a transposed square.
    Turned(Turned),
}

/// The bounds on the rows and the vectors of a tile, whose cells fill vector registers. There are 32 with 512 bits;
/// some are needed for operands.
const ROWS: u64 = 6;
const VECTORS: u64 = 4;

/// The numbers of rows of an operand that can be transposed together: the widths of vectors.
pub(crate) const TURNED: [u64; 3] = [16, 8, 4];

impl Packed {
    /// The number of points of a panel with which panels stay in the first-level cache beside a tile's rows.
    const DEPTH: u64 = 128;
    /// The number of rows of a block: its packed part of the row operand stays in the second-level cache.
    const BLOCK_ROWS: u64 = 96;
    const BLOCK_PANELS: u64 = 8;
    /// The number of blocks that keeps a few cores evenly busy.
    const BLOCKS: u64 = 16;

    /// Returns the number of totals of cells that a work-item keeps for an epilogue.
    pub fn totals(&self, job: &Job) -> u64 {
        match job.epilogue.is_some() {
            true => self.block_rows * self.block_panels * self.tile.width(),
            false => 0,
        }
    }

    /// Returns the number of times that the operand of the rows is copied.
    #[cfg(feature = "opencl")]
    pub fn row_copies(&self, job: &Job) -> u64 {
        let columns = job.loops.free[self.tile.vector].extent;
        columns.div_ceil(self.block_panels * self.tile.width())
    }

    /// Returns the number of points below which packing costs more than it saves, if a cell has so many values:
    /// operands of a product of 256 by 256 by 256 stay in the second-level cache as they are. Long sums are more
    /// accurate in blocks.
    fn least_points(values: u64) -> u64 {
        match values {
            0..4096 => 1 << 25,
            _ => 1 << 18,
        }
    }
}

/// The approximate number of points of a work-item of a kernel with reduced loops, since starting it costs about a
/// tenth of a microsecond.
const POINTS: u64 = 1 << 17;

/// The least number of cells in local memory, fewer of which are not worth it, and the most bytes, more of which do not
/// stay in the first-level cache.
const SWEPT: [u64; 2] = [64, 1 << 14];

impl Schedule {
    /// Chooses the schedule of a job on a kind of device.
    pub fn of(job: &Job, profile: Profile) -> Schedule {
        match profile {
            Profile::Cpu => Schedule::decided(job, true, u64::MAX),
            Profile::Parallel => Schedule::of_groups(job),
        }
    }

    /// Chooses a schedule without local memory, of which some devices have little.
    pub fn in_registers(job: &Job, profile: Profile) -> Schedule {
        match profile {
            Profile::Cpu => Schedule::decided(job, false, 0),
            Profile::Parallel => parallel::spread(job).map_or(Schedule::Cell, Schedule::Spread),
        }
    }

    /// Chooses the schedule of a part of a kernel, which cannot be two kernels.
    #[cfg(feature = "opencl")]
    pub fn of_part(job: &Job, profile: Profile) -> Schedule {
        match profile {
            Profile::Cpu => Schedule::decided(job, false, u64::MAX),
            Profile::Parallel => parallel::team(job).map_or(Schedule::Cell, Schedule::Team),
        }
    }

    /// Chooses the schedule of a job whose work-items are in groups.
    fn of_groups(job: &Job) -> Schedule {
        if let Some(grid) = parallel::grid(job) {
            return Schedule::Grid(grid);
        }
        if let Some(team) = parallel::team(job) {
            return Schedule::Team(team);
        }
        if let Some(turned) = parallel::turned(job) {
            return Schedule::Turned(turned);
        }
        parallel::spread(job).map_or(Schedule::Cell, Schedule::Spread)
    }

    /// Chooses the schedule for a CPU, whose kernel has at most so many bytes of local memory.
    fn decided(job: &Job, packs: bool, local: u64) -> Schedule {
        let fits = |schedule: &Schedule| schedule.local_bytes(job) <= local;
        let loops = &job.loops;
        let last = loops.free.len().checked_sub(1);
        let vector =
            last.filter(|last| loops.free[*last].strides[0] == 1 && !loops.free[*last].tied);
        let tile = vector.map(|vector| tile(job, vector));
        if let Some(tile) = tile.filter(|_| job.compensated) {
            // A compensated sum has two values for each cell in registers, so its tiles are smaller.
            return Schedule::Tile(Tile {
                vectors: tile.vectors.min(2),
                rows: tile.rows.map(|(row, rows)| (row, rows.min(ROWS / 2))),
                ..tile
            });
        }
        if let Some(packed) = tile.filter(|_| packs).and_then(|tile| packed(job, tile)) {
            return Schedule::Packed(packed);
        }
        if let Some(dot) = dot(job, tile) {
            return Schedule::Dot(dot);
        }
        let sweep = tile.and_then(|tile| sweep(job, tile));
        if let Some(sweep) = sweep.map(Schedule::Sweep).filter(fits) {
            return sweep;
        }
        let staged = tile.and_then(|tile| staged(job, tile));
        if let Some(staged) = staged.map(Schedule::Staged).filter(fits) {
            return staged;
        }
        tile.map_or(Schedule::Cell, |tile| {
            Schedule::Tile(Tile {
                strip: strip(job, tile.width() * tile.height()),
                ..tile
            })
        })
    }

    /// Returns the number of bytes of local memory of the kernel of a job.
    pub fn local_bytes(&self, job: &Job) -> u64 {
        let values = match self {
            Schedule::Packed(packed) => packed.block_rows * packed.depth + packed.totals(job),
            Schedule::Sweep(sweep) => sweep.width,
            Schedule::Staged(staged) => staged.width * staged.height,
            Schedule::Grid(grid) => grid.local(),
            Schedule::Team(team) => ITEMS * team.height(),
            Schedule::Turned(_) => SQUARE * (SQUARE + 1),
            Schedule::Cell | Schedule::Tile(_) | Schedule::Dot(_) | Schedule::Spread(_) => 0,
        };
        job.precision.bytes() * values
    }

    /// Returns the number of work-items that the schedule needs.
    pub fn work_items(&self, loops: &Loops) -> u64 {
        let of = |number: usize, step: u64| {
            let extent = loops.free[number].extent;
            (extent, extent.div_ceil(step))
        };
        let cells = loops.cells();
        let blocks = |parts: &[(usize, u64)]| {
            parts.iter().fold(cells, |cells, (number, step)| {
                let (extent, blocks) = of(*number, *step);
                cells / extent * blocks
            })
        };
        match self {
            Schedule::Cell => cells,
            Schedule::Tile(tile) => {
                let mut parts = vec![(tile.vector, tile.width())];
                parts.extend(tile.rows);
                blocks(&parts).div_ceil(tile.strip)
            }
            Schedule::Packed(packed) => {
                let width = packed.block_panels * packed.tile.width();
                let row = packed.tile.rows.map_or(0, |(row, _)| row);
                blocks(&[(packed.tile.vector, width), (row, packed.block_rows)])
            }
            Schedule::Dot(dot) => {
                let parts: Vec<(usize, u64)> = dot.rows.into_iter().collect();
                blocks(&parts).div_ceil(dot.strip)
            }
            Schedule::Sweep(sweep) => blocks(&[(sweep.vector, sweep.width)]),
            Schedule::Staged(staged) => {
                blocks(&[(staged.vector, staged.width), (staged.row, staged.height)])
            }
            Schedule::Grid(grid) => {
                blocks(&[(grid.row, grid.rows()), (grid.column, grid.columns())]) * ITEMS
            }
            Schedule::Team(team) => (cells / team.height()).div_ceil(team.teams()) * ITEMS,
            Schedule::Spread(spread) => cells.div_ceil(spread.cells * ITEMS) * ITEMS,
            Schedule::Turned(turned) => {
                blocks(&[(turned.row, SQUARE), (turned.column, SQUARE)]) * ITEMS
            }
        }
    }

    /// Writes the schedule as a line of text, with the loops that it divides.
    pub fn line(&self, loops: &Loops) -> String {
        let extents = |name: &str, loops: &[super::loops::Loop]| {
            let each = loops.iter().enumerate();
            let each = each.map(|(number, one)| format!("{name}{number}:{}", one.extent));
            each.collect::<Vec<_>>().join(" ")
        };
        let (free, reduced) = (extents("i", &loops.free), extents("k", &loops.reduced));
        format!("{self}  [{free} | {reduced}]")
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |rows: Option<(usize, u64)>| match rows {
            Some((row, height)) => format!("{height} rows of i{row} x "),
            None => String::new(),
        };
        match self {
            Schedule::Cell => f.write_str("cell"),
            Schedule::Tile(tile) => write!(
                f,
                "tile {}{} vectors of {} of i{}, {} a work-item",
                rows(tile.rows),
                tile.vectors,
                tile.lanes,
                tile.vector,
                tile.strip
            ),
            Schedule::Packed(packed) => write!(
                f,
                "packed {}{} vectors of {} of i{}, blocks of {} rows x {} panels x {} points",
                rows(packed.tile.rows),
                packed.tile.vectors,
                packed.tile.lanes,
                packed.tile.vector,
                packed.block_rows,
                packed.block_panels,
                packed.depth
            ),
            Schedule::Dot(dot) => write!(
                f,
                "dot {}{} vectors of 16 of k{}, {} a work-item",
                rows(dot.rows),
                dot.vectors,
                dot.along,
                dot.strip
            ),
            Schedule::Sweep(sweep) => write!(f, "sweep {} cells of i{}", sweep.width, sweep.vector),
            Schedule::Staged(staged) => write!(
                f,
                "staged {} rows of i{} x {} cells of i{}",
                staged.height, staged.row, staged.width, staged.vector
            ),
            Schedule::Grid(grid) => write!(
                f,
                "grid {} rows of i{} x {} columns of i{}, blocks of {} points of k{}, {} a work-item",
                grid.rows(),
                grid.row,
                grid.columns(),
                grid.column,
                grid.depth,
                grid.along,
                grid.each
            ),
            Schedule::Team(team) => write!(
                f,
                "team {}{} items along k{}",
                rows(team.rows),
                team.items,
                team.along
            ),
            Schedule::Spread(spread) => write!(f, "spread {} cells an item", spread.cells),
            Schedule::Turned(turned) => {
                write!(
                    f,
                    "turned rows of i{} x cells of i{}",
                    turned.row, turned.column
                )
            }
        }
    }
}

/// Chooses the number of tiles with this number of cells that a work-item computes: enough to be worth starting it, but
/// few enough that there are enough work-items.
fn strip(job: &Job, cells: u64) -> u64 {
    if job.loops.reduced.is_empty() {
        return 1;
    }
    let tiles = (job.loops.cells() / cells).max(1);
    let points = cells.saturating_mul(job.loops.values_a_cell());
    (POINTS / points.max(1)).min(tiles / 64).max(1)
}

fn tile(job: &Job, vector: usize) -> Tile {
    let loops = &job.loops;
    let extent = loops.free[vector].extent;
    let widths = [16, 8, 4].into_iter();
    let lanes = widths
        .filter(|lanes| *lanes <= job.lanes())
        .find(|lanes| *lanes <= extent);
    let lanes = lanes.unwrap_or(2);
    // Without reduced loops each value is read once, so registers are of use only for transposition.
    if loops.reduced.is_empty() {
        return Tile {
            vector,
            lanes,
            vectors: 1,
            rows: turned(loops, vector),
            strip: 1,
        };
    }
    let vectors = (extent / lanes).min(VECTORS);
    let most = (ROWS * VECTORS / vectors).min(2 * ROWS);
    Tile {
        vector,
        lanes,
        vectors,
        rows: rows(loops, vector).map(|row| (row, height(loops.free[row].extent, most))),
        strip: 1,
    }
}

/// Chooses the height of as few tiles as possible that are as equal as possible: of eight rows, twice four and not six
/// and two, since the second tile would compute the rows of the first again.
fn height(rows: u64, most: u64) -> u64 {
    rows.div_ceil(rows.div_ceil(most))
}

/// Vectors along a reduced loop, if the order is free and vectors of cells are not suitable: the cells are not
/// neighbours, are too few, or read elements that lie far apart.
fn dot(job: &Job, tile: Option<Tile>) -> Option<Dot> {
    let loops = &job.loops;
    if !job.is_free() || !loops.is_plain() || job.operands() == 0 {
        return None;
    }
    let gathers = |tile: &Tile| {
        let along = &loops.free[tile.vector].strides;
        along[1..].iter().any(|stride| *stride > 1)
    };
    if tile.is_some_and(|tile| tile.lanes >= 8 && !gathers(&tile)) {
        return None;
    }
    let lies = |number: &usize| {
        let along = &loops.reduced[*number].strides[1..];
        along.iter().all(|stride| *stride <= 1) && along.contains(&1)
    };
    let along = (0..loops.reduced.len())
        .filter(lies)
        .max_by_key(|number| loops.reduced[*number].extent)?;
    let extent = loops.reduced[along].extent;
    if extent < 16 {
        return None;
    }
    let reuses = |row: &usize| {
        let strides = &loops.free[*row].strides[1..];
        strides.contains(&0) && strides.iter().any(|stride| *stride > 0)
    };
    let row = (0..loops.free.len())
        .filter(reuses)
        .max_by_key(|row| loops.free[*row].extent);
    let rows = row.map(|row| (row, loops.free[row].extent.min(4)));
    let height = rows.map_or(1, |(_, height)| height);
    let vectors = (extent / 16).min(if height > 2 { 2 } else { 4 });
    Some(Dot {
        along,
        vectors,
        rows,
        strip: strip(job, height),
    })
}

/// Chooses rows of cells in local memory, if operands lie along the cells and no value that is read is used twice.
fn sweep(job: &Job, tile: Tile) -> Option<Sweep> {
    let loops = &job.loops;
    if !job.is_free() || !loops.is_plain() || tile.rows.is_some() || loops.reduced.is_empty() {
        return None;
    }
    let along = &loops.free[tile.vector];
    let lies = along.strides[1..].iter().all(|stride| *stride <= 1);
    let [least, bytes] = SWEPT;
    let most = bytes / job.precision.bytes();
    (lies && along.strides[1..].contains(&1) && along.extent >= least).then(|| Sweep {
        vector: tile.vector,
        width: along.extent.min(most),
    })
}

/// Chooses blocks of a transposed operand, if it is the only operand.
fn staged(job: &Job, tile: Tile) -> Option<Staged> {
    let loops = &job.loops;
    let (row, 16) = tile.rows? else {
        return None;
    };
    if !loops.reduced.is_empty() || !loops.is_plain() || job.operands() != 1 || !job.is_straight() {
        return None;
    }
    let (columns, rows) = (loops.free[tile.vector].extent, loops.free[row].extent);
    let most = match job.precision {
        Precision::F32 => 256,
        Precision::F64 => 128,
    };
    let side = |extent: u64| extent.min(most) / 16 * 16;
    (columns >= 64 && rows >= 64).then(|| Staged {
        vector: tile.vector,
        row,
        width: side(columns),
        height: side(rows),
    })
}

/// Finds the free loop along which an operand is contiguous in memory while its elements along the vectors lie far
/// apart. Such an operand is read in vectors along that loop, a square at a time, and transposed in registers, so that
/// each cache line is read once.
fn turned(loops: &Loops, vector: usize) -> Option<(usize, u64)> {
    let along = &loops.free[vector].strides;
    let far = |slot: &usize| along[*slot] > 1;
    let (row, extent) = (1..along.len()).filter(far).find_map(|slot| {
        let near = |row: &usize| loops.free[*row].strides[slot] == 1 && !loops.free[*row].tied;
        let row = (0..loops.free.len()).find(near)?;
        Some((row, loops.free[row].extent))
    })?;
    let square = TURNED.into_iter().find(|height| *height <= extent)?;
    Some((row, square))
}

/// Finds the longest free loop along which an operand that moves with the vectors does not move, so that values read
/// for one row can be used for the next.
fn rows(loops: &Loops, vector: usize) -> Option<usize> {
    let along = &loops.free[vector].strides;
    let reuses = |row: &usize| {
        let across = &loops.free[*row].strides;
        *row != vector
            && !loops.free[*row].tied
            && (1..along.len()).any(|slot| along[slot] != 0 && across[slot] == 0)
    };
    (0..loops.free.len())
        .filter(reuses)
        .max_by_key(|row| loops.free[*row].extent)
}

fn packed(job: &Job, tile: Tile) -> Option<Packed> {
    let loops = &job.loops;
    let (row, height) = tile.rows?;
    if !loops.is_plain() {
        return None;
    }
    // Between two blocks of points the total of a cell is in the written tensor, where it would be rounded.
    if job.precision_of(0) != job.precision
        || job.operands() != 2
        || tile.lanes != job.lanes()
        || tile.vectors < 2
        || height < 2
    {
        return None;
    }
    let (along, across) = (&loops.free[tile.vector].strides, &loops.free[row].strides);
    let moves = |slot: usize| (across[slot] != 0, along[slot] != 0);
    let (row_operand, vector_operand) = match (moves(1), moves(2)) {
        ((true, false), (false, true)) => (1, 2),
        ((false, true), (true, false)) => (2, 1),
        _ => return None,
    };
    let (rows, columns) = (loops.free[row].extent, loops.free[tile.vector].extent);
    let values = loops.values_a_cell();
    let points = values.saturating_mul(rows).saturating_mul(columns);
    if points < Packed::least_points(values) || values < 16 || rows < 2 * height {
        return None;
    }
    let others: u64 = loops.cells() / (rows * columns);
    let panels = columns.div_ceil(tile.width());
    let block_panels = panels.min(Packed::BLOCK_PANELS);
    let wanted = Packed::BLOCKS.div_ceil(others * panels.div_ceil(block_panels));
    let tiles = (rows.div_ceil(height) / wanted).max(1);
    Some(Packed {
        tile,
        row_operand,
        vector_operand,
        block_rows: (tiles * height).min(Packed::BLOCK_ROWS / height * height),
        block_panels,
        depth: values.min(Packed::DEPTH),
    })
}
