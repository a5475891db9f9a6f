//! How a program is run, and what can be seen of the run.

use std::collections::BTreeSet;

use lozenge_backend::{Error, Tensor};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Request, Section};

use crate::checkpoint::{Checkpoint, CheckpointError};

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What random values and the order of rows depend on, beside names and numbers of epochs and steps.
    pub seed: u64,
    /// How many epochs each section with batches has, in place of what it says.
    pub epochs: Option<u64>,
    /// What the run begins with.
    pub begin: Begin,
    /// The tensors whose values are given back; all without it. Of the others those that the program computes on the way may never be
    /// stored, and come back as not-a-number.
    pub keep: Option<BTreeSet<TensorId>>,
}

/// What a run begins with.
#[derive(Clone, Debug, Default)]
pub enum Begin {
    /// The first values that the program says.
    #[default]
    Anew,
    /// The values of a checkpoint in their place. States that it does not have begin with their first values.
    Load(Checkpoint),
    /// The place at which the run of a checkpoint was. It goes on to the same bits. Lines above the section run again.
    Resume(Checkpoint),
}

/// That a run is to be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Somebody who watches a run.
pub trait Watch {
    /// The program asks for a tensor to be printed, saved or asserted, outside of sections; in a section to be saved or
    /// asserted.
    ///
    /// # Errors
    /// To stop the run.
    fn request(&mut self, _request: &Request, _tensor: &Tensor) -> Result<(), Stopped> {
        Ok(())
    }

    /// A section begins, at a step of all its steps.
    fn begins(&mut self, _section: &Section, _step: u64, _steps: u64) {}

    /// So many steps of the section are done. They may still be running.
    fn step(&mut self, _step: u64) {}

    /// An epoch is done. `checkpoint` reads the values of parameters and states from the device.
    ///
    /// # Errors
    /// To stop the run.
    fn epoch(
        &mut self,
        _report: &Report,
        _checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        Ok(())
    }

    /// The program is at its end. A run can go on from this checkpoint, unless lines below the last section change
    /// parameters.
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

/// What an epoch printed. A section of steps reports some twenty times in all its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The section, from 0.
    pub section: usize,
    /// How many epochs are done, or reports of a section of steps.
    pub epoch: u64,
    /// How many there are.
    pub epochs: u64,
    /// How many steps of the section are done.
    pub step: u64,
    /// What was printed, by the places of the requests in the program.
    pub printed: Vec<(usize, Printed)>,
}

/// A printed tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Printed {
    /// A number at each step of the epoch.
    Steps(Vec<f32>),
    /// The values after the last step, or after the epoch.
    Tensor(Tensor),
}

impl Printed {
    /// The mean over the steps of the epoch, or the number itself; `None` of a tensor with axes.
    pub fn mean(&self) -> Option<f64> {
        match self {
            Printed::Steps(values) => {
                let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
                Some(sum / values.len() as f64)
            }
            Printed::Tensor(tensor) if tensor.shape().is_empty() => {
                tensor.values().first().map(|value| f64::from(*value))
            }
            Printed::Tensor(_) => None,
        }
    }
}

/// Why a run did not come to its end.
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
        /// What the device says.
        error: Error,
    },
    /// The loops of an operation have too many points.
    #[error("operation {operation}: {error}")]
    Operation {
        /// The operation, by its place in [`Program::steps`](lozenge_vocabulary::program::Program::steps).
        operation: usize,
        /// What the device says.
        error: Error,
    },
    /// The checkpoint from which it was to begin is not of this program.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Who watches it stopped it.
    #[error("the run was stopped")]
    Stopped,
}

impl From<Stopped> for RunError {
    fn from(_: Stopped) -> RunError {
        RunError::Stopped
    }
}
