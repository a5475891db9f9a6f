//! The frame of every kernel's text: parameters, indices, addresses, lines.

use std::fmt::Display;

use super::expression::literal;
use super::loops::Loops;
use crate::arithmetic::neutral;
use crate::loop_nest::{LoopNest, Write};

/// A kernel that is being written.
pub(super) struct Text<'a> {
    pub nest: &'a LoopNest,
    pub loops: &'a Loops,
    /// The type of indices: 32 bits where every address fits, which is much faster.
    pub index: &'static str,
    out: String,
    depth: usize,
    /// How many braces the reduced loops and their conditions have opened.
    opened: usize,
}

impl<'a> Text<'a> {
    pub fn new(nest: &'a LoopNest, loops: &'a Loops) -> Text<'a> {
        let elements = |sizes: &Vec<u64>| sizes.iter().product::<u64>();
        let largest_tensor = nest.slots().iter().map(|slot| elements(&slot.sizes)).max();
        // A factor of 16 is left for what is padded.
        let narrow = largest_tensor.unwrap_or(1) < 1 << 28 && loops.largest_sum() < 1 << 28;
        Text {
            nest,
            loops,
            index: if narrow { "uint" } else { "ulong" },
            out: String::new(),
            depth: 0,
            opened: 0,
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

    /// The text from the parameters on.
    pub fn finish(self) -> String {
        self.out
    }

    /// How many operands there are.
    pub fn operands(&self) -> usize {
        self.nest.slots().len() - 1
    }

    /// The parameters: the written tensor, the operands, further buffers, the symbols.
    pub fn parameters(&mut self, further: &[&str]) {
        let mut all = vec!["__global float *lhs".to_string()];
        all.extend((1..=self.operands()).map(|slot| format!("__global const float *rhs{slot}")));
        all.extend(further.iter().map(|parameter| parameter.to_string()));
        let symbols = 0..self.loops.symbols.len();
        all.extend(symbols.map(|symbol| format!("const ulong symbol{symbol}")));
        self.line(format!("({}) {{", all.join(", ")));
    }

    /// `const index name = value;`
    pub fn constant(&mut self, name: &str, value: impl Display) {
        let index = self.index;
        self.line(format!("const {index} {name} = {value};"));
    }

    /// Divides the number of the work-item among loops, the first of which runs fastest: a constant for each.
    pub fn split_item(&mut self, loops: &[(String, u64)]) {
        let index = self.index;
        let mut inner = 1;
        for (position, (name, extent)) in loops.iter().enumerate() {
            let item = format!("({index})get_global_id(0)");
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
        let accumulator = self.nest.accumulator();
        accumulator
            .erase
            .then(|| literal(neutral(accumulator.combine)))
    }

    /// Whether a value is stored as it is, and no loop is reduced.
    pub fn is_plain(&self) -> bool {
        self.nest.write() == Write::Plain
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
