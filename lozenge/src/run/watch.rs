//! The settings of a run, and the reports that it gives while it runs.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_backend::{BufferId, Error, Tensor};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Request, Section};

use super::checkpoint::{Checkpoint, CheckpointError};
use super::classes::NoClass;

/// The settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The number on which random values and the order of rows depend, beside names and numbers of epochs and steps.
    pub seed: u64,
    /// The number of epochs of each section with batches, in place of the number that the section states.
    pub epochs: Option<u64>,
    /// The values with which the run begins.
    pub begin: Begin,
    /// The tensors whose values are returned; all if it is `None`. Intermediate results that are not among them may
    /// never be stored, and are returned as NaN.
    pub keep: Option<BTreeSet<TensorId>>,
    /// The buffers of tensors that the device holds already, with their values. The run releases them.
    pub held: BTreeMap<TensorId, BufferId>,
}

/// The values with which a run begins.
#[derive(Clone, Debug, Default)]
pub enum Begin {
    /// The initial values that the program states.
    #[default]
    Anew,
    /// The values of a checkpoint instead. States that it lacks begin with their initial values.
    Load(Checkpoint),
    /// The values of a checkpoint, of which parameters may be missing too. A tensor that it lacks begins with its
    /// initial values.
    Given(Checkpoint),
    /// The step that a checkpoint records, with its values. The run then computes the same bits as one that was not
    /// stopped. Lines above the section run again.
    Resume(Checkpoint),
}

/// The wish of an observer that the run stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// An observer of a run.
pub trait Watch {
    /// Tells whether to read the tensor of a request for [`Watch::request`]. Whoever takes it from the results of the
    /// run instead says no, and saves a copy.
    fn wants(&mut self, _request: &Request) -> bool {
        true
    }

    /// Observes a tensor that the program prints, saves or asserts outside of sections, or saves or asserts in one.
    ///
    /// # Errors
    /// To stop the run.
    fn request(&mut self, _request: &Request, _tensor: &Tensor) -> Result<(), Stopped> {
        Ok(())
    }

    /// Observes the beginning of a section, at step `_step` of its `_steps` steps.
    fn begins(&mut self, _section: &Section, _step: u64, _steps: u64) {}

    /// Observes that `_step` steps of the section have been issued. They may still be running.
    fn step(&mut self, _step: u64) {}

    /// Observes that an epoch is done. `checkpoint` reads the values of parameters and states from the device.
    ///
    /// # Errors
    /// To stop the run.
    fn epoch(
        &mut self,
        _report: &EpochReport,
        _checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        Ok(())
    }

    /// Observes that the program has ended. A run can continue from this checkpoint, unless lines below the last
    /// section change parameters.
    ///
    /// # Errors
    /// To stop the run.
    fn ends(
        &mut self,
        _checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        Ok(())
    }
}

/// The values that an epoch printed. A section of steps reports at most about twenty times.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochReport {
    /// The section, from 0.
    pub section: usize,
    /// The number of epochs done, or of reports of a section of steps.
    pub epoch: u64,
    /// The number of epochs, or of reports of a section of steps.
    pub epochs: u64,
    /// The number of steps of the section that are done.
    pub step: u64,
    /// The printed tensors, with the indices of their requests in the program.
    pub printed: Vec<(usize, Printed)>,
}

/// A printed tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Printed {
    /// A number at each step of the epoch.
    Steps(Vec<f64>),
    /// The values after the last step, or after the epoch.
    Tensor(Tensor),
}

impl Printed {
    /// Returns the mean over the steps of the epoch, or the number itself; `None` for a tensor with axes.
    pub fn mean(&self) -> Option<f64> {
        match self {
            Printed::Steps(values) => {
                let sum: f64 = values.iter().sum();
                Some(sum / values.len() as f64)
            }
            Printed::Tensor(tensor) if tensor.shape().is_empty() => {
                tensor.wide_values().first().copied()
            }
            Printed::Tensor(_) => None,
        }
    }
}

/// The reason for which a run did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] Error),
    /// The device has no room for a tensor.
    #[error("`{name}`: {error}")]
    Tensor {
        /// The tensor.
        tensor: TensorId,
        /// Its name.
        name: String,
        /// The error of the device.
        error: Error,
    },
    /// The loops of an operation have too many points.
    #[error("operation {operation}: {error}")]
    Operation {
        /// The operation, by its place in [`Program::steps`](lozenge_vocabulary::program::Program::steps).
        operation: usize,
        /// The error of the device.
        error: Error,
    },
    /// The checkpoint from which it was to begin is not of this program.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A value is no number of a class, where the program needs one.
    #[error(transparent)]
    Class(NoClass),
    /// The observer stopped it.
    #[error("the run was stopped")]
    Stopped,
}

impl From<Stopped> for RunError {
    fn from(_: Stopped) -> RunError {
        RunError::Stopped
    }
}
