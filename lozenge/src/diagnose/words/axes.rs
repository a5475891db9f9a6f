//! Words about axes and rows, and about two axes that cannot be one.

use lozenge_vocabulary::Row;
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::Kind;

/// Returns the axes of a row with commas between them.
pub(crate) fn row_text(row: &Row) -> String {
    let text = row.to_string();
    text.trim_start_matches('[')
        .trim_end_matches(']')
        .to_string()
}

/// Returns a number of axes of a kind, in words.
pub(crate) fn count(axes: usize, kind: Kind) -> String {
    let plural = if axes == 1 { "axis" } else { "axes" };
    match axes {
        0 => format!("no {} axes", kind.word()),
        _ => format!("{axes} {} {plural}", kind.word()),
    }
}

/// Describes the mismatch of two axes of one size.
pub(crate) fn another_meaning(low: &Dim, high: &Dim) -> String {
    let (low, high) = (based(low), based(high));
    format!("{low} meets {high}: the same size, another meaning")
}

/// Describes the mismatch of two axes of different sizes.
pub(crate) fn cannot_be_one(kind: Kind, low: &Dim, high: &Dim) -> String {
    format!("the {} axes {low} and {high} cannot be one", kind.word())
}

/// Returns an axis in words, with its basis first.
fn based(dim: &Dim) -> String {
    match dim {
        Dim::Atom {
            size,
            basis: Basis::Named(name),
        } => format!("{size} of `{name}`"),
        Dim::Atom {
            size,
            basis: Basis::Default,
        } => format!("{size} without a basis"),
        Dim::Unit => "1_".to_string(),
    }
}
