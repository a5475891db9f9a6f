//! The error for a text that is not in the notation: what is wrong, where, and what was expected there.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

/// A text that is not in the notation. Nothing of it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes of the text at fault.
    pub span: Range<usize>,
    /// The mistake.
    pub message: String,
    /// The text that was expected there.
    pub expected: String,
}

impl NotationError {
    pub(crate) fn new(
        text: &str,
        span: Range<usize>,
        message: String,
        expected: String,
    ) -> NotationError {
        let before = &text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        NotationError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            span,
            message,
            expected,
        }
    }
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}; expected {}",
            self.line, self.column, self.message, self.expected
        )
    }
}

impl std::error::Error for NotationError {}
