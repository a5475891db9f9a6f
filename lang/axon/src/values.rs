//! The values of data against the shape that is written for them.

use lozenge_diagnostic::{Diagnostic, Parsed};

use crate::syntax::{Data, Source, Type};

/// Checks that the values of data of an integer type are such integers.
///
/// # Errors
/// If one is not.
pub(crate) fn of_their_type(data: &Data) -> Parsed<()> {
    let Type::Tensor { element, .. } = &data.annotation else {
        return Ok(());
    };
    let largest = match &*element.text {
        "i32" => f64::from(i32::MAX),
        // The greatest integer of 64 bits that no rounding of the text has changed.
        "i64" => 9_007_199_254_740_992.0,
        _ => return Ok(()),
    };
    let least = match &*element.text {
        "i32" => f64::from(i32::MIN),
        _ => -largest,
    };
    let is_one = |value: &f64| value.fract() == 0.0 && (least..=largest).contains(value);
    let wrong = match &data.source {
        Source::Values(values) => values.iter().copied().find(|value| !is_one(value)),
        Source::Range(count) => Some(count.saturating_sub(1) as f64).filter(|last| !is_one(last)),
        Source::File(_) | Source::Outside => None,
    };
    let Some(wrong) = wrong else { return Ok(()) };
    let message = format!("`{wrong}` is not among the integers of `{}`", element.text);
    Err(Diagnostic::new(data.span.clone(), message, "these values")
        .other(element.span.clone(), "these elements")
        .help(format!(
            "integers from {least} to {largest} can be computed with"
        )))
}

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
