//! [`Schedule::Tile`](crate::opencl::plan::schedule::Schedule::Tile): one work-item computes a tile of rows and
//! vectors, held in registers.
//!
//! A tile at the end of a loop is moved back until it fits, so that every read is within its tensor. It stores none of
//! the cells that it shares with its neighbour. The values that it reads for them do not matter, because a kernel that
//! reads the tensor that it writes reads at each point only the cell of this point.

use super::expression::{compensated, met, stored, value};
use super::kernel::Kernel;
use super::pocl_vector_moves::{ROLLED, STREAMED};
use super::text::{Text, Workers, scaled};
use crate::opencl::plan::schedule::{TURNED, Tile};

/// The group size of kernels without reduced loops, which are so short that starting groups of one would take most of
/// the time.
const GROUP: u64 = 64;

/// The number of tiles that a work-item of a short kernel with several loops computes, so that their numbers need no
/// division.
const RUN: u64 = 256;

/// The bytes of short runs that are on their way into the cache at a time, and the most runs that they are from.
/// Measured with runs of 256 bytes a page apart and more: 1.5 times as fast as without, and as fast with half or twice
/// as many.
const AHEAD: u64 = 2048;
const RUNS_AHEAD: u64 = 16;

pub(super) fn kernel(mut text: Text, tile: Tile) -> Kernel {
    let columns = text.loops.free[tile.vector].extent;
    let mut split = vec![("tile_column".to_string(), columns.div_ceil(tile.width()))];
    if let Some((row, height)) = tile.rows {
        let rows = text.loops.free[row].extent;
        split.push(("tile_row".to_string(), rows.div_ceil(height)));
    }
    for (number, one) in text.loops.free.iter().enumerate().rev() {
        if number != tile.vector && Some(number) != tile.rows.map(|(row, _)| row) {
            split.push((format!("i{number}"), one.extent));
        }
    }
    let tiles: u64 = split.iter().map(|(_, extent)| extent).product();
    text.parameters(&[]);
    let alone = text.workers == Workers::Kernel && text.loops.reduced.is_empty();
    let run = match alone && split.len() > 1 && tiles >= RUN * GROUP {
        true => text.split_run(&split, RUN),
        false => None,
    };
    let group = match alone && run.is_none() && tiles >= GROUP {
        true => GROUP,
        false => 1,
    };
    if alone {
        text.ahead = ahead(&text, tile);
    }
    let work_items = match run {
        Some(work_items) => work_items,
        None if group == 1 => text.split_strips(&split, tile.strip),
        None => {
            if !tiles.is_multiple_of(group) {
                text.line(format!("if (get_global_id(0) >= {tiles}UL) return;"));
            }
            text.split_item(&split);
            tiles.next_multiple_of(group)
        }
    };
    let mut writer = Writer { text, tile };
    writer.write();
    writer.text.close_strips();
    writer.text.done(work_items, Some(group))
}

/// Finds the operands that are read in runs too short for a processor to foresee the next one, with the distance of a
/// run that is read a little later.
fn ahead(text: &Text, tile: Tile) -> Vec<(usize, u64)> {
    let free = &text.loops.free;
    let outer = (0..free.len()).rev().find(|number| *number != tile.vector);
    let Some(outer) = outer.filter(|_| tile.rows.is_none()) else {
        return Vec::new();
    };
    let (columns, outer) = (&free[tile.vector], &free[outer]);
    let distance = |slot: usize| {
        let bytes = text.job.precision_of(slot).bytes();
        let (run, stride) = (columns.extent * bytes, outer.strides[slot]);
        let is_run = columns.strides[slot] == 1 && stride > columns.extent;
        let is_large = stride.saturating_mul(outer.extent * bytes) >= STREAMED;
        let distance = (AHEAD / run.max(1)).min(RUNS_AHEAD) * stride;
        (is_run && is_large && distance > 0).then_some((slot, distance))
    };
    (1..=text.operands()).filter_map(distance).collect()
}

struct Writer<'a> {
    text: Text<'a>,
    tile: Tile,
}

