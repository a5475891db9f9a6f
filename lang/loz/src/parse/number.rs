//! The parsing of numbers.

use lozenge_vocabulary::program::Span;

use crate::diagnostic::{Diagnostic, Parsed};

/// Reads a number in the range of `f32`; it need not be represented exactly.
pub(crate) fn number(text: &str, span: Span) -> Parsed<f64> {
    let value: f64 = text.parse().unwrap_or(f64::INFINITY);
    if (value as f32).is_finite() {
        return Ok(value);
    }
    Err(
        Diagnostic::new(span, "the number does not fit", "too large").help(format!(
            "values are 32-bit floats: the largest is {:e}",
            f32::MAX
        )),
    )
}

/// Returns the number that a word means where a program does not define it: `inf` or `nan`.
pub(crate) fn number_word(word: &str) -> Option<f64> {
    match word {
        "inf" => Some(f64::INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// Reads a whole number of at most 64 bits.
pub(crate) fn whole_number(text: &str, span: Span, what: &str) -> Parsed<u64> {
    let error = |message: String, label: &str, help: &str| {
        Err(Diagnostic::new(span.clone(), message, label).help(help))
    };
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return error(
            format!("{what} is a whole number"),
            "not a whole number",
            "write it with digits only",
        );
    }
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) => error(
            format!("{what} does not fit 64 bits"),
            "too large",
            &format!("the largest is {}", u64::MAX),
        ),
    }
}
