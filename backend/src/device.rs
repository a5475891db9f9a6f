//! What runs loop nests, behind one interface.

use std::collections::BTreeSet;

use crate::call::Symbols;
use crate::error::Error;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, RecordingId};
use crate::tensor::Tensor;

/// A loop nest with the buffers of its slots.
#[derive(Clone, Debug)]
pub struct Call {
    /// The loop nest.
    pub nest: LoopNest,
    /// A buffer for each slot.
    pub buffers: Vec<BufferId>,
}

/// What is known of a recording beforehand.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    /// Buffers whose values are of no use after a replay, nor to it before: a device may leave them as they are.
    pub temporary: BTreeSet<BufferId>,
    /// Whether it is replayed so often that time spent on compiling pays.
    pub repeated: bool,
}

/// How the numbers of a device may differ from those of the interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numerics {
    /// Not at all, but for the last digits of functions such as `exp` ([`crate::agreement::bound`]): the values of a cell meet in the
    /// order of the loop nest, and every operation is rounded by itself.
    #[default]
    Exact,
    /// By rounding: the values of a cell meet in an order that is a part of the schedule, and a product that is added is rounded once
    /// with the sum. The order depends neither on the number of cores nor on what else runs.
    Fast,
}

/// An engine that holds tensors and runs loop nests on them. Tensors stay on it from one loop nest to the next.
pub trait Device {
    /// What it is, on one line.
    fn description(&self) -> String;

    /// Whether it rounds divisions and square roots correctly; [`crate::agreement::bound`] depends on it.
    fn exact_division(&self) -> bool;

    /// Takes in a tensor.
    ///
    /// # Errors
    /// [`Error::Memory`] above the limit; a failure of the engine.
    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error>;

    /// Makes room for a tensor that holds `fill` everywhere.
    ///
    /// # Errors
    /// As for [`Device::upload`], and those of [`crate::element_count`].
    fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error>;

    /// Makes ready for running some loop nests. Nothing depends on it but time: what a device compiles, it compiles together.
    ///
    /// # Errors
    /// A failure of the engine.
    fn prepare(&mut self, _nests: &[LoopNest]) -> Result<(), Error> {
        Ok(())
    }

    /// Runs one assignment on the buffers of its slots, the first of which is written. A buffer may stand in several slots;
    /// every read sees what it held before.
    ///
    /// # Errors
    /// Whatever in buffers, symbols and limits does not fit the loop nest, before anything is written; a failure of the engine.
    fn run(
        &mut self,
        nest: &LoopNest,
        buffers: &[BufferId],
        symbols: &Symbols,
    ) -> Result<(), Error>;

    /// Remembers calls that are to be run again and again, one after the other, on the same buffers. What a device can do once
    /// for all of them, such as compiling, it does now. Their buffers must not be released before they are forgotten.
    ///
    /// # Errors
    /// Whatever in buffers and limits does not fit a loop nest; a failure of the engine.
    fn record(&mut self, calls: Vec<Call>, purpose: &Purpose) -> Result<RecordingId, Error>;

    /// Runs the calls of a recording, as [`Device::run`] would with these symbols.
    ///
    /// # Errors
    /// [`Error::UnknownRecording`]; those of [`Device::run`] for one of the calls, when those before it have run.
    fn replay(&mut self, recording: RecordingId, symbols: &Symbols) -> Result<(), Error>;

    /// Forgets a recording.
    ///
    /// # Errors
    /// [`Error::UnknownRecording`].
    fn forget(&mut self, recording: RecordingId) -> Result<(), Error>;

    /// Replaces the values of a tensor.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`]; [`Error::DataLength`] where they are too few or too many; a failure of the engine.
    fn write(&mut self, buffer: BufferId, values: &[f32]) -> Result<(), Error>;

    /// Writes one value into every cell of a tensor.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`]; a failure of the engine.
    fn fill(&mut self, buffer: BufferId, value: f32) -> Result<(), Error>;

    /// The tensor as it is after all that was run.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`]; a failure of the engine.
    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error>;

    /// Forgets a tensor and frees its memory.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`].
    fn release(&mut self, buffer: BufferId) -> Result<(), Error>;
}
