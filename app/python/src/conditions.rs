//! Conditions on sizes, as `where` has them.

use lozenge_gradual_vocabulary::{Condition, conditions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Reads conditions on sizes.
///
/// # Errors
/// `ValueError` with the place in the text.
pub fn read_conditions(text: &str) -> PyResult<Vec<Condition>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    conditions(text).map_err(|error| {
        let column = text[..error.span.start].chars().count();
        let marks = "^".repeat(text[error.span.clone()].chars().count().max(1));
        PyValueError::new_err(format!(
            "where: {}\n  {text}\n  {}{marks}\n  help: {}",
            error.message,
            " ".repeat(column),
            error.help
        ))
    })
}
