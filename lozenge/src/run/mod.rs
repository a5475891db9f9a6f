//! The run of a program on a device: from its loop nests to the values of its tensors.
//!
//! [`program`] runs the lines in their order, and [`training`] the sections, which are repeated; both act on the
//! buffers of [`state`]. An observer ([`watch`]) follows the run, and a [`checkpoint`] keeps it.

mod checkpoint;
mod classes;
mod constants;
mod deciding;
mod fnv;
mod identity;
mod live;
mod program;
mod random;
mod recording;
mod resumed;
#[cfg(feature = "opencl")]
mod schedule;
mod state;
mod training;
mod watch;

pub use checkpoint::{Checkpoint, CheckpointError, Other, Progress};
pub use classes::NoClass;
pub use identity::{Identity, Part};
pub use program::{run, run_nests, run_precise, run_with, train};
#[cfg(feature = "opencl")]
pub use schedule::{PlannedKernel, PlannedOperation, PlannedPart, schedule};
pub use watch::{Begin, EpochReport, Printed, RunError, Settings, Stopped, Watch};
