//! [`Schedule::Dot`](crate::opencl::plan::schedule::Schedule::Dot): vectors along a reduced loop.
//!
//! The total of a cell is held in several vectors, which advance along the reduced loop together; at the end their
//! lanes are combined in a fixed tree. A few rows of cells share the reads of operands that do not move along the rows.
//! A very long loop is divided into blocks with separate sums, so that no chain of additions is long.

use lozenge_vocabulary::operation::Combine;

use super::expression::{combined, met};
use super::kernel::Kernel;
use super::text::{Text, scaled};
use crate::arithmetic::neutral;
use crate::opencl::plan::schedule::Dot;

const BLOCK: u64 = Dot::BLOCK;
const LANES: u64 = Dot::LANES;

pub(super) fn kernel(mut text: Text, dot: Dot) -> Kernel {
    let mut split = Vec::new();
    if let Some((row, height)) = dot.rows {
        let rows = text.loops.free[row].extent;
        split.push(("tile_row".to_string(), rows.div_ceil(height)));
    }
    for (number, one) in text.loops.free.iter().enumerate().rev() {
        if Some(number) != dot.rows.map(|(row, _)| row) {
            split.push((format!("i{number}"), one.extent));
        }
    }
    text.parameters(&[]);
    let work_items = text.split_strips(&split, dot.strip);
    let mut writer = Writer { text, dot };
    writer.write();
    writer.text.close_strips();
    writer.text.done(work_items, Some(1))
}

struct Writer<'a> {
    text: Text<'a>,
    dot: Dot,
}

