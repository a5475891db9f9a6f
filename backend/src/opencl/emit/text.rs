//! The frame of every kernel's text: parameters, indices, addresses, lines.

use std::fmt::Display;

use super::expression::{literal, vector_type};
use super::kernel::Kernel;
use super::pocl_vector_moves::STREAMED;
use crate::arithmetic::neutral;
use crate::loop_nest::Write;
use crate::opencl::plan::job::{Argument, Job};
use crate::opencl::plan::loops::Loops;
#[cfg(feature = "opencl")]
use crate::opencl::plan::parallel::ITEMS;

/// The workers that compute the cells of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workers {
    /// The work-items of the kernel, each of which computes a few cells.
    Kernel,
    /// One work-item, which computes all cells: the text is a part of a kernel.
    #[cfg(feature = "opencl")]
    Item,
    /// The [`ITEMS`] work-items of a group, which compute all cells: the text is a part of a kernel.
    #[cfg(feature = "opencl")]
    Group,
}

/// A kernel that is being written.
pub(crate) struct Text<'a> {
    pub job: &'a Job,
    pub loops: &'a Loops,
    /// The type of indices: 32 bits if every address fits, which is much faster.
    pub index: &'static str,
    parameters: Vec<String>,
    /// The number of values of local memory of the kernel, named `local_values`.
    pub local: u64,
    out: String,
    depth: usize,
    /// The workers that compute the cells.
    pub workers: Workers,
    /// True if the written tensor is so large that it is written past the cache.
    pub streamed: bool,
    /// The prefetch distance in elements, per operand slot: the values that will be read next are fetched into the
    /// cache meanwhile.
    pub ahead: Vec<(usize, u64)>,
    /// The number of loops over tiles that are open.
    pub strips: usize,
    /// The number of braces that the reduced loops and their conditions have opened.
    opened: usize,
}

