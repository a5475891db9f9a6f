//! The limits of an inference.

use serde::{Deserialize, Serialize};

use crate::check::Allowed;

/// The largest number of conflicts and refusals of one program that are reported.
pub const MAX_REFUSALS: usize = 20;

/// The largest number of conflicts that are examined. A conflict in the body of a loop recurs in each iteration, hence
/// the factor.
pub(crate) const MAX_FOUND: usize = 5 * MAX_REFUSALS;

/// The limits of an inference, and its warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// The largest number of axes of all tensors together. A program of n operations can have tensors with n axes each.
    pub max_axes: u64,
    /// The limits of the solver: of them `policy_work`, `policy_records` and `size_work` count.
    #[serde(default)]
    pub solver: lozenge_solver::Limits,
    /// The refusals of closed shapes that are only warnings.
    #[serde(default)]
    pub allow: Allowed,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_axes: 1 << 24,
            solver: lozenge_solver::Limits::default(),
            allow: Allowed::default(),
        }
    }
}

impl Options {
    /// Returns the options of the solver.
    pub(crate) fn of_solver(&self) -> lozenge_solver::Options {
        lozenge_solver::Options {
            limits: self.solver,
            ..lozenge_solver::Options::default()
        }
    }
}
