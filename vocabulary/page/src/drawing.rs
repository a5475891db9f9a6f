//! Drawings of rows: a box for each axis, and the marker in its place.

use lozenge_vocabulary::{DimTerm, Row, RowTerm};
use maud::{Markup, html};

/// Returns a dimension in a box.
pub fn dim(term: &DimTerm) -> Markup {
    html! { span.row { span { (term) } } }
}

/// Returns a row with its row variable, or the marker, between its flanks.
pub fn row_term(row: &RowTerm) -> Markup {
    let marker = match &row.var {
        Some(var) => format!("⟨{}⟩", var.name()),
        None => "⋄".to_string(),
    };
    boxes(&row.leading, &marker, &row.trailing)
}

/// Returns a row whose sizes are known.
pub fn row(row: &Row) -> Markup {
    boxes(&row.leading, "⋄", &row.trailing)
}

fn boxes<Axis: ToString>(leading: &[Axis], marker: &str, trailing: &[Axis]) -> Markup {
    html! {
        span.row {
            @for axis in leading { span { (axis.to_string()) } }
            span.marker title="broadcasting inserts axes here" { (marker) }
            @for axis in trailing { span { (axis.to_string()) } }
        }
    }
}
