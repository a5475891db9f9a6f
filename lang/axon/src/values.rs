//! The values of data against the shape that is written for them.

use lozenge_diagnostic::{Diagnostic, Parsed};

use crate::syntax::{Data, Source};

/// Checks that there are as many values as cells, where the text tells how many there are.
///
/// # Errors
/// If there are not.
pub(crate) fn counted(data: &Data, sizes: &[u64]) -> Parsed<()> {
    let values = match &data.source {
        Source::Values(values) => values.len() as u64,
        Source::Range(count) => *count,
        Source::File(_) | Source::Outside => return Ok(()),
    };
    let mut sizes = sizes.iter();
    let cells = sizes.try_fold(1_u64, |cells, size| cells.checked_mul(*size));
    if cells == Some(values) {
        return Ok(());
    }
    let cells = cells.map_or("more than 2^64".to_string(), |cells| cells.to_string());
    let message = format!("the shape has {cells} cells, and there are {values} values");
    Err(Diagnostic::new(data.span.clone(), message, "these values")
        .other(data.annotation.span(), "this shape")
        .help("write one value for each cell, the rightmost axis fastest"))
}
