//! The distance of two runs of one program, as `--compare` tells it.

use std::fmt::Write;

use lozenge_backend::{Tensor, agreement};

use crate::json::Number;
use crate::json::program::Difference;
use crate::loaded::Loaded;
use crate::report::Problem;

/// More units in the last place than the functions and the sums of a program give where nothing cancels.
const MANY_ULPS: u64 = 1 << 12;

/// Returns how far two runs of a program are apart, and adds it to the text.
///
/// # Errors
/// When tensors of the two have other shapes.
pub fn compare(
    loaded: &Loaded,
    reference: &[Tensor],
    results: &[Tensor],
    text: &mut String,
) -> Result<Option<Difference>, Problem> {
    let mut largest: Option<(agreement::Difference, &str, &Tensor)> = None;
    for ((tensor, expected), found) in loaded.program.tensors.iter().zip(reference).zip(results) {
        let difference = agreement::difference(expected, found)
            .map_err(|error| Problem::new(format!("{error}")))?;
        if largest.is_none_or(|(known, ..)| {
            (difference.absolute, difference.ulps) > (known.absolute, known.ulps)
        }) {
            largest = Some((difference, &tensor.name, expected));
        }
    }
    let Some((agreement::Difference { absolute, ulps }, name, expected)) = largest else {
        return Ok(None);
    };
    let largest_value = largest_value(expected);
    let units = match ulps {
        1 => "unit",
        _ => "units",
    };
    let _ = match ulps {
        0 => writeln!(
            text,
            "largest difference from the interpreter: 0, every tensor is the same to the last bit"
        ),
        _ => writeln!(
            text,
            "largest difference from the interpreter: {absolute:e} in {name}, whose values go up to {largest_value:.2e} ({ulps} {units} in the last place of one of them)"
        ),
    };
    if ulps > MANY_ULPS {
        let _ = writeln!(
            text,
            "  a sum whose terms cancel may differ by many units of its own; `infer --schedule` states what part of its terms it may be off by"
        );
    }
    Ok(Some(Difference {
        absolute: Number::Single(absolute),
        ulps,
        tensor: name.to_string(),
        largest_value,
    }))
}

/// Returns the largest finite absolute value of a tensor. A sum of such values that cancel is near 0, where few units
/// in the last place are less than any rounding of the values.
fn largest_value(tensor: &Tensor) -> f64 {
    let values = tensor.wide_values();
    let finite = values.iter().filter(|value| value.is_finite());
    finite.fold(0.0, |largest, value| value.abs().max(largest))
}
