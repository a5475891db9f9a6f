//! The limits of an inference.

use serde::{Deserialize, Serialize};

use crate::check::Allowed;

/// How many conflicts and refusals of one program are reported at most.
pub const MAX_REFUSALS: usize = 20;

/// How far an inference goes before it gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// The most axes of all tensors together. A program of n operations can have tensors with n axes each.
    pub max_axes: u64,
    /// Which refusals of closed shapes are warnings and no errors.
    #[serde(default)]
    pub allow: Allowed,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_axes: 1 << 24,
            allow: Allowed::default(),
        }
    }
}
