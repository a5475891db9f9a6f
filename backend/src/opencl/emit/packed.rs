//! [`Schedule::Packed`](crate::opencl::plan::schedule::Schedule::Packed): a contraction as blocks of tiles, from packed
//! operands.
//!
//! A large matrix product that is computed tile by tile directly from the tensors is slow for three reasons: rows at a
//! distance of a power of two share few cache lines, every tile reads its operands from memory again, and the addresses
//! of several reduced loops are computed at every point. So the operand that moves along the vectors is first copied,
//! by a separate kernel, into panels `[outer][panel][point][column]` that are read sequentially; a work-item copies the
//! rows of the other operand that it needs into `[tile][point][row]`; and the innermost loop counts points.
//!
//! The points of a cell are processed in blocks, and between two blocks the total of the cell is kept in the written
//! tensor. The order of the sum remains that of the loop nest. If the job has an epilogue, totals are kept in local
//! memory, a place for each cell of a work-item, since the written tensor may be one that the epilogue reads. Behind
//! the last block all of them go through the epilogue.
//!
//! (The scheme is that of the BLIS and GotoBLAS libraries: K. Goto and R. van de
//! Geijn, *Anatomy of High-Performance Matrix Multiplication*, 2008.)

use lozenge_vocabulary::operation::Combine;

use super::epilogue::Cells;
use super::expression::{combined, combined_with, prepared};
use super::kernel::Kernel;
use super::pocl_vector_moves::ROLLED;
use super::text::{Text, scaled};
use crate::arithmetic::neutral;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::prepared::Prepared;
use crate::opencl::plan::schedule::Packed;

/// Writes the kernel that packs and the kernel that computes. Returns them with the number of values in the buffer of
/// panels.
pub(super) fn kernels(job: &Job, packed: Packed, scratch: usize) -> (Vec<Kernel>, u64) {
    let text = || Text::new(job);
    let shape = Shape::new(&text(), packed, scratch);
    let panels = shape
        .outer
        .iter()
        .map(|(_, extent)| extent)
        .product::<u64>()
        * shape.panels;
    let values = panels * shape.points * shape.width();
    (
        vec![shape.pack(text(), panels), shape.compute(text())],
        values,
    )
}

/// The sizes that both kernels share.
struct Shape {
    packed: Packed,
    /// The number of the buffer of panels.
    scratch: usize,
    /// The free loop of the rows.
    row: usize,
    rows: u64,
    columns: u64,
    /// The number of panels of columns.
    panels: u64,
    /// The number of values that are combined in a cell.
    points: u64,
    /// The free loops other than rows and columns along which the packed operand moves: each of their steps has its own
    /// panels.
    outer: Vec<(usize, u64)>,
    /// The other free loops.
    rest: Vec<(usize, u64)>,
}

impl Shape {
    fn new(text: &Text, packed: Packed, scratch: usize) -> Shape {
        let loops = text.loops;
        let row = packed.tile.rows.map_or(0, |(row, _)| row);
        let others = loops.free.iter().enumerate();
        let others = others.filter(|(number, _)| *number != row && *number != packed.tile.vector);
        let (outer, rest): (Vec<_>, Vec<_>) =
            others.partition(|(_, one)| one.strides[packed.vector_operand] > 0);
        let extents = |all: Vec<(usize, &crate::opencl::plan::loops::Loop)>| {
            all.into_iter()
                .map(|(number, one)| (number, one.extent))
                .collect()
        };
        let columns = loops.free[packed.tile.vector].extent;
        Shape {
            packed,
            scratch,
            row,
            rows: loops.free[row].extent,
            columns,
            panels: columns.div_ceil(packed.tile.width()),
            points: loops.values_a_cell(),
            outer: extents(outer),
            rest: extents(rest),
        }
    }

    fn width(&self) -> u64 {
        self.packed.tile.width()
    }

    /// Names the loops of `outer` and `rest` as constants of a work-item.
    fn named(loops: &[(usize, u64)]) -> Vec<(String, u64)> {
        let named = |(number, extent): &(usize, u64)| (format!("i{number}"), *extent);
        loops.iter().rev().map(named).collect()
    }

    /// Returns the functions that are applied to the operands when they are packed.
    fn prepared(&self, job: &Job) -> Prepared {
        Prepared::new(job, Some(self.packed.vector_operand - 1))
    }

