//! The values of cells.

use std::str::FromStr;

use crate::data::numpy::Array;

/// A float in which the values of data are read: of 32 bits, or of 64 if a run computes with those.
pub(super) trait Float: Copy + FromStr {
    /// The message that names the largest value of the float.
    const LARGEST: &'static str;

    /// True if the float has 64 bits.
    const IS_WIDE: bool;

    /// Rounds a number to the nearest float.
    fn of(value: f64) -> Self;

    /// Takes the values of an array.
    fn all(array: Array) -> Vec<Self>;

    fn is_finite(self) -> bool;
}

impl Float for f32 {
    const LARGEST: &'static str = "values are 32-bit floats: the largest is 3.4028235e38";
    const IS_WIDE: bool = false;

    fn of(value: f64) -> f32 {
        value as f32
    }

    fn all(array: Array) -> Vec<f32> {
        array.values
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Float for f64 {
    const LARGEST: &'static str = "values are 64-bit floats: the largest is 1.7976931348623157e308";
    const IS_WIDE: bool = true;

    fn of(value: f64) -> f64 {
        value
    }

    fn all(array: Array) -> Vec<f64> {
        match array.double {
            Some(values) => values,
            None => array.values.into_iter().map(f64::from).collect(),
        }
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// The contents of a cell.
pub(super) enum Cell<F> {
    Number(F),
    /// Nothing, or one of [`MISSING`].
    Missing,
    Unfit(Unfit),
}

/// The reason why a cell has no value.
pub(super) enum Unfit {
    TooLarge,
    /// A comma where numbers have a point.
    Comma,
    Truth,
    Text,
}

/// The words that other software writes into a cell that has no value. `nan` is a value.
const MISSING: [&str; 8] = ["na", "n/a", "#n/a", "<na>", "null", "none", "?", "-"];

/// Reads a cell. `nan`, `inf` and `-inf` are numbers; a number that is too large is not.
pub(super) fn cell<F: Float>(text: &str) -> Cell<F> {
    let has_digits = || text.bytes().any(|byte| byte.is_ascii_digit());
    match text.parse::<F>() {
        Ok(value) if value.is_finite() || !has_digits() => Cell::Number(value),
        Ok(_) => Cell::Unfit(Unfit::TooLarge),
        Err(_) if text.is_empty() => Cell::Missing,
        Err(_) if MISSING.iter().any(|word| word.eq_ignore_ascii_case(text)) => Cell::Missing,
        Err(_) if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") => {
            Cell::Unfit(Unfit::Truth)
        }
        Err(_) if text.replace(',', "").parse::<f64>().is_ok() => Cell::Unfit(Unfit::Comma),
        Err(_) => Cell::Unfit(Unfit::Text),
    }
}
