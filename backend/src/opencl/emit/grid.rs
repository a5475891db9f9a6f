//! [`Schedule::Grid`](crate::opencl::plan::schedule::Schedule::Grid): a group of work-items computes a block of cells
//! of a contraction.
//!
//! The group reads a block of each operand into local memory, some points of a reduced loop at a time, and each item
//! combines the values of its cells, which it holds in registers. Each value is so read from memory once for each block
//! and not once for each cell. While the items compute with one block, the values of the next are on their way into
//! registers. Cells beyond the edge of a loop are computed from zeros and not stored. The values of a cell are combined
//! in the order of the loops, with the loop of the block innermost.

use super::epilogue::Cells;
use super::expression::{combined_with, prepared};
use super::kernel::Kernel;
use super::text::{Text, scaled};
use crate::opencl::plan::parallel::{Grid, ITEMS, PADDING};
use crate::opencl::plan::prepared::Prepared;

/// The number of columns that an item reads together.
const LANES: u64 = 4;

/// One of the two sides of a block of cells, with the operand that moves along it.
#[derive(Clone, Copy)]
struct Side {
    /// `row` or `column`, also the name of the variable that holds where the block begins.
    name: &'static str,
    /// The name of the variable that holds the place of an item along it.
    item: &'static str,
    /// The free loop.
    free: usize,
    /// The number of cells of a block along the side, and the number of items.
    length: u64,
    items: u64,
    /// The slot of the operand.
    slot: usize,
}

pub(super) fn kernel(mut text: Text, grid: Grid) -> Kernel {
    // A legal grid has its operands; a kernel of another is never launched.
    let (row_slot, column_slot) = grid.operands(text.loops).unwrap_or((1, 2));
    let row = Side {
        name: "row",
        item: "y",
        free: grid.row,
        length: grid.rows(),
        items: ITEMS / grid.across,
        slot: row_slot,
    };
    let column = Side {
        name: "column",
        item: "x",
        free: grid.column,
        length: grid.columns(),
        items: grid.across,
        slot: column_slot,
    };
    let tiles = |side: Side| {
        let extent = text.loops.free[side.free].extent;
        (format!("tile_{}", side.name), extent.div_ceil(side.length))
    };
    let mut split = vec![tiles(column), tiles(row)];
    for (number, one) in text.loops.free.iter().enumerate().rev() {
        if number != grid.row && number != grid.column {
            split.push((format!("i{number}"), one.extent));
        }
    }
    let groups: u64 = split.iter().map(|(_, extent)| extent).product();
    text.parameters(&[]);
    text.split_group(&split);
    let mut writer = Writer {
        text,
        grid,
        row,
        column,
    };
    writer.write();
    writer.text.done(groups * ITEMS, Some(ITEMS))
}

struct Writer<'a> {
    text: Text<'a>,
    grid: Grid,
    row: Side,
    column: Side,
}