    /// Writes the packing kernel, in which a work-item copies one panel. Columns past the end are zero; their results
    /// are never stored.
    fn pack(&self, mut text: Text, panels: u64) -> Kernel {
        let (slot, width, vector) = (
            self.packed.vector_operand,
            self.width(),
            self.packed.tile.vector,
        );
        let float = text.float(1);
        text.parameters(&[&format!("__global {float} *panels")]);
        let mut split = vec![("panel".to_string(), self.panels)];
        split.extend(Self::named(&self.outer));
        text.split_item(&split);
        let outer = |number: usize| match number {
            _ if number == self.row => None,
            _ if number == vector => Some(format!("panel * {width}")),
            _ if self.rest.iter().any(|(one, _)| *one == number) => None,
            _ => Some(format!("i{number}")),
        };
        let from = text.address(slot, outer, |_| None);
        text.constant("from", from);
        text.line(format!(
            "__global {float} *to = panels + get_global_id(0) * {};",
            self.points * width
        ));
        if !self.columns.is_multiple_of(width) {
            let left = format!(
                "min(({}){width}, {} - panel * {width})",
                text.index, self.columns
            );
            text.constant("columns", left);
        }
        text.open_reduced();
        let reduced = text.loops.reduced.iter().enumerate();
        let at = reduced.filter(|(_, one)| one.strides[slot] > 0);
        let at = at.fold("from".to_string(), |at, (number, one)| {
            format!(
                "{at} + {}",
                scaled(&format!("k{number}"), one.strides[slot])
            )
        });
        text.constant("at", at);
        let along = text.loops.free[vector].strides[slot];
        let index = text.index;
        let element = format!("rhs{slot}[at + {}]", scaled("c", along));
        let element = self.element(&text, slot, &element);
        if self.columns.is_multiple_of(width) {
            text.line(format!(
                "for ({index} c = 0; c < {width}; ++c) to[c] = {element};"
            ));
        } else {
            text.line(format!(
                "for ({index} c = 0; c < columns; ++c) to[c] = {element};"
            ));
            text.line(format!(
                "for ({index} c = columns; c < {width}; ++c) to[c] = {};",
                text.number(0.0)
            ));
        }
        text.line(format!("to += {width};"));
        text.close_reduced();
        let arguments = self.arguments(&text);
        text.finish(panels, Some(1), arguments)
    }

    /// Writes the computing kernel, in which a work-item computes `block_rows` rows of `block_panels` panels.
    fn compute(&self, mut text: Text) -> Kernel {
        let Packed {
            block_rows,
            block_panels,
            depth,
            tile,
            ..
        } = self.packed;
        let (height, width) = (tile.height(), self.width());
        let float = text.float(1);
        text.parameters(&[&format!("__global const {float} *panels")]);
        let rows = block_rows * depth;
        text.local = rows + self.packed.totals(text.job);
        text.line(format!("__local {float} *rows = local_values;"));
        if text.local > rows {
            text.line(format!("__local {float} *totals = local_values + {rows};"));
        }
        let blocks = [
            self.rows.div_ceil(block_rows),
            self.panels.div_ceil(block_panels),
        ];
        let mut split = vec![
            ("row_block".to_string(), blocks[0]),
            ("panel_block".to_string(), blocks[1]),
        ];
        split.extend(Self::named(&self.rest));
        split.extend(Self::named(&self.outer));
        let work_items = split.iter().map(|(_, extent)| extent).product();
        text.split_item(&split);
        let index = text.index;
        self.bounds(&mut text);
        let outer = |number: usize| {
            (number != self.row && number != tile.vector).then(|| format!("i{number}"))
        };
        for slot in [0, self.packed.row_operand] {
            let at = text.address(slot, outer, |_| None);
            text.constant(&format!("at{slot}"), at);
        }
        let outer = self
            .outer
            .iter()
            .fold("0".to_string(), |at, (number, extent)| {
                if at == "0" {
                    format!("i{number}")
                } else {
                    format!("({at}) * {extent} + i{number}")
                }
            });
        text.line(format!(
            "__global const {float} *own = panels + (ulong)({outer}) * {}UL;",
            self.panels * self.points * width
        ));
        text.line(format!(
            "for ({index} k = 0; k < {}; k += {depth}) {{",
            self.points
        ));
        let count = up_to(&text, "k", depth, self.points);
        text.constant("count", format!("{count} - k"));
        self.pack_rows(&mut text);
        text.line(format!(
            "for ({index} panel = first_panel; panel < end_panel; ++panel) {{"
        ));
        text.line(format!(
            "for ({index} row = first_row; row < end_row; row += {height}) {{"
        ));
        self.tile(&mut text);
        text.line("}");
        text.line("}");
        text.line("}");
        if text.job.epilogue.is_some() {
            self.end(&mut text);
        }
        let arguments = self.arguments(&text);
        text.finish(work_items, Some(1), arguments)
    }

