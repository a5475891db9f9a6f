//! Constraints as answers cite them, in the same form for every party.

use std::fmt;

use serde::Serialize;

/// A constraint of the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Cited {
    /// Its number among the constraints, from 1.
    pub constraint: usize,
    /// Its line in the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The constraint in the notation.
    pub text: String,
}

impl fmt::Display for Cited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.text),
            None => write!(f, "constraint {}: {}", self.constraint, self.text),
        }
    }
}
