//! The text of an [`Epilogue`](crate::opencl::plan::epilogue::Epilogue): the statements that compute cells from their
//! totals and store them.
//!
//! The cells at the edge of a tensor, fewer than a vector, are computed as a vector too, since the last digits of
//! functions such as `exp` may depend on its width.

use super::expression::{combined_with, stored, value};
use super::pocl_vector_moves::ROLLED;
use super::text::{Text, scaled};
use crate::loop_nest::Write;

/// The neighbouring cells along a free loop.
pub(super) struct Cells<'c> {
    /// The loop.
    pub along: usize,
    /// The number of values of a vector.
    pub lanes: u64,
    /// The expression for the number of values in the vector, where it may be less than `lanes`.
    pub left: Option<&'c str>,
    /// The values of the free loops in the first of them.
    pub free: &'c dyn Fn(usize) -> Option<String>,
}

impl Cells<'_> {
    /// Computes the cells whose totals an expression gives, and stores them.
    pub fn end(&self, text: &mut Text, total: &str) {
        let Some(epilogue) = text.job.epilogue.as_ref() else {
            return;
        };
        let (lanes, float) = (self.lanes, text.float(self.lanes));
        for slot in epilogue.slots() {
            let values = self.read(text, slot, &format!("rhs{slot}"));
            text.line(format!("const {float} e{slot} = {values};"));
        }
        let operand = |one: &Option<usize>| match one {
            Some(slot) => format!("e{slot}"),
            None => total.to_string(),
        };
        let operands: Vec<String> = epilogue.operands.iter().map(operand).collect();
        let how = epilogue.accumulator.combine;
        let result = match epilogue.write {
            Write::Plain => {
                let value = value(&epilogue.function, text.job.precision, lanes, &operands);
                stored(how, &value)
            }
            // The operation alone would add its value to that of the cell by the same expression.
            Write::ReadModifyWrite => {
                let held = self.read(text, 0, "lhs");
                text.line(format!("const {float} held = {held};"));
                let what = (how, &epilogue.function);
                combined_with(text.job, what, lanes, "held", &operands)
            }
        };
        self.store(text, &result);
    }

    fn store(&self, text: &mut Text, result: &str) {
        let (lanes, at) = (self.lanes, text.address(0, self.free, |_| None));
        match self.left {
            None if lanes == 1 => text.line(format!("lhs[{at}] = {result};")),
            None => text.line(format!("vstore{lanes}({result}, 0, lhs + ({at}));")),
            Some(left) => {
                let (index, one) = (text.index, text.float(1));
                text.line(format!("{one} edge[{lanes}];"));
                text.line(format!("vstore{lanes}({result}, 0, edge);"));
                text.line(format!(
                    "{ROLLED} for ({index} c = 0; c < {left}; ++c) lhs[{at} + c] = edge[c];"
                ));
            }
        }
    }

    /// Writes the expression of the values of a tensor for the cells. Beyond the last cell there are copies of its
    /// value.
    fn read(&self, text: &Text, slot: usize, tensor: &str) -> String {
        let (lanes, index) = (self.lanes, text.index);
        let at = text.address(slot, self.free, |_| None);
        let float = text.float(lanes);
        let apart = text.loops.free[self.along].strides[slot];
        let lane = |lane: u64| match self.left {
            Some(left) => scaled(&format!("min(({index}){lane}, {left} - 1)"), apart),
            None => (lane * apart).to_string(),
        };
        match (apart, self.left) {
            (0, _) => format!("({float})({tensor}[{at}])"),
            _ if lanes == 1 => format!("{tensor}[{at}]"),
            (1, None) => format!("vload{lanes}(0, {tensor} + ({at}))"),
            _ => {
                let all = (0..lanes).map(|number| format!("{tensor}[{at} + {}]", lane(number)));
                let all: Vec<String> = all.collect();
                format!("({float})({})", all.join(", "))
            }
        }
    }
}
