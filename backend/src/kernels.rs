//! The compiled kernels of a device: where they are kept, and how long they take.

use std::path::Path;
use std::sync::Arc;

use crate::error::Error;

/// The times of the kernels that compute some operations: one kernel for several operations, or several for one.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTime {
    /// The names of the tensors that they compute.
    pub results: Vec<Arc<str>>,
    /// The number of runs.
    pub runs: u64,
    /// The time of all runs on the device, in seconds. It has neither the time in the queue nor copies and fills
    /// beforehand.
    pub seconds: f64,
    /// The arithmetic operations of a run by its loop nests, a multiply-add counted as two.
    pub operations: f64,
    /// The bytes of the parts of tensors that a run reads and writes in the device's memory, each counted once.
    pub bytes: f64,
}

/// The compiled kernels of a device. A device that compiles nothing keeps and times none, and needs no method of its
/// own.
pub trait Kernels {
    /// Takes compiled kernels from a folder from now on, instead of compiling them, if it has them. All together may
    /// take so many bytes; the oldest are removed. A device that compiles nothing does nothing.
    fn keep_kernels(&mut self, _folder: &Path, _bytes: u64) {}

    /// Calls this, once and on another thread, when compiling kernels has taken half a second. A device that compiles
    /// nothing does nothing.
    fn when_compiling_takes_long(&mut self, _notice: Arc<dyn Fn() + Send + Sync>) {}

    /// Writes the kernels that were compiled, and not for the first time, into the folder of [`Kernels::keep_kernels`],
    /// which may take as long as to compile them. Returns the problems with the folder, which never stop a run.
    fn put_kernels_away(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Measures from now on how long kernels take. It must be called before anything is put on the device. A device
    /// that does not measure does nothing.
    ///
    /// # Errors
    /// A failure of the engine.
    fn time_kernels(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the times of the kernels that ran since [`Kernels::time_kernels`], for which the device waits; `None` if
    /// it does not measure.
    ///
    /// # Errors
    /// A failure of the engine.
    fn kernel_times(&mut self) -> Result<Option<Vec<KernelTime>>, Error> {
        Ok(None)
    }
}
