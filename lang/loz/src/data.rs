//! The values of data: their reading from texts, tables and arrays, and the check that they fit the shape of a tensor.

pub(crate) mod load;
pub mod numpy;

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::program::{Csv, Span, Values};

use crate::diagnostic::{Diagnostic, Parsed};

/// The leading and the trailing flank of a closed row.
pub(crate) type Flanks = (Vec<Dim>, Vec<Dim>);

/// Counts the values that stand in the text; `None` for those that do not.
pub(crate) fn listed(values: &Values) -> Option<u64> {
    match values {
        Values::Listed(list) => Some(list.len() as u64),
        Values::Range(bound) => Some(u64::from(*bound)),
        Values::Csv(_) | Values::Outside | Values::Batches(_) => None,
    }
}

/// Checks values against the written shape, with its place; without one, builds a shape from the values. `count` is the
/// number of values, if the text says it.
///
/// # Errors
/// If the number of values is not that of the shape, or there are too many.
pub(crate) fn fitting_shape(
    written: Option<(Shape<Flanks>, Span)>,
    values: &Values,
    count: Option<u64>,
    place: &Span,
    most: u64,
) -> Parsed<Shape<Flanks>> {
    let Some((shape, shape_span)) = written else {
        let output = count.and_then(|count| Dim::based(count, Basis::Default));
        return Ok(Shape {
            output: (Vec::new(), output.into_iter().collect()),
            ..Shape::default()
        });
    };
    let Some(expected) = element_count(&shape, most) else {
        return Err(too_many_values(shape_span, most));
    };
    match (count, values) {
        (Some(count), _) if count != expected => Err(Diagnostic::new(
            place.clone(),
            format!("the shape has {expected} values, the list {count}"),
            format!("{count} values"),
        )
        .other(shape_span, format!("{expected} values"))
        .help("change the shape or the list; without a shape the list is one output axis")),
        (None, Values::Csv(csv)) => {
            columns_fit(csv, expected, place, &shape_span)?;
            Ok(shape)
        }
        _ => Ok(shape),
    }
}

/// Checks that the columns of a file divide the values of the shape into whole rows.
fn columns_fit(csv: &Csv, expected: u64, place: &Span, shape_span: &Span) -> Parsed<()> {
    match csv.columns.as_ref().and_then(lozenge_vocabulary::program::Columns::count) {
        Some(columns) if !expected.is_multiple_of(columns as u64) => {
            Err(Diagnostic::new(
                place.clone(),
                format!("{columns} columns cannot make up the {expected} values of the shape"),
                format!("{columns} values a row"),
            )
            .other(shape_span.clone(), format!("{expected} values"))
            .help("the number of values must be a multiple of the number of columns; `columns 0..64` leaves 64 out"))
        }
        _ => Ok(()),
    }
}

/// Returns the error that a tensor would not fit into memory.
fn too_many_values(span: Span, most: u64) -> Diagnostic {
    Diagnostic::new(
        span,
        "the shape has too many values",
        format!("more than {most}"),
    )
    .help("a data tensor is held in memory: split it, or load fewer columns; --max-values raises the limit")
}

/// Counts the values of a tensor of this shape; `None` above `most`.
fn element_count(shape: &Shape<Flanks>, most: u64) -> Option<u64> {
    let rows = shape.rows().into_iter();
    rows.flat_map(|(leading, trailing)| leading.iter().chain(trailing))
        .try_fold(1u64, |count, dim| {
            count.checked_mul(dim.size()).filter(|count| *count <= most)
        })
}