impl Writer<'_> {
    fn height(&self) -> u64 {
        self.dot.rows.map_or(1, |(_, height)| height)
    }

    fn across(&self, slot: usize) -> u64 {
        let free = &self.text.loops.free;
        self.dot.rows.map_or(0, |(row, _)| free[row].strides[slot])
    }

    fn along(&self, slot: usize) -> u64 {
        self.text.loops.reduced[self.dot.along].strides[slot]
    }

    /// Writes the expression that combines the sums of two parts.
    fn joined(&self, lanes: u64, one: &str, other: &str) -> String {
        let how = match self.text.job.accumulator.combine {
            Combine::Subtract => Combine::Add,
            other => other,
        };
        combined(how, self.text.job.precision, lanes, one, other)
    }

    fn neutral(&self) -> String {
        self.text.number(neutral(self.text.job.accumulator.combine))
    }

    fn write(&mut self) {
        let moved_rows = self.addresses();
        let extent = self.text.loops.reduced[self.dot.along].extent;
        let step = self.dot.vectors * LANES;
        let in_blocks = extent / step > 2 * BLOCK;
        self.totals(in_blocks);
        let others: Vec<usize> = (0..self.text.loops.reduced.len())
            .filter(|number| *number != self.dot.along)
            .collect();
        self.open_others(&others);
        let whole = extent / step * step;
        if in_blocks {
            self.blocks(whole);
        } else if whole > 0 {
            self.steps("0", &whole.to_string(), self.dot.vectors);
        }
        let end = whole + extent % step / LANES * LANES;
        if end > whole {
            self.steps(&whole.to_string(), &end.to_string(), 1);
        }
        if end < extent {
            self.singles(end, extent);
        }
        for _ in &others {
            self.text.line("}");
        }
        for row in 0..self.height() {
            self.finish(row, in_blocks, moved_rows);
        }
    }

    /// Declares the addresses of the cell and of the elements of the first point. Returns true if a tile at the edge is
    /// moved back until it fits.
    fn addresses(&mut self) -> bool {
        let moved_rows = match self.dot.rows {
            Some((row, height)) => {
                let rows = self.text.loops.free[row].extent;
                self.text.start_of("row", "tile_row", rows, height);
                !rows.is_multiple_of(height)
            }
            None => false,
        };
        for slot in 0..=self.text.operands() {
            let row = self.dot.rows.map(|(row, _)| row);
            let free = |number: usize| {
                Some(match Some(number) == row {
                    true => "row".to_string(),
                    false => format!("i{number}"),
                })
            };
            let at = self.text.address(slot, free, |_| None);
            self.text.constant(&format!("at{slot}"), at);
        }
        moved_rows
    }

    /// Declares the vectors of sums `t`, those of whole blocks `u` where there are blocks, and the sums `s` of single
    /// elements.
    fn totals(&mut self, in_blocks: bool) {
        let zero = self.neutral();
        let [float, vector] = [1, LANES].map(|lanes| self.text.float(lanes));
        for row in 0..self.height() {
            for number in 0..self.dot.vectors {
                for name in ["t", "u"] {
                    if name == "t" || in_blocks {
                        let line = format!("{vector} {name}{row}_{number} = ({vector})({zero});");
                        self.text.line(line);
                    }
                }
            }
            self.text.line(format!("{float} s{row} = {zero};"));
        }
    }

    /// Opens the loops over the other reduced axes, and declares in them the addresses at which the elements of each
    /// operand begin.
    fn open_others(&mut self, others: &[usize]) {
        let index = self.text.index;
        for number in others {
            let extent = self.text.loops.reduced[*number].extent;
            let line = format!("for ({index} k{number} = 0; k{number} < {extent}; ++k{number}) {{");
            self.text.line(line);
        }
        for slot in 1..=self.text.operands() {
            let mut base = format!("rhs{slot} + at{slot}");
            for number in others {
                let stride = self.text.loops.reduced[*number].strides[slot];
                if stride > 0 {
                    base += &format!(" + {}", scaled(&format!("k{number}"), stride));
                }
            }
            let pointer = self.text.pointer(slot);
            self.text.line(format!("{pointer}p{slot} = {base};"));
        }
    }

    /// Writes the steps up to `whole` in blocks, each with sums of its own.
    fn blocks(&mut self, whole: u64) {
        let (index, zero, vectors) = (self.text.index, self.neutral(), self.dot.vectors);
        let block = BLOCK * vectors * LANES;
        self.text
            .line(format!("for ({index} b = 0; b < {whole}; b += {block}) {{"));
        self.text
            .constant("e", format!("min(b + {block}, ({index}){whole})"));
        self.steps("b", "e", vectors);
        for row in 0..self.height() {
            for vector in 0..vectors {
                let (t, u) = (format!("t{row}_{vector}"), format!("u{row}_{vector}"));
                let sum = self.joined(LANES, &u, &t);
                self.text.line(format!("{u} = {sum};"));
                let float = self.text.float(LANES);
                self.text.line(format!("{t} = ({float})({zero});"));
            }
        }
        self.text.line("}");
    }

    /// Writes the steps of some vectors from one place to another.
    fn steps(&mut self, from: &str, to: &str, vectors: u64) {
        let index = self.text.index;
        self.text.line(format!(
            "for ({index} k = {from}; k < {to}; k += {}) {{",
            vectors * LANES
        ));
        for vector in 0..vectors {
            let mut known: Vec<String> = Vec::new();
            let float = self.text.float(LANES);
            for row in 0..self.height() {
                let mut operands = Vec::new();
                for slot in 1..=self.text.operands() {
                    let across = self.across(slot);
                    let name = match across {
                        0 => format!("x{slot}_v{vector}"),
                        _ => format!("x{slot}_r{row}_v{vector}"),
                    };
                    if !known.contains(&name) {
                        let moved = row * across;
                        let value = match self.along(slot) {
                            0 => format!("({float})(p{slot}[{moved}])"),
                            _ => {
                                let from = format!("p{slot} + k + {}", moved + vector * LANES);
                                self.text.load(slot, LANES, &from)
                            }
                        };
                        self.text.line(format!("const {float} {name} = {value};"));
                        known.push(name.clone());
                    }
                    operands.push(name);
                }
                let total = format!("t{row}_{vector}");
                let next = met(self.text.job, LANES, &total, &operands);
                self.text.line(format!("{total} = {next};"));
            }
        }
        self.text.line("}");
    }

    /// Writes the remaining steps, which do not fill a vector, one by one.
    fn singles(&mut self, from: u64, to: u64) {
        let index = self.text.index;
        self.text
            .line(format!("for ({index} k = {from}; k < {to}; ++k) {{"));
        for row in 0..self.height() {
            let operand = |slot: usize| {
                let moved = row * self.across(slot);
                let element = match self.along(slot) {
                    0 => format!("p{slot}[{moved}]"),
                    _ => format!("p{slot}[k + {moved}]"),
                };
                self.text.element(slot, &element)
            };
            let operands: Vec<String> = (1..=self.text.operands()).map(operand).collect();
            let total = format!("s{row}");
            let next = met(self.text.job, 1, &total, &operands);
            self.text.line(format!("{total} = {next};"));
        }
        self.text.line("}");
    }

    /// Combines the vectors of a cell and writes it.
    fn finish(&mut self, row: u64, in_blocks: bool, moved_rows: bool) {
        let name = if in_blocks { "u" } else { "t" };
        if in_blocks {
            // The sum of the last vectors of a row, which do not fill a block.
            let sum = self.joined(LANES, &format!("u{row}_0"), &format!("t{row}_0"));
            self.text.line(format!("u{row}_0 = {sum};"));
        }
        let mut total = format!("{name}{row}_0");
        for vector in 1..self.dot.vectors {
            total = self.joined(LANES, &total, &format!("{name}{row}_{vector}"));
        }
        let float = self.text.float(LANES);
        self.text
            .line(format!("const {float} w{row}_16 = {total};"));
        for lanes in [8, 4, 2, 1] {
            let wide = format!("w{row}_{}", 2 * lanes);
            let sum = self.joined(lanes, &format!("{wide}.lo"), &format!("{wide}.hi"));
            let float = self.text.float(lanes);
            self.text
                .line(format!("const {float} w{row}_{lanes} = {sum};"));
        }
        let mut total = self.joined(1, &format!("w{row}_1"), &format!("s{row}"));
        let cell = format!("lhs[at0 + {}]", row * self.across(0));
        if self.text.start().is_none() {
            total = self.joined(1, &cell, &format!("({total})"));
        }
        let guard = match moved_rows {
            true => format!("if (row + {row} >= first_row) "),
            false => String::new(),
        };
        self.text.line(format!("{guard}{cell} = {total};"));
    }
}