impl<'a> Text<'a> {
    pub fn new(job: &'a Job) -> Text<'a> {
        let loops = &job.loops;
        // A factor of 16 is reserved for padding.
        let narrow = job.largest < 1 << 28 && loops.largest_sum() < 1 << 28;
        Text {
            job,
            loops,
            index: if narrow { "uint" } else { "ulong" },
            parameters: Vec::new(),
            local: 0,
            out: String::new(),
            depth: 1,
            workers: Workers::Kernel,
            streamed: loops.cells() * job.stored.bytes() >= STREAMED,
            ahead: Vec::new(),
            strips: 0,
            opened: 0,
        }
    }

    /// Begins the text of a stage of a group.
    #[cfg(feature = "opencl")]
    pub fn stage(job: &'a Job, workers: Workers, streamed: bool) -> Text<'a> {
        Text {
            workers,
            streamed,
            ..Text::new(job)
        }
    }

    /// Adds a line with the present indentation. A line that ends in `{` increases the indentation, one that starts
    /// with `}` decreases it.
    pub fn line(&mut self, line: impl Display) {
        let line = line.to_string();
        if line.starts_with('}') {
            self.depth -= 1;
        }
        self.out += &" ".repeat(4 * self.depth);
        self.out += &line;
        self.out.push('\n');
        if line.ends_with('{') {
            self.depth += 1;
        }
    }

    /// Ends the text, which is the body of the kernel.
    pub fn finish(self, work_items: u64, group: Option<u64>, arguments: Vec<Argument>) -> Kernel {
        Kernel {
            parameters: self.parameters,
            text: self.out,
            local: self.local,
            precision: self.job.precision,
            work_items,
            group,
            arguments,
            stages: Vec::new(),
        }
    }

    /// Ends the text of a kernel whose only buffers are those of the job.
    pub fn done(self, work_items: u64, group: Option<u64>) -> Kernel {
        let arguments = self.job.buffers.clone();
        self.finish(work_items, group, arguments)
    }

    /// Returns the number of operands.
    pub fn operands(&self) -> usize {
        self.job.operands()
    }

    /// Sets the parameters: the written tensor, the operands and those of an epilogue, further buffers, the symbols.
    pub fn parameters(&mut self, further: &[&str]) {
        let written = vector_type(self.job.precision_of(0), 1);
        let mut all = vec![format!("{} {written} *lhs", self.space(0))];
        let operands = 1..self.job.buffers.len();
        all.extend(operands.map(|slot| {
            let pointer = self.pointer(slot);
            format!("{pointer}rhs{slot}")
        }));
        all.extend(further.iter().map(|parameter| parameter.to_string()));
        let symbols = 0..self.loops.symbols.len();
        all.extend(symbols.map(|symbol| format!("const ulong symbol{symbol}")));
        self.parameters = all;
    }

    /// Writes the statement that writes a vector of so many cells, which begin at an address in the written tensor.
    pub fn write_vector(&self, lanes: u64, value: &str, at: &str) -> String {
        let stored = self.job.precision_of(0);
        let value = match self.job.precision == stored {
            true => value.to_string(),
            false => format!("convert_{}({value})", vector_type(stored, lanes)),
        };
        let is_line = lanes * stored.bytes() == 64;
        match self.streamed && is_line && self.space(0) == "__global" {
            true => format!("stream{lanes}({value}, lhs + ({at}));"),
            false => format!("vstore{lanes}({value}, 0, lhs + ({at}));"),
        }
    }

    /// Names the type in which `lanes` values are computed.
    pub fn float(&self, lanes: u64) -> String {
        vector_type(self.job.precision, lanes)
    }

    /// Writes a number in the precision in which values are computed.
    pub fn number(&self, value: f32) -> String {
        literal(self.job.precision, value.into())
    }

    /// Names the type of a pointer to elements of an operand.
    pub fn pointer(&self, slot: usize) -> String {
        let float = vector_type(self.job.precision_of(slot), 1);
        format!("{} const {float} *", self.space(slot))
    }

    /// Writes the load of a vector of so many elements of the tensor of a slot.
    pub fn load(&self, slot: usize, lanes: u64, from: &str) -> String {
        let is_line = lanes * self.job.precision_of(slot).bytes() == 64;
        let fetches = is_line && self.space(slot) == "__global";
        let ahead = self.ahead.iter().find(|(other, _)| *other == slot);
        let vector = match ahead.filter(|_| fetches) {
            Some((_, distance)) => format!("ahead{lanes}({distance}, {from})"),
            None => format!("vload{lanes}(0, {from})"),
        };
        match self.job.precision == self.job.precision_of(slot) {
            true => vector,
            false => format!("convert_{}({vector})", self.float(lanes)),
        }
    }

    /// Writes an element of the tensor of a slot as a value that is computed with.
    pub fn element(&self, slot: usize, element: &str) -> String {
        match self.job.precision == self.job.precision_of(slot) {
            true => element.to_string(),
            false => format!("({})({element})", self.float(1)),
        }
    }

    /// Names the address space of the tensor of a slot.
    pub fn space(&self, slot: usize) -> &'static str {
        match self.job.buffers[slot] {
            Argument::Local(_) => "__local",
            Argument::Slot(_) | Argument::Scratch(_) => "__global",
        }
    }

    /// Writes `const index name = value;`.
    pub fn constant(&mut self, name: &str, value: impl Display) {
        let index = self.index;
        self.line(format!("const {index} {name} = {value};"));
    }

    /// Splits the number of the work-item into a constant for each loop; the first loop varies fastest.
    pub fn split_item(&mut self, loops: &[(String, u64)]) {
        let item = format!("({})get_global_id(0)", self.index);
        self.split(&item, loops);
    }

    /// Splits the number of the group into a constant for each loop; the first loop varies fastest.
    pub fn split_group(&mut self, loops: &[(String, u64)]) {
        let group = format!("({})get_group_id(0)", self.index);
        self.split(&group, loops);
    }

    /// Splits a number into a constant for each loop; the first loop varies fastest.
    pub fn split(&mut self, item: &str, loops: &[(String, u64)]) {
        let mut inner = 1;
        for (position, (name, extent)) in loops.iter().enumerate() {
            let item = item.to_string();
            let outer = if inner == 1 {
                item
            } else {
                format!("{item} / {inner}")
            };
            let last = position + 1 == loops.len();
            self.constant(
                name,
                if last {
                    outer
                } else {
                    format!("{outer} % {extent}")
                },
            );
            inner *= extent;
        }
    }

    /// Splits the number for work-items that compute `strip` tiles one after the other: the number of each tile is
    /// split. Returns the number of work-items. [`Text::close_strips`] closes the loop that this opens. A stage of a
    /// group that one work-item computes iterates over all tiles in nested loops, which need no division; the items of
    /// a group take turns.
    pub fn split_strips(&mut self, loops: &[(String, u64)], strip: u64) -> u64 {
        let index = self.index;
        let tiles: u64 = loops.iter().map(|(_, extent)| extent).product();
        #[cfg(feature = "opencl")]
        if self.workers == Workers::Group {
            self.line(format!(
                "for ({index} tile = ({index})get_local_id(0); tile < {tiles}; tile += {ITEMS}) {{"
            ));
            self.strips = 1;
            self.split("tile", loops);
            return 1;
        }
        if self.workers != Workers::Kernel {
            for (name, extent) in loops.iter().rev() {
                self.line(format!(
                    "for ({index} {name} = 0; {name} < {extent}; ++{name}) {{"
                ));
            }
            self.strips = loops.len();
            return 1;
        }
        if strip == 1 {
            self.split_item(loops);
            return tiles;
        }
        let last = match tiles.is_multiple_of(strip) {
            true => format!("number + {strip}"),
            false => format!("min(number + {strip}, ({index}){tiles})"),
        };
        self.constant("number", format!("({index})get_global_id(0) * {strip}"));
        self.constant("past", last);
        self.line(format!(
            "for ({index} tile = number; tile < past; ++tile) {{"
        ));
        self.strips = 1;
        self.split("tile", loops);
        tiles.div_ceil(strip)
    }

    /// Splits the number for tiles that are so cheap that splitting their numbers would cost as much: a work-item
    /// iterates over about `run` tiles in nested loops along the first loops. `None` if the first loops are too short.
    pub fn split_run(&mut self, loops: &[(String, u64)], run: u64) -> Option<u64> {
        let (mut whole, mut inside) = (1, 0);
        while inside < loops.len() && whole * loops[inside].1 <= run {
            whole *= loops[inside].1;
            inside += 1;
        }
        // A block of the loop after these.
        let block = loops
            .get(inside)
            .map_or(1, |(_, extent)| (run / whole).min(*extent));
        if whole * block < run / 4 {
            return None;
        }
        let mut split: Vec<(String, u64)> = Vec::new();
        if let Some((name, extent)) = loops.get(inside) {
            split.push((format!("{name}_block"), extent.div_ceil(block)));
            split.extend(loops[inside + 1..].iter().cloned());
            self.split_item(&split);
            let index = self.index;
            let from = scaled(&format!("{name}_block"), block);
            let past = match extent.is_multiple_of(block) {
                true => format!("{from} + {block}"),
                false => format!("min({from} + {block}, ({index}){extent})"),
            };
            self.constant(&format!("{name}_past"), past);
            self.line(format!(
                "for ({index} {name} = {from}; {name} < {name}_past; ++{name}) {{"
            ));
            self.strips = 1;
        }
        let index = self.index;
        for (name, extent) in loops[..inside].iter().rev() {
            self.line(format!(
                "for ({index} {name} = 0; {name} < {extent}; ++{name}) {{"
            ));
            self.strips += 1;
        }
        Some(split.iter().map(|(_, extent)| extent).product())
    }

    /// Closes the loops that [`Text::split_strips`] has opened.
    pub fn close_strips(&mut self) {
        for _ in 0..std::mem::take(&mut self.strips) {
            self.line("}");
        }
    }

    /// Defines where a tile starts along a loop: `first_NAME` is the first position to store, `NAME` the first to
    /// compute.
    pub fn start_of(&mut self, name: &str, tile: &str, extent: u64, step: u64) {
        self.constant(&format!("first_{name}"), scaled(tile, step));
        let index = self.index;
        let start = match extent % step {
            0 => format!("first_{name}"),
            _ => format!("min(first_{name}, ({index}){})", extent - step),
        };
        self.constant(name, start);
    }

    /// Opens the reduced loops in their order, with the conditions that skip points.
    pub fn open_reduced(&mut self) {
        self.open_guards(None);
        for number in 0..self.loops.reduced.len() {
            self.open_loop(number);
            self.open_guards(Some(number));
        }
    }

    /// Adds a line that opens a brace, which [`Text::close_reduced`] closes.
    pub(crate) fn open(&mut self, line: String) {
        self.line(line);
        self.opened += 1;
    }

    /// Closes the reduced loops and their conditions.
    pub fn close_reduced(&mut self) {
        for _ in 0..std::mem::take(&mut self.opened) {
            self.line("}");
        }
    }

    /// Writes the address in a slot for these values of its free and reduced loops; a loop without a value counts as 0.
    pub fn address(
        &self,
        slot: usize,
        free: impl Fn(usize) -> Option<String>,
        reduced: impl Fn(usize) -> Option<String>,
    ) -> String {
        let offset = &self.loops.offsets[slot];
        let mut terms = Vec::new();
        for (symbol, stride) in &offset.symbols {
            terms.push(scaled(&format!("({})symbol{symbol}", self.index), *stride));
        }
        for (number, one) in self.loops.free.iter().enumerate() {
            if let (1.., Some(value)) = (one.strides[slot], free(number)) {
                terms.push(scaled(&value, one.strides[slot]));
            }
        }
        for (number, one) in self.loops.reduced.iter().enumerate() {
            if let (1.., Some(value)) = (one.strides[slot], reduced(number)) {
                terms.push(scaled(&value, one.strides[slot]));
            }
        }
        match offset.fixed {
            0 if !terms.is_empty() => terms.join(" + "),
            fixed @ 0.. => {
                terms.push(fixed.to_string());
                terms.join(" + ")
            }
            // Addresses are unsigned, and that of a point that is not skipped is not negative.
            fixed if terms.is_empty() => format!("({}){fixed}", self.index),
            fixed => format!("{} - {}", terms.join(" + "), fixed.unsigned_abs()),
        }
    }

    /// Writes the initial value of a cell, unless it starts from its previous value.
    pub fn start(&self) -> Option<String> {
        let accumulator = self.job.accumulator;
        accumulator
            .erase
            .then(|| self.number(neutral(accumulator.combine)))
    }

    /// Tells whether values are stored directly and no loop is reduced.
    pub fn is_plain(&self) -> bool {
        self.job.write == Write::Plain
    }

    /// Tells whether, in addition, every cell gets a value, because no guard of an operand skips a point.
    pub fn is_straight(&self) -> bool {
        self.is_plain() && self.loops.guards.iter().all(|guard| guard.written)
    }
}

/// Writes `value * factor`, without a factor of 1.
pub(super) fn scaled(value: &str, factor: u64) -> String {
    match factor {
        1 => value.to_string(),
        _ => format!("{value} * {factor}"),
    }
}
