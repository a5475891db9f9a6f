//! Epilogues: an elementwise operation that is computed where a contraction stores the totals of its cells.
//!
//! `relu(x * w + b)` is a contraction and an elementwise operation. As two kernels the totals are written to memory,
//! and read from there; with the elementwise operation as the epilogue of the contraction they are in registers all the
//! time. The operation is computed as it would be alone, once for each cell, with the total in place of its operand, so
//! that no value changes.

use lozenge_vocabulary::operation::{Accumulator, Function};

use crate::loop_nest::Write;
use crate::nest_text::expression;

/// An elementwise operation on the total of each cell of a job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Epilogue {
    /// Its function.
    pub function: Function,
    /// The slot of each operand of the function, or `None` for the total. These slots come after those of the job's own
    /// operands, in this order.
    pub operands: Vec<Option<usize>>,
    /// The way in which the value is combined with what its cell holds.
    pub accumulator: Accumulator,
    /// The way in which the value is written.
    pub write: Write,
}

impl Epilogue {
    /// Returns the slots that the epilogue reads.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.operands.iter().flatten().copied()
    }

    /// Writes the expression of the epilogue, for people.
    pub fn line(&self) -> String {
        let operands = self.operands.iter().map(|operand| match operand {
            Some(slot) => format!("t{slot}"),
            None => "total".to_string(),
        });
        expression(&self.function, &operands.collect::<Vec<_>>())
    }
}