    /// Declares the first row and panel of a work-item, and the end of its block.
    fn bounds(&self, text: &mut Text) {
        let Packed {
            block_rows,
            block_panels,
            ..
        } = self.packed;
        text.constant("first_row", scaled("row_block", block_rows));
        let last = up_to(text, "first_row", block_rows, self.rows);
        text.constant("end_row", last);
        text.constant("first_panel", scaled("panel_block", block_panels));
        let last = up_to(text, "first_panel", block_panels, self.panels);
        text.constant("end_panel", last);
    }

    /// Lists the buffers of the job, and the panels.
    fn arguments(&self, text: &Text) -> Vec<Argument> {
        let mut arguments = text.job.buffers.clone();
        arguments.push(Argument::Scratch(self.scratch));
        arguments
    }

    /// Copies the block's rows of the other operand at points `k` to `k + count`; rows past the end repeat the last.
    /// Where points lie nearer to each other than rows, a tile is copied along all points before the next one: many
    /// rows at a distance of a power of two would drive each other out of the cache.
    fn pack_rows(&self, text: &mut Text) {
        let Packed {
            row_operand: slot,
            depth,
            tile,
            ..
        } = self.packed;
        let (height, index) = (tile.height(), text.index);
        let across = text.loops.free[self.row].strides[slot];
        let innermost = text.loops.reduced.last();
        let points_are_near = innermost.is_some_and(|one| one.strides[slot] < across);
        let points = format!("for ({index} p = 0; p < count; ++p) {{");
        let rows = format!("for ({index} row = first_row; row < end_row; row += {height}) {{");
        let loops = match points_are_near {
            true => [rows, points],
            false => [points, rows],
        };
        loops.into_iter().for_each(|line| text.line(line));
        let at = self.point(text);
        text.constant("at", at);
        text.line(format!(
            "__local {} *to = rows + (row - first_row) * {depth} + p * {height};",
            text.float(1)
        ));
        for row in 0..height {
            let of = match self.rows.is_multiple_of(height) {
                true => format!("(row + {row})"),
                false => format!("min(row + {row}, ({index}){})", self.rows - 1),
            };
            let element = format!("rhs{slot}[at + {}]", scaled(&of, across));
            let element = self.element(text, slot, &element);
            text.line(format!("to[{row}] = {element};"));
        }
        text.line("}");
        text.line("}");
    }

    /// Returns the expression of an element of the tensor of a slot, after the function that is applied to it.
    fn element(&self, text: &Text, slot: usize, element: &str) -> String {
        let element = text.element(slot, element);
        let precision = text.job.precision;
        prepared(&self.prepared(text.job), slot, precision, element)
    }

    /// Writes the address of point `k + p` in the operand of the rows.
    fn point(&self, text: &Text) -> String {
        let slot = self.packed.row_operand;
        let mut inner = 1;
        let mut at = format!("at{slot}");
        let reduced = text.loops.reduced.iter();
        for (position, one) in reduced.rev().enumerate() {
            let outermost = position + 1 == text.loops.reduced.len();
            let divided = if inner == 1 {
                "(k + p)".to_string()
            } else {
                format!("(k + p) / {inner}")
            };
            let value = if outermost {
                divided
            } else {
                format!("({divided} % {})", one.extent)
            };
            if one.strides[slot] > 0 {
                at = format!("{at} + {}", scaled(&value, one.strides[slot]));
            }
            inner *= one.extent;
        }
        at
    }

    /// Computes one tile at points `k` to `k + count`.
    fn tile(&self, text: &mut Text) {
        let float = text.float(self.packed.tile.lanes);
        let how = text.job.accumulator.combine;
        let home = self.home(text);
        for (row, vector) in self.cells() {
            text.line(format!(
                "{float} t{row}_{vector} = ({float})({});",
                text.number(neutral(how))
            ));
        }
        // In the order of the nest, a block of points continues from the total of the cell. If the order is free, it
        // has its own sum, which keeps chains of additions short.
        let free = text.job.is_free();
        let again = match text.start() {
            Some(_) => "if (k > 0) {",
            None => "{",
        };
        if !free {
            text.line(again);
            self.moved(text, &home, Move::Load);
            text.line("}");
        }
        self.sums(text);
        if free {
            text.line(again);
            self.moved(text, &home, Move::Join);
            text.line("}");
        }
        self.moved(text, &home, Move::Store);
    }