impl Writer<'_> {
    fn write(&mut self) {
        let (columns, width) = (self.extent(Some(self.tile.vector)), self.tile.width());
        self.text.start_of("column", "tile_column", columns, width);
        if let Some((row, height)) = self.tile.rows {
            let rows = self.extent(Some(row));
            self.text.start_of("row", "tile_row", rows, height);
        }
        self.text.leave_outside();
        for slot in 0..=self.text.operands() {
            let at = self
                .text
                .address(slot, |number| Some(self.free(number)), |_| None);
            self.text.constant(&format!("at{slot}"), at);
        }
        self.accumulate();
        self.store();
    }

    fn extent(&self, one: Option<usize>) -> u64 {
        one.map_or(1, |one| self.text.loops.free[one].extent)
    }

    fn free(&self, number: usize) -> String {
        match number {
            _ if number == self.tile.vector => "column".to_string(),
            _ if self.tile.rows.is_some_and(|(row, _)| row == number) => "row".to_string(),
            _ => format!("i{number}"),
        }
    }

    /// Lists the cells of the tile, as pairs of row and vector.
    fn cells(&self) -> Vec<(u64, u64)> {
        let (height, vectors) = (self.tile.height(), self.tile.vectors);
        let rows = 0..height;
        rows.flat_map(|row| (0..vectors).map(move |vector| (row, vector)))
            .collect()
    }

    /// Returns the distances by which one step of the tile's rows and columns moves an address.
    fn steps(&self, slot: usize) -> (u64, u64) {
        let free = &self.text.loops.free;
        let across = self.tile.rows.map_or(0, |(row, _)| free[row].strides[slot]);
        (across, free[self.tile.vector].strides[slot])
    }

    /// Returns the name of the operand of a slot for a cell of the tile. Cells that read the same element share it.
    fn operand(&self, slot: usize, row: u64, vector: u64) -> String {
        match self.steps(slot) {
            (0, 0) => format!("x{slot}"),
            (0, _) => format!("x{slot}_v{vector}"),
            (_, 0) => format!("x{slot}_r{row}"),
            _ => format!("x{slot}_r{row}_v{vector}"),
        }
    }

    /// Reads the operands of all cells at the present point of the reduced loops.
    fn read(&mut self) {
        let float = self.text.float(self.tile.lanes);
        for slot in 1..=self.text.operands() {
            let inner = self.text.loops.reduced.iter().enumerate();
            let moved = inner.filter(|(_, one)| one.strides[slot] > 0);
            let base = moved.fold(format!("at{slot}"), |at, (number, one)| {
                format!(
                    "{at} + {}",
                    scaled(&format!("k{number}"), one.strides[slot])
                )
            });
            let (across, along) = self.steps(slot);
            if self.is_turned(slot) {
                self.read_turned(slot, &base);
                continue;
            }
            let mut known = Vec::new();
            for (row, vector) in self.cells() {
                let name = self.operand(slot, row, vector);
                if known.contains(&name) {
                    continue;
                }
                let moved = row * across + vector * self.tile.lanes * along;
                let at = if moved == 0 {
                    base.clone()
                } else {
                    format!("{base} + {moved}")
                };
                let values = self.vector(slot, &at, along);
                self.text.line(format!("const {float} {name} = {values};"));
                known.push(name);
            }
        }
    }

    /// Tells whether an operand is contiguous in memory along the rows of the tile, and not along its vectors.
    fn is_turned(&self, slot: usize) -> bool {
        let (across, along) = self.steps(slot);
        let plain = self.text.loops.reduced.is_empty();
        plain && across == 1 && along > 1 && TURNED.contains(&self.tile.height())
    }

    /// Reads an operand in vectors along the rows, one for each lane, and transposes them.
    fn read_turned(&mut self, slot: usize, base: &str) {
        let (_, along) = self.steps(slot);
        let (height, lanes) = (self.tile.height(), self.tile.lanes);
        let [across, float] = [height, lanes].map(|lanes| self.text.float(lanes));
        for vector in 0..self.tile.vectors {
            for lane in 0..lanes {
                let moved = (vector * lanes + lane) * along;
                self.text.line(format!(
                    "const {across} y{slot}_v{vector}_l{lane} = {};",
                    self.text
                        .load(slot, height, &format!("rhs{slot} + ({base} + {moved})"))
                ));
            }
            for row in 0..height {
                let name = self.operand(slot, row, vector);
                let lane = |lane: u64| format!("y{slot}_v{vector}_l{lane}.s{row:x}");
                let all: Vec<String> = (0..lanes).map(lane).collect();
                self.text.line(format!(
                    "const {float} {name} = ({float})({});",
                    all.join(", ")
                ));
            }
        }
    }

    /// Writes the vector that starts at an address of an operand and takes elements at this distance.
    fn vector(&self, slot: usize, at: &str, apart: u64) -> String {
        let (lanes, buffer) = (self.tile.lanes, format!("rhs{slot}"));
        let float = self.text.float(lanes);
        match apart {
            0 => format!("({float})({buffer}[{at}])"),
            1 => self.text.load(slot, lanes, &format!("{buffer} + ({at})")),
            _ => {
                let lane = |lane: u64| match lane {
                    0 => format!("{buffer}[{at}]"),
                    _ => format!("{buffer}[{at} + {}]", lane * apart),
                };
                let all: Vec<String> = (0..lanes).map(lane).collect();
                format!("({float})({})", all.join(", "))
            }
        }
    }

    fn operands(&self, row: u64, vector: u64) -> Vec<String> {
        let slots = 1..=self.text.operands();
        slots.map(|slot| self.operand(slot, row, vector)).collect()
    }

    fn value(&self, row: u64, vector: u64) -> String {
        let operands = self.operands(row, vector);
        value(
            &self.text.job.function,
            self.text.job.precision,
            self.tile.lanes,
            &operands,
        )
    }

    fn accumulate(&mut self) {
        let lanes = self.tile.lanes;
        let float = self.text.float(lanes);
        let how = self.text.job.accumulator.combine;
        let (across, _) = self.steps(0);
        if self.text.is_straight() {
            self.read();
            for (row, vector) in self.cells() {
                let value = stored(how, &self.value(row, vector));
                self.text
                    .line(format!("const {float} t{row}_{vector} = {value};"));
            }
            return;
        }
        for (row, vector) in self.cells() {
            let at = row * across + vector * lanes;
            let start = match self.text.start() {
                Some(neutral) => format!("({float})({neutral})"),
                None => self.text.load(0, lanes, &format!("lhs + (at0 + {at})")),
            };
            self.text
                .line(format!("{float} t{row}_{vector} = {start};"));
        }
        let long_sum = self.text.job.compensated;
        if long_sum {
            for (row, vector) in self.cells() {
                let zero = self.text.number(0.0);
                let zero = format!("{float} e{row}_{vector} = ({float})({zero});");
                self.text.line(zero);
            }
        }
        self.text.open_reduced();
        self.read();
        for (row, vector) in self.cells() {
            let total = format!("t{row}_{vector}");
            if long_sum {
                let excess = format!("e{row}_{vector}");
                let value = self.value(row, vector);
                for line in compensated(
                    how,
                    self.text.job.precision,
                    lanes,
                    [&total, &excess],
                    &value,
                ) {
                    self.text.line(line);
                }
                continue;
            }
            let next = match self.text.is_plain() {
                true => stored(how, &self.value(row, vector)),
                false => met(self.text.job, lanes, &total, &self.operands(row, vector)),
            };
            self.text.line(format!("{total} = {next};"));
        }
        self.text.close_reduced();
    }

    fn store(&mut self) {
        let columns = self.extent(Some(self.tile.vector));
        if columns.is_multiple_of(self.tile.width()) {
            self.store_vectors();
            return;
        }
        self.text.line("if (column == first_column) {");
        self.store_vectors();
        self.text.line("} else {");
        self.store_own_columns();
        self.text.line("}");
    }

    /// Tells whether a tile at the end of the rows shares some rows with its neighbour.
    fn has_moved_rows(&self) -> bool {
        let rows = self.tile.rows;
        rows.is_some_and(|(row, height)| !self.extent(Some(row)).is_multiple_of(height))
    }

    /// Stores the vectors of all rows that belong to this tile alone.
    fn store_vectors(&mut self) {
        let lanes = self.tile.lanes;
        let (across, _) = self.steps(0);
        for row in 0..self.tile.height() {
            if self.has_moved_rows() {
                self.text.line(format!("if (row + {row} >= first_row) {{"));
            }
            for vector in 0..self.tile.vectors {
                let at = format!("at0 + {}", row * across + vector * lanes);
                let total = format!("t{row}_{vector}");
                let statement = self.text.write_vector(lanes, &total, &at);
                self.text.line(statement);
            }
            if self.has_moved_rows() {
                self.text.line("}");
            }
        }
    }

    /// Stores the columns that belong to this tile alone, by one loop for all rows: a loop for each vector would take
    /// the compiler several times as long as the rest of the kernel.
    fn store_own_columns(&mut self) {
        let (lanes, width, height) = (self.tile.lanes, self.tile.width(), self.tile.height());
        let (across, _) = self.steps(0);
        let index = self.text.index;
        let float = self.text.float(1);
        self.text.line(format!("{float} lane[{}];", height * width));
        for (row, vector) in self.cells() {
            let at = row * width + vector * lanes;
            self.text
                .line(format!("vstore{lanes}(t{row}_{vector}, 0, lane + {at});"));
        }
        let first_row = match self.has_moved_rows() {
            true => "first_row - row",
            false => "0",
        };
        self.text
            .line(format!("for ({index} r = {first_row}; r < {height}; ++r)"));
        self.text.line(format!(
            "{ROLLED} for ({index} l = first_column - column; l < {width}; ++l) lhs[at0 + {} + l] = lane[r * {width} + l];",
            scaled("r", across)
        ));
    }
}
