//! How the cells of a loop nest are spread over work-items and vector lanes.
//!
//! Every schedule keeps the order in which the values of a cell meet, so that a kernel gives the interpreter's numbers to the
//! last bit: only loops whose points write *different* cells are spread, tiled and vectorised. The loops that are reduced run
//! inside, in their order.
//!
//! | schedule | when | what a work-item computes |
//! |---|---|---|
//! | [`Schedule::Cell`] | no neighbouring cells are written, or the device is no CPU | one cell |
//! | [`Schedule::Tile`] | some loop writes neighbouring cells | rows × vectors of cells, held in registers |
//! | [`Schedule::Packed`] | two operands meet like the factors of a large matrix product | a block of tiles, from packed operands |

use super::loops::Loops;

/// The kind of device that a kernel is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Few cores with wide vector units, on which a work-item does its own blocking.
    Cpu,
    /// Many small work-items side by side.
    Parallel,
}

/// The cells that one work-item holds in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// The free loop along which neighbouring cells are written, by its place in [`Loops::free`]. No guard and no tie reads it,
    /// nor the loop of the rows: a tile exists as a whole.
    pub vector: usize,
    /// The lanes of a vector: 2, 4, 8 or 16, and at most the extent of the loop.
    pub lanes: u64,
    /// How many vectors lie side by side; with the lanes at most the extent of the loop.
    pub vectors: u64,
    /// Another free loop, and how many of its steps are taken together, at most its extent.
    pub rows: Option<(usize, u64)>,
}

impl Tile {
    /// How many neighbouring cells a row of the tile has.
    pub fn width(&self) -> u64 {
        self.lanes * self.vectors
    }

    /// How many rows it has.
    pub fn height(&self) -> u64 {
        self.rows.map_or(1, |(_, rows)| rows)
    }
}

/// A contraction of two operands: one moves along the rows of a tile, the other along its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// The registers; it has rows, and [`Packed::LANES`] lanes.
    pub tile: Tile,
    /// The slot of the operand that moves along the rows and not along the vectors.
    pub row_operand: usize,
    /// The slot of the operand that moves along the vectors and not along the rows.
    pub vector_operand: usize,
    /// How many rows a work-item computes: a multiple of the tile's.
    pub block_rows: u64,
    /// How many panels, each as wide as the tile, a work-item computes.
    pub block_panels: u64,
    /// How many of the reduced points are taken at a time.
    pub depth: u64,
}

/// How a kernel goes through its loop nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// A cell a work-item.
    Cell,
    /// A tile a work-item.
    Tile(Tile),
    /// A block of tiles a work-item.
    Packed(Packed),
}

/// As many vector registers as a tile may fill with its cells. 32 are there with 512 bits; some are left for operands.
const ROWS: u64 = 6;
const VECTORS: u64 = 4;

/// How many rows of an operand can be turned together: the widths of vectors.
pub(super) const TURNED: [u64; 3] = [16, 8, 4];

impl Packed {
    const LANES: u64 = 16;
    /// Panels of this many points stay in the first-level cache beside a tile's rows.
    const DEPTH: u64 = 128;
    /// Rows of a block: its packed part of the row operand stays in the second-level cache.
    const BLOCK_ROWS: u64 = 96;
    const BLOCK_PANELS: u64 = 8;
    /// Below this many points packing costs more than it saves.
    const LEAST_POINTS: u64 = 1 << 18;
    /// So many blocks keep a few cores evenly busy.
    const BLOCKS: u64 = 16;
}

impl Schedule {
    /// The schedule of a loop nest whose function reads `operands` operands. A compensated sum holds two values for a cell in
    /// registers, so that its tiles are smaller.
    pub fn of(loops: &Loops, operands: usize, profile: Profile, compensated: bool) -> Schedule {
        let last = loops.free.len().checked_sub(1);
        let vector =
            last.filter(|last| loops.free[*last].strides[0] == 1 && !loops.free[*last].tied);
        match (profile, vector) {
            (Profile::Cpu, Some(vector)) => {
                let tile = tile(loops, vector);
                if compensated {
                    return Schedule::Tile(Tile {
                        vectors: tile.vectors.min(2),
                        rows: tile.rows.map(|(row, rows)| (row, rows.min(ROWS / 2))),
                        ..tile
                    });
                }
                packed(loops, operands, tile).map_or(Schedule::Tile(tile), Schedule::Packed)
            }
            _ => Schedule::Cell,
        }
    }
}

fn tile(loops: &Loops, vector: usize) -> Tile {
    let extent = loops.free[vector].extent;
    let lanes = [16, 8, 4].into_iter().find(|lanes| *lanes <= extent);
    let lanes = lanes.unwrap_or(2);
    // Without reduced loops each value is read once, and registers hold nothing for later but what is turned.
    if loops.reduced.is_empty() {
        return Tile {
            vector,
            lanes,
            vectors: 1,
            rows: turned(loops, vector),
        };
    }
    let vectors = (extent / lanes).min(VECTORS);
    Tile {
        vector,
        lanes,
        vectors,
        rows: rows(loops, vector).map(|row| (row, loops.free[row].extent.min(ROWS))),
    }
}

/// The free loop along which an operand lies in memory that the vectors would gather from far apart: it is read in vectors along
/// that loop, a square at a time, and turned in registers, so that each line of the cache is read once.
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

/// The longest free loop along which an operand that moves with the vectors stands still: what is read for one row serves
/// for the next.
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

fn packed(loops: &Loops, operands: usize, tile: Tile) -> Option<Packed> {
    let (row, height) = tile.rows?;
    if !loops.is_plain() {
        return None;
    }
    if operands != 2 || tile.lanes != Packed::LANES || tile.vectors < 2 || height < 2 {
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
    if points < Packed::LEAST_POINTS || values < 16 || rows < 2 * height {
        return None;
    }
    let others: u64 = loops.cells() / (rows * columns);
    let panels = columns.div_ceil(tile.width());
    let block_panels = panels.min(Packed::BLOCK_PANELS);
    let wanted = Packed::BLOCKS.div_ceil(others * panels.div_ceil(block_panels));
    let tiles = rows.div_ceil(height).div_ceil(wanted).max(1);
    Some(Packed {
        tile,
        row_operand,
        vector_operand,
        block_rows: (tiles * height).min(Packed::BLOCK_ROWS / height * height),
        block_panels,
        depth: values.min(Packed::DEPTH),
    })
}
