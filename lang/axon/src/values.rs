//! The values of data against the shape that is written for them.

use lozenge_diagnostic::{Diagnostic, Parsed};

use crate::syntax::{Data, Dim, Part, Shape, Source, Type};

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
        Source::Rows(rows) => rows.iter().flatten().copied().find(|value| !is_one(value)),
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

/// Returns the sizes that are written for a shape; none for a ragged axis, and for one that is no number.
pub(crate) fn ragged_sizes(shape: &Shape) -> Vec<Option<u64>> {
    let axes = shape.parts.iter().flat_map(|part| match part {
        Part::Axes(axes) => axes.as_slice(),
        Part::Name(_) | Part::Any(_) => &[],
    });
    let sizes = axes.map(|axis| match axis {
        Dim::Number(size, _) => u64::try_from(*size).ok(),
        _ => None,
    });
    sizes.collect()
}

/// Returns the shape of each element of ragged data.
///
/// # Errors
/// If the shape is not one with a ragged second axis, or the lists do not fit it.
pub(crate) fn ragged(data: &Data, sizes: &[Option<u64>]) -> Parsed<Vec<Vec<u64>>> {
    let wrong = |message: String, help: &str| {
        Err(Diagnostic::new(data.span.clone(), message, "these values")
            .other(data.annotation.span(), "this shape")
            .help(help.to_string()))
    };
    const FORM: &str = "write a list for each element: `data x : f32 [2,*] = [[1, 2], [3]]`";
    let (Source::Rows(rows), [Some(count), None, inner @ ..]) = (&data.source, sizes) else {
        let message = "ragged data have one ragged axis, the second one, and lists as values";
        return wrong(message.to_string(), FORM);
    };
    let Some(inner) = inner.iter().copied().collect::<Option<Vec<u64>>>() else {
        return wrong(
            "ragged data have one ragged axis, the second one".into(),
            FORM,
        );
    };
    if rows.len() as u64 != *count {
        let message = format!(
            "the shape has {count} elements, and there are {} lists",
            rows.len()
        );
        return wrong(message, FORM);
    }
    let cells = inner
        .iter()
        .fold(1_u64, |cells, size| cells.saturating_mul(*size));
    let mut shapes = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let values = row.len() as u64;
        if values == 0 || cells == 0 || !values.is_multiple_of(cells) {
            let list = place + 1;
            let message = match values {
                0 => format!("list {list} has no values"),
                _ => format!("list {list} has {values} values, and each element has {cells}"),
            };
            return wrong(message, "each list has whole elements, and at least one");
        }
        let mut shape = vec![values / cells];
        shape.extend(&inner);
        shapes.push(shape);
    }
    Ok(shapes)
}

/// Checks that there are as many values as cells, where the text tells how many there are.
///
/// # Errors
/// If there are not.
pub(crate) fn counted(data: &Data, sizes: &[u64]) -> Parsed<()> {
    let values = match &data.source {
        Source::Values(values) => values.len() as u64,
        Source::Range(count) => *count,
        Source::Rows(_) => {
            let message = "these values stand in several lists";
            return Err(Diagnostic::new(data.span.clone(), message, "these values")
                .other(data.annotation.span(), "this shape")
                .help("write one list, the rightmost axis fastest; only a ragged tensor, such as `f32 [2,*]`, has several"));
        }
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
