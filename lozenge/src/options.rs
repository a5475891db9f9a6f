//! The limits of an inference.

use serde::{Deserialize, Serialize};

use crate::check::Allowed;

/// At most how many conflicts and refusals of one program are reported.
pub const MAX_REFUSALS: usize = 20;

/// The limits of an inference, and its warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// The largest number of axes of all tensors together. A program of n operations can have tensors with n axes each.
    pub max_axes: u64,
    /// The largest number of steps of arithmetic for one question about sizes that windows, concatenations, products and bounds
    /// relate.
    #[serde(default = "size_work")]
    pub size_work: u64,
    /// The refusals of closed shapes that are only warnings.
    #[serde(default)]
    pub allow: Allowed,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_axes: 1 << 24,
            size_work: size_work(),
            allow: Allowed::default(),
        }
    }
}

fn size_work() -> u64 {
    lozenge_solver::Limits::default().size_work
}

impl Options {
    /// The options of the solver.
    pub(crate) fn of_solver(&self) -> lozenge_solver::Options {
        let mut options = lozenge_solver::Options::default();
        options.limits.size_work = self.size_work;
        options
    }
}