    /// Returns the place of the totals of a tile between two blocks of points, `cell` being the first.
    fn home(&self, text: &mut Text) -> Home {
        let (height, width, one) = (self.packed.tile.height(), self.width(), text.float(1));
        if text.job.epilogue.is_some() {
            self.totals_from(text, "row");
            // There are places for the cells beyond the edges, too.
            return Home {
                across: width,
                whole: None,
                guarded: false,
            };
        }
        let across = text.loops.free[self.row].strides[0];
        text.line(format!(
            "__global {one} *cell = lhs + (at0 + {} + panel * {width});",
            scaled("row", across)
        ));
        let whole = format!("panel * {width} + {width} <= {}", self.columns);
        Home {
            across,
            whole: (!self.columns.is_multiple_of(width)).then_some(whole),
            guarded: !self.rows.is_multiple_of(height),
        }
    }

    /// Computes the cells of a work-item from their totals and stores them.
    fn end(&self, text: &mut Text) {
        let tile = self.packed.tile;
        let (lanes, width, index) = (tile.lanes, self.width(), text.index);
        text.line(format!(
            "for ({index} panel = first_panel; panel < end_panel; ++panel) {{"
        ));
        let columns = match self.columns.is_multiple_of(width) {
            true => format!("({index}){width}"),
            false => format!("min(({index}){width}, {} - panel * {width})", self.columns),
        };
        text.constant("columns", columns);
        text.line(format!(
            "for ({index} row = first_row; row < end_row; ++row) {{"
        ));
        self.totals_from(text, "row");
        let free = |number: usize| {
            Some(match number {
                _ if number == self.row => "row".to_string(),
                _ if number == tile.vector => format!("(panel * {width} + l)"),
                _ => format!("i{number}"),
            })
        };
        let total = format!("vload{lanes}(0, cell + l)");
        let mut cells = Cells {
            along: tile.vector,
            lanes,
            left: None,
            free: &free,
        };
        text.line(format!("{index} l = 0;"));
        text.line(format!(
            "{ROLLED} for (; l + {lanes} <= columns; l += {lanes}) {{"
        ));
        cells.end(text, &total);
        text.line("}");
        if !self.columns.is_multiple_of(lanes) {
            text.line("if (l < columns) {");
            cells.left = Some("(columns - l)");
            cells.end(text, &total);
            text.line("}");
        }
        text.line("}");
        text.line("}");
    }

    /// Defines `cell`, from where on the totals of a panel lie in local memory, in the row of that name.
    fn totals_from(&self, text: &mut Text, row: &str) {
        let (one, rows, width) = (text.float(1), self.packed.block_rows, self.width());
        text.line(format!(
            "__local {one} *cell = totals + ((panel - first_panel) * {rows} + {row} - first_row) * {width};"
        ));
    }

    /// Lists the vectors of a tile: row and number.
    fn cells(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let tile = self.packed.tile;
        let vectors = tile.vectors;
        (0..tile.height()).flat_map(move |row| (0..vectors).map(move |vector| (row, vector)))
    }

    /// Adds up the tile at points `k` to `k + count`.
    fn sums(&self, text: &mut Text) {
        let Packed {
            tile,
            depth,
            row_operand,
            ..
        } = self.packed;
        let (height, width, lanes) = (tile.height(), self.width(), tile.lanes);
        let [one, float] = [1, lanes].map(|lanes| text.float(lanes));
        text.line(format!(
            "__local const {one} *x = rows + (row - first_row) * {depth};"
        ));
        text.line(format!(
            "__global const {one} *y = own + ((ulong)panel * {} + k) * {width};",
            self.points
        ));
        let index = text.index;
        text.line(format!(
            "for ({index} p = 0; p < count; ++p, x += {height}, y += {width}) {{"
        ));
        for vector in 0..tile.vectors {
            text.line(format!(
                "const {float} y{vector} = vload{lanes}(0, y + {});",
                vector * lanes
            ));
        }
        for row in 0..height {
            text.line(format!("const {float} x{row} = ({float})(x[{row}]);"));
        }
        let met = self.prepared(text.job).met;
        for (row, vector) in self.cells() {
            let (x, y) = (format!("x{row}"), format!("y{vector}"));
            let both = if row_operand == 1 { [x, y] } else { [y, x] };
            let total = format!("t{row}_{vector}");
            let what = (text.job.accumulator.combine, &met);
            let next = combined_with(text.job, what, lanes, &total, &both);
            text.line(format!("{total} = {next};"));
        }
        text.line("}");
    }

