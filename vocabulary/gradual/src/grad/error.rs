//! An error in a text that is no program.

use std::ops::Range;

use crate::reader::ConditionError;

/// A text that is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GradError {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// The reason.
    pub message: String,
    /// A change that reads.
    pub help: String,
}

impl GradError {
    pub(super) fn new(
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> GradError {
        GradError {
            span,
            message: message.into(),
            help: help.into(),
        }
    }
}

impl From<ConditionError> for GradError {
    fn from(error: ConditionError) -> GradError {
        GradError::new(error.span, error.message, error.help)
    }
}
