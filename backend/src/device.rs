//! The interface of the devices that run loop nests.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};

use crate::call::Symbols;
use crate::error::Error;
use crate::kernels::Kernels;
use crate::loop_nest::LoopNest;
use crate::memory::{BufferId, MemoryUse, RecordingId};
use crate::progress::Progress;
use crate::tensor::Tensor;

/// A loop nest with the buffers of its slots.
#[derive(Clone, Debug)]
pub struct Call {
    /// The loop nest.
    pub nest: LoopNest,
    /// A buffer for each slot.
    pub buffers: Vec<BufferId>,
}

/// The facts about a recording that are known beforehand.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    /// Buffers whose values are needed neither before nor after a replay, so that a device need not write them.
    pub temporary: BTreeSet<BufferId>,
    /// True if the recording is replayed often enough to justify time spent on compiling.
    pub repeated: bool,
    /// Buffers that hold a number everywhere, rounded to the precision of the tensors, until a call of the recording
    /// writes them. A device may take the number instead of reading the buffer. If the buffer is temporary as well, a
    /// device that makes use of that need not store the number at all, so every operand that it is must be one that
    /// [can be a constant](LoopNest::can_be_constant).
    pub constants: BTreeMap<BufferId, f64>,
    /// Buffers whose values are not needed after the recording, which is replayed only once if there are any. A device
    /// may write other tensors into their memory as soon as no call reads them any more.
    pub consumed: BTreeSet<BufferId>,
}

/// An engine that holds tensors and runs loop nests on them. Tensors stay on it from one loop nest to the next.
pub trait Device: Kernels {
    /// Returns a description of the device, on one line.
    fn description(&self) -> String;

    /// Names the device in a few words, on one line.
    fn called(&self) -> String {
        self.description()
    }

    /// Describes everything beside the loop nests and the values that decides the bits of a result: two devices of
    /// which this is the same compute the same bits.
    fn rounding(&self) -> String {
        self.description()
    }

    /// Tells whether the device rounds divisions and square roots correctly; [`crate::agreement::bound`] depends on it.
    fn exact_division(&self) -> bool;

    /// Stores a tensor on the device.
    ///
    /// # Errors
    /// [`Error::Memory`] above the limit; a failure of the engine.
    fn upload(&mut self, tensor: &Tensor) -> Result<BufferId, Error>;

    /// Allocates a tensor that holds `fill` everywhere.
    ///
    /// # Errors
    /// As for [`Device::upload`], and those of [`crate::element_count`].
    fn allocate(&mut self, shape: &[u64], fill: f32) -> Result<BufferId, Error>;

    /// Announces a tensor, which holds NaN everywhere until it is written. A device may wait with its memory until
    /// then, and need none if the tensor is only temporary in recordings ([`Purpose::temporary`]).
    ///
    /// # Errors
    /// As for [`Device::allocate`]. A device that waits may report later that its memory does not suffice.
    fn reserve(&mut self, shape: &[u64]) -> Result<BufferId, Error> {
        self.allocate(shape, f32::NAN)
    }

    /// Returns the peak of the memory that the device has taken; `None` if the device does not count it.
    fn memory(&self) -> Option<MemoryUse> {
        None
    }

    /// Counts the points that are visited from now on: at the latest when the kernels of an operation have ended, for
    /// which the device then waits. A device that does not count says nothing, and does not stop where the count says
    /// so.
    fn count(&mut self, _progress: Progress) {}

    /// Returns the device itself, for operations that only some devices have ([`crate::opencl::pin`]); nothing, if it
    /// has none of these.
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// Prepares to run some loop nests. This only saves time: a device that compiles kernels can compile them together.
    ///
    /// # Errors
    /// A failure of the engine.
    fn prepare(&mut self, _nests: &[LoopNest]) -> Result<(), Error> {
        Ok(())
    }

    /// Runs one assignment on the buffers of its slots, the first of which is written. A buffer may stand in several
    /// slots; every read sees what it held before.
    ///
    /// # Errors
    /// Buffers, symbols or limits that do not fit the loop nest, before anything is written; a failure of the engine.
    fn run(
        &mut self,
        nest: &LoopNest,
        buffers: &[BufferId],
        symbols: &Symbols,
    ) -> Result<(), Error>;

    /// Records calls that are to be run repeatedly, one after the other, on the same buffers. Work that is needed only
    /// once, such as compiling, is done now. The buffers must not be released before the recording is forgotten.
    ///
    /// # Errors
    /// Buffers or limits that do not fit a loop nest; a failure of the engine.
    fn record(&mut self, calls: Vec<Call>, purpose: &Purpose) -> Result<RecordingId, Error>;

    /// Runs the calls of a recording, as [`Device::run`] would with these symbols.
    ///
    /// # Errors
    /// [`Error::UnknownRecording`]; the errors of [`Device::run`] for one of the calls, after the calls before it have
    /// run.
    fn replay(&mut self, recording: RecordingId, symbols: &Symbols) -> Result<(), Error>;

    /// Forgets a recording.
    ///
    /// # Errors
    /// [`Error::UnknownRecording`].
    fn forget(&mut self, recording: RecordingId) -> Result<(), Error>;

    /// Replaces the values of a tensor.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`]; [`Error::DataLength`] for too few or too many values; a failure of the engine.
    fn write(&mut self, buffer: BufferId, values: &[f32]) -> Result<(), Error>;

    /// Replaces the values of a tensor by those of another one of its shape, in the precision of the device.
    ///
    /// # Errors
    /// As for [`Device::write`].
    fn replace(&mut self, buffer: BufferId, tensor: &Tensor) -> Result<(), Error> {
        self.write(buffer, tensor.values())
    }

    /// Writes one value into every cell of a tensor.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`]; a failure of the engine.
    fn fill(&mut self, buffer: BufferId, value: f32) -> Result<(), Error>;

    /// Reads the tensor with its values after everything that was run.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`]; a failure of the engine.
    fn download(&mut self, buffer: BufferId) -> Result<Tensor, Error>;

    /// Reads a tensor for the last time, and forgets it. A device that holds it in the memory of the host need not copy
    /// it.
    ///
    /// # Errors
    /// As for [`Device::download`].
    fn take(&mut self, buffer: BufferId) -> Result<Tensor, Error> {
        let tensor = self.download(buffer)?;
        self.release(buffer)?;
        Ok(tensor)
    }

    /// Forgets a tensor and frees its memory.
    ///
    /// # Errors
    /// [`Error::UnknownBuffer`].
    fn release(&mut self, buffer: BufferId) -> Result<(), Error>;
}