    /// Moves the tile's cells between registers and the written tensor: in whole vectors, or lane by lane where the
    /// last panel is wider than the remaining columns.
    fn moved(&self, text: &mut Text, home: &Home, how: Move) {
        let (lanes, across) = (self.packed.tile.lanes, home.across);
        let (combine, precision) = (self.joined(text), text.job.precision);
        if let Some(condition) = &home.whole {
            text.line(format!("if ({condition}) {{"));
        }
        for (row, vector) in self.cells() {
            let at = row * across + vector * lanes;
            let (total, held) = (
                format!("t{row}_{vector}"),
                format!("vload{lanes}(0, cell + {at})"),
            );
            let statement = match how {
                Move::Load => format!("{total} = {held};"),
                Move::Join => format!(
                    "{total} = {};",
                    combined(combine, precision, lanes, &held, &total)
                ),
                Move::Store => format!("vstore{lanes}({total}, 0, cell + {at});"),
            };
            text.line(home.guard(&row.to_string()) + &statement);
        }
        if home.whole.is_some() {
            text.line("} else {");
            self.moved_lane_by_lane(text, home, how);
            text.line("}");
        }
    }

    /// Moves the values where the last panel is wider than the remaining columns: by one loop for all rows, since a
    /// loop for each vector would take the compiler several times as long as the rest of the kernel.
    fn moved_lane_by_lane(&self, text: &mut Text, home: &Home, how: Move) {
        let tile = self.packed.tile;
        let (lanes, width, height, index) = (tile.lanes, self.width(), tile.height(), text.index);
        text.line(format!("{} lane[{}];", text.float(1), height * width));
        let place = |row: u64, vector: u64| row * width + vector * lanes;
        for (row, vector) in self.cells() {
            let at = place(row, vector);
            text.line(format!("vstore{lanes}(t{row}_{vector}, 0, lane + {at});"));
        }
        let left = format!("{} - panel * {width}", self.columns);
        text.constant("left", left);
        let cell = format!("cell[{} + l]", scaled("r", home.across));
        let lane = format!("lane[r * {width} + l]");
        let statement = match how {
            Move::Store => format!("{cell} = {lane};"),
            Move::Load | Move::Join => format!("{lane} = {cell};"),
        };
        let rows = format!("{ROLLED} for ({index} r = 0; r < {height}; ++r) ");
        text.line(rows + &home.guard("r"));
        text.line(format!(
            "{ROLLED} for ({index} l = 0; l < left; ++l) {statement}"
        ));
        for (row, vector) in self.cells() {
            let total = format!("t{row}_{vector}");
            let held = format!("vload{lanes}(0, lane + {})", place(row, vector));
            match how {
                Move::Store => {}
                Move::Load => text.line(format!("{total} = {held};")),
                Move::Join => {
                    let value =
                        combined(self.joined(text), text.job.precision, lanes, &held, &total);
                    text.line(format!("{total} = {value};"));
                }
            }
        }
    }

    /// Returns the operation that combines the total of a block with the previous ones.
    fn joined(&self, text: &Text) -> Combine {
        match text.job.accumulator.combine {
            Combine::Subtract => Combine::Add,
            other => other,
        }
    }
}

/// The place of the totals of a tile between two blocks of points.
struct Home {
    /// The distance between two rows.
    across: u64,
    /// The condition that its vectors are whole, if they may not be.
    whole: Option<String>,
    /// True if some rows may lie beyond the end.
    guarded: bool,
}

impl Home {
    /// Writes the condition before a statement about a row.
    fn guard(&self, row: &str) -> String {
        match self.guarded {
            true => format!("if (row + {row} < end_row) "),
            false => String::new(),
        }
    }
}

/// The direction in which values move between a tile and the written tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// The tile takes the values of the tensor.
    Load,
    /// The tile is combined with the values of the tensor.
    Join,
    /// The tensor takes the values of the tile.
    Store,
}

/// Writes the expression for the end of a block of so many, which begins at a variable, of a whole that ends there.
fn up_to(text: &Text, from: &str, step: u64, end: u64) -> String {
    format!("min(({}){end}, {from} + {step})", text.index)
}
