//! The frame of every kernel's text: parameters, indices, addresses, lines.

use std::fmt::Display;

use super::expression::literal;
use super::job::{Argument, Job};
use super::kernel::Kernel;
use super::loops::Loops;
use crate::arithmetic::neutral;
use crate::loop_nest::Write;

/// A kernel that is being written.
pub(super) struct Text<'a> {
    pub job: &'a Job,
    pub loops: &'a Loops,
    /// The type of indices: 32 bits where every address fits, which is much faster.
    pub index: &'static str,
    parameters: Vec<String>,
    /// How many values of local memory the kernel has, named `local_values`.
    pub local: u64,
    out: String,
    depth: usize,
    /// Whether one work-item goes through all tiles.
    pub nested: bool,
    /// How many loops over tiles are open.
    pub strips: usize,
    /// How many braces the reduced loops and their conditions have opened.
    opened: usize,
}

impl<'a> Text<'a> {
    pub fn new(job: &'a Job) -> Text<'a> {
        let loops = &job.loops;
        // A factor of 16 is left for what is padded.
        let narrow = job.largest < 1 << 28 && loops.largest_sum() < 1 << 28;
        Text {
            job,
            loops,
            index: if narrow { "uint" } else { "ulong" },
            parameters: Vec::new(),
            local: 0,
            out: String::new(),
            depth: 1,
            nested: false,
            strips: 0,
            opened: 0,
        }
    }

    /// The same for a stage of a group.
    #[cfg(feature = "opencl")]
    pub fn stage(job: &'a Job) -> Text<'a> {
        Text {
            nested: true,
            ..Text::new(job)
        }
    }

    /// A line at the present depth. One that ends in `{` makes what follows deeper, one that starts with `}` ends that.
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

    /// The kernel with this body.
    pub fn finish(self, work_items: u64, group: Option<u64>, arguments: Vec<Argument>) -> Kernel {
        Kernel {
            parameters: self.parameters,
            text: self.out,
            local: self.local,
            work_items,
            group,
            arguments,
            stages: Vec::new(),
        }
    }

    /// The same for the buffers of the job alone.
    pub fn done(self, work_items: u64, group: Option<u64>) -> Kernel {
        let arguments = self.job.buffers.clone();
        self.finish(work_items, group, arguments)
    }

    /// How many operands there are.
    pub fn operands(&self) -> usize {
        self.job.operands()
    }

    /// The parameters: the written tensor, the operands, further buffers, the symbols.
    pub fn parameters(&mut self, further: &[&str]) {
        let mut all = vec![format!("{} float *lhs", self.space(0))];
        let operands = 1..=self.operands();
        all.extend(operands.map(|slot| format!("{} const float *rhs{slot}", self.space(slot))));
        all.extend(further.iter().map(|parameter| parameter.to_string()));
        let symbols = 0..self.loops.symbols.len();
        all.extend(symbols.map(|symbol| format!("const ulong symbol{symbol}")));
        self.parameters = all;
    }

    /// Where the tensor of a slot lies.
    pub fn space(&self, slot: usize) -> &'static str {
        match self.job.buffers[slot] {
            Argument::Local(_) => "__local",
            Argument::Slot(_) | Argument::Scratch(_) => "__global",
        }
    }

    /// `const index name = value;`
    pub fn constant(&mut self, name: &str, value: impl Display) {
        let index = self.index;
        self.line(format!("const {index} {name} = {value};"));
    }

    /// Divides the number of the work-item among loops, the first of which runs fastest: a constant for each.
    pub fn split_item(&mut self, loops: &[(String, u64)]) {
        let item = format!("({})get_global_id(0)", self.index);
        self.split(&item, loops);
    }

    fn split(&mut self, item: &str, loops: &[(String, u64)]) {
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

    /// The same where a work-item takes `strip` tiles, one after the other: the loops are split for each of them. Gives how many
    /// work-items there are. What follows is closed by [`Text::close_strips`]. A stage of a group goes through all of them itself, in
    /// loops, which cost no division.
    pub fn split_strips(&mut self, loops: &[(String, u64)], strip: u64) -> u64 {
        let index = self.index;
        if self.nested {
            for (name, extent) in loops.iter().rev() {
                self.line(format!(
                    "for ({index} {name} = 0; {name} < {extent}; ++{name}) {{"
                ));
            }
            self.strips = loops.len();
            return 1;
        }
        let tiles: u64 = loops.iter().map(|(_, extent)| extent).product();
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

    /// The same for tiles that take so little that dividing their number costs as much: a work-item goes through about `run` tiles in
    /// loops of their own, along the first loops. None where the first loops are too short.
    pub fn split_run(&mut self, loops: &[(String, u64)], run: u64) -> Option<u64> {
        let (mut whole, mut inside) = (1, 0);
        while inside < loops.len() && whole * loops[inside].1 <= run {
            whole *= loops[inside].1;
            inside += 1;
        }
        // Of the loop after those a block.
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

    /// Ends what [`Text::split_strips`] has opened.
    pub fn close_strips(&mut self) {
        for _ in 0..std::mem::take(&mut self.strips) {
            self.line("}");
        }
    }

    /// Where a tile starts along a loop: `first_NAME` where it is to store, `NAME` where it computes.
    pub fn start_of(&mut self, name: &str, tile: &str, extent: u64, step: u64) {
        self.constant(&format!("first_{name}"), scaled(tile, step));
        let index = self.index;
        let start = match extent % step {
            0 => format!("first_{name}"),
            _ => format!("min(first_{name}, ({index}){})", extent - step),
        };
        self.constant(name, start);
    }

    /// Opens the reduced loops, in their order, and passes over points that do not exist.
    pub fn open_reduced(&mut self) {
        self.open_guards(None);
        for number in 0..self.loops.reduced.len() {
            self.open_loop(number);
            self.open_guards(Some(number));
        }
    }

    /// A line that opens a brace, which [`Text::close_reduced`] closes.
    pub(super) fn open(&mut self, line: String) {
        self.line(line);
        self.opened += 1;
    }

    /// Closes them.
    pub fn close_reduced(&mut self) {
        for _ in 0..std::mem::take(&mut self.opened) {
            self.line("}");
        }
    }

    /// The address in a slot at given values of its free and reduced loops; a loop without a value stands at 0.
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
            // Addresses are unsigned, and that of a point that exists is not below 0.
            fixed if terms.is_empty() => format!("({}){fixed}", self.index),
            fixed => format!("{} - {}", terms.join(" + "), fixed.unsigned_abs()),
        }
    }

    /// What a cell starts from, unless it starts from what it holds.
    pub fn start(&self) -> Option<String> {
        let accumulator = self.job.accumulator;
        accumulator
            .erase
            .then(|| literal(neutral(accumulator.combine)))
    }

    /// Whether a value is stored as it is, and no loop is reduced.
    pub fn is_plain(&self) -> bool {
        self.job.write == Write::Plain
    }

    /// The same, and every cell has its value: no guard leaves one out.
    pub fn is_straight(&self) -> bool {
        self.is_plain() && self.loops.guards.iter().all(|guard| guard.written)
    }
}

/// `value * factor`, without a factor of 1.
pub(super) fn scaled(value: &str, factor: u64) -> String {
    match factor {
        1 => value.to_string(),
        _ => format!("{value} * {factor}"),
    }
}