impl Writer<'_> {
    fn sides(&self) -> [Side; 2] {
        [self.row, self.column]
    }

    fn write(&mut self) {
        let Grid { along, depth, .. } = self.grid;
        let index = self.text.index;
        let [vector, float] = [LANES, 1].map(|lanes| self.text.float(lanes));
        for side in self.sides() {
            let Side { name, length, .. } = side;
            let values = depth * (length + PADDING) / LANES;
            self.text
                .line(format!("__local {vector} {name}s[{values}];"));
            self.text
                .line(format!("{float} next_{name}s[{}];", self.share(side)));
        }
        self.text
            .constant("item", format!("({index})get_local_id(0)"));
        self.text
            .constant("x", format!("item % {}", self.column.items));
        self.text
            .constant("y", format!("item / {}", self.column.items));
        for side in self.sides() {
            let tile = format!("tile_{}", side.name);
            self.text.constant(side.name, scaled(&tile, side.length));
        }
        self.starts();
        let others = (0..self.text.loops.reduced.len()).filter(|number| *number != along);
        let others: Vec<usize> = others.collect();
        for number in &others {
            let extent = self.text.loops.reduced[*number].extent;
            self.text.line(format!(
                "for ({index} k{number} = 0; k{number} < {extent}; ++k{number}) {{"
            ));
        }
        self.blocks();
        for _ in others {
            self.text.line("}");
        }
        self.store();
    }

    /// Returns the number of values of a block of an operand that an item reads.
    fn share(&self, side: Side) -> u64 {
        (side.length * self.grid.depth).div_ceil(ITEMS)
    }

    /// Declares the totals of the cells of an item.
    fn starts(&mut self) {
        let vector = self.text.float(LANES);
        let start = self.text.start();
        for row in 0..self.grid.each {
            for lanes in 0..self.grid.each / LANES {
                let value = match &start {
                    Some(start) => format!("({vector})({start})"),
                    None => {
                        let cells = (0..LANES).map(|lane| self.previous(row, lanes * LANES + lane));
                        let cells: Vec<String> = cells.collect();
                        format!("({vector})({})", cells.join(", "))
                    }
                };
                self.text
                    .line(format!("{vector} t{row}_{lanes} = {value};"));
            }
        }
    }

    /// Returns the expression of the previous value of a cell, or of a zero beyond the edge.
    fn previous(&self, row: u64, column: u64) -> String {
        let cell = self
            .text
            .element(0, &format!("lhs[{}]", self.cell(row, column)));
        match self.inside(row, column) {
            Some(inside) => format!("({inside} ? {cell} : {})", self.text.number(0.0)),
            None => cell,
        }
    }

    /// Writes the place of an item's cell within the block: four neighbours, and four more behind those of all items.
    fn place(&self, side: Side, number: u64) -> String {
        let far = number / LANES * side.items * LANES + number % LANES;
        match far {
            0 => format!("{} + {} * {LANES}", side.name, side.item),
            far => format!("{} + {} * {LANES} + {far}", side.name, side.item),
        }
    }

    fn cell(&self, row: u64, column: u64) -> String {
        let free = |number: usize| Some(self.free([row, column], number));
        self.text.address(0, free, |_| None)
    }

    /// Writes the value of a free loop in a cell of an item.
    fn free(&self, [row, column]: [u64; 2], number: usize) -> String {
        match number {
            _ if number == self.grid.row => format!("({})", self.place(self.row, row)),
            _ if number == self.grid.column => format!("({})", self.place(self.column, column)),
            _ => format!("i{number}"),
        }
    }

    /// Computes a cell from its total and stores it.
    fn end(&mut self, [row, column]: [u64; 2]) {
        match self.inside(row, column) {
            Some(inside) => self.text.line(format!("if ({inside}) {{")),
            None => self.text.line("{"),
        }
        let names = 0..self.text.loops.free.len();
        let names: Vec<String> = names
            .map(|number| self.free([row, column], number))
            .collect();
        let cells = Cells {
            along: self.grid.column,
            lanes: 1,
            left: None,
            free: &|number| names.get(number).cloned(),
        };
        let total = format!("t{row}_{}.s{}", column / LANES, column % LANES);
        cells.end(&mut self.text, &total);
        self.text.line("}");
    }

    /// Writes the condition that a cell is none beyond an edge, if there is one.
    fn inside(&self, row: u64, column: u64) -> Option<String> {
        let mut conditions = Vec::new();
        for (side, number) in [(self.row, row), (self.column, column)] {
            let extent = self.text.loops.free[side.free].extent;
            if !extent.is_multiple_of(side.length) {
                conditions.push(format!("{} < {extent}", self.place(side, number)));
            }
        }
        (!conditions.is_empty()).then(|| conditions.join(" && "))
    }

    /// Writes the loop over all blocks of points, one after the other.
    fn blocks(&mut self) {
        let (index, depth) = (self.text.index, self.grid.depth);
        let extent = self.text.loops.reduced[self.grid.along].extent;
        for side in self.sides() {
            self.read(side, "0");
        }
        self.text.line(format!(
            "for ({index} k = 0; k < {extent}; k += {depth}) {{"
        ));
        for side in self.sides() {
            self.keep(side);
        }
        self.text.line("barrier(CLK_LOCAL_MEM_FENCE);");
        if extent > depth {
            self.text.line(format!("if (k + {depth} < {extent}) {{"));
            for side in self.sides() {
                self.read(side, &format!("k + {depth}"));
            }
            self.text.line("}");
        }
        match extent % depth {
            0 => self.points(depth),
            rest => {
                self.text.line(format!("if (k + {depth} <= {extent}) {{"));
                self.points(depth);
                self.text.line("} else {");
                self.points(rest);
                self.text.line("}");
            }
        }
        self.text.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.text.line("}");
    }

    /// Opens the loop over the values of a block of an operand that an item reads: value `s` belongs to point `p` and
    /// cell `c`. Neighbouring items read along the loop along which the operand is contiguous.
    fn open_share(&mut self, side: Side) {
        let (index, depth, along) = (self.text.index, self.grid.depth, self.grid.along);
        let (values, share) = (side.length * depth, self.share(side));
        let deep = self.text.loops.reduced[along].strides[side.slot] == 1
            && self.text.loops.free[side.free].strides[side.slot] != 1;
        self.text.line("#pragma unroll");
        self.text
            .line(format!("for ({index} n = 0; n < {share}; ++n) {{"));
        self.text.constant("s", format!("item + n * {ITEMS}"));
        let (place, point) = match deep {
            true => (format!("s / {depth}"), format!("s % {depth}")),
            false => (
                format!("s % {0}", side.length),
                format!("s / {0}", side.length),
            ),
        };
        self.text.constant("c", place);
        self.text.constant("p", point);
        if !values.is_multiple_of(ITEMS) {
            self.text.line(format!("if (s < {values})"));
        }
    }

    /// Reads an item's values of a block of an operand into registers, for the points from `first` on.
    fn read(&mut self, side: Side, first: &str) {
        let Side { name, slot, .. } = side;
        let along = self.grid.along;
        self.open_share(side);
        let cell = |number: usize| match number {
            _ if number == side.free => Some(format!("({name} + c)")),
            _ if number == self.grid.row || number == self.grid.column => None,
            _ => Some(format!("i{number}")),
        };
        let point = |number: usize| {
            Some(match number == along {
                true => format!("({first} + p)"),
                false => format!("k{number}"),
            })
        };
        let address = self.text.address(slot, cell, point);
        let value = self.text.element(slot, &format!("rhs{slot}[{address}]"));
        let precision = self.text.job.precision;
        let value = prepared(&self.prepared(), slot, precision, value);
        let mut conditions = Vec::new();
        let extent = self.text.loops.free[side.free].extent;
        if !extent.is_multiple_of(side.length) {
            conditions.push(format!("{name} + c < {extent}"));
        }
        let points = self.text.loops.reduced[along].extent;
        if !points.is_multiple_of(self.grid.depth) {
            conditions.push(format!("{first} + p < {points}"));
        }
        let value = match conditions.is_empty() {
            true => value,
            false => {
                let zero = self.text.number(0.0);
                format!("{} ? ({value}) : {zero}", conditions.join(" && "))
            }
        };
        self.text.line(format!("next_{name}s[n] = {value};"));
        self.text.line("}");
    }

    /// Returns the functions that are applied to the operands when they are read.
    fn prepared(&self) -> Prepared {
        Prepared::new(self.text.job, None)
    }

    /// Stores an item's values of a block of an operand in local memory.
    fn keep(&mut self, side: Side) {
        let float = self.text.float(1);
        let Side { name, length, .. } = side;
        self.open_share(side);
        let padded = length + PADDING;
        self.text.line(format!(
            "((__local {float} *){name}s)[p * {padded} + c] = next_{name}s[n];"
        ));
        self.text.line("}");
    }

    /// Combines the values of so many points of a block with the totals of an item's cells.
    fn points(&mut self, points: u64) {
        let index = self.text.index;
        self.text.line("#pragma unroll");
        self.text
            .line(format!("for ({index} p = 0; p < {points}; ++p) {{"));
        let vector = self.text.float(LANES);
        for side in self.sides() {
            let Side { name, item, .. } = side;
            let row = (side.length + PADDING) / LANES;
            for number in 0..self.grid.each / LANES {
                let far = number * side.items;
                self.text.line(format!(
                    "const {vector} {item}{number} = {name}s[p * {row} + {item} + {far}];"
                ));
            }
        }
        let met = self.prepared().met;
        for row in 0..self.grid.each {
            let (number, lane) = (row / LANES, row % LANES);
            for lanes in 0..self.grid.each / LANES {
                let value = format!("({vector})(y{number}.s{lane})");
                let mut operands = [value, format!("x{lanes}")];
                if self.row.slot == 2 {
                    operands.swap(0, 1);
                }
                let total = format!("t{row}_{lanes}");
                let what = (self.text.job.accumulator.combine, &met);
                let next = combined_with(self.text.job, what, LANES, &total, &operands);
                self.text.line(format!("{total} = {next};"));
            }
        }
        self.text.line("}");
    }

    fn store(&mut self) {
        for row in 0..self.grid.each {
            for column in 0..self.grid.each {
                let (lanes, lane) = (column / LANES, column % LANES);
                if self.text.job.epilogue.is_some() {
                    self.end([row, column]);
                    continue;
                }
                let cell = self.cell(row, column);
                let guard = match self.inside(row, column) {
                    Some(inside) => format!("if ({inside}) "),
                    None => String::new(),
                };
                self.text
                    .line(format!("{guard}lhs[{cell}] = t{row}_{lanes}.s{lane};"));
            }
        }
    }
}
