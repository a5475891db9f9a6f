//! Known differences: each has an argument why two answers may differ, a witness that is re-run, and a count in
//! reports. A subject lists its own.

use std::fmt;

use serde::Serialize;

/// A tolerated difference between two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct KnownDifference {
    /// Its name.
    pub name: &'static str,
    /// The reason why the difference is not a defect of either party.
    pub argument: &'static str,
    /// The target in which it was met.
    pub target: &'static str,
    /// An input that shows it.
    pub witness: &'static str,
}

impl fmt::Display for KnownDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
