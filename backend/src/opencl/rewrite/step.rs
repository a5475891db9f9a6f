//! The steps of an operation that is computed in several.

use crate::loop_nest::LoopNest;

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A slot of the loop nest.
    Slot(usize),
    /// The result of an earlier step.
    Step(usize),
}

/// A step, such as one of the sums of a contraction. The last one writes slot 0 of the loop nest.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub nest: LoopNest,
    pub operands: Vec<Operand>,
}
