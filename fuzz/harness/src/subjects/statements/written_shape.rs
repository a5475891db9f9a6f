//! A shape as programs write it.

/// Returns a shape, or the labels of one: `batch|input->output`.
pub(crate) fn shape(rows: &[Vec<String>; 3]) -> String {
    let row = |at: usize| rows[at].join(", ");
    let bar = if rows[0].is_empty() { "" } else { "|" };
    format!("{}{bar}{}->{}", row(0), row(1), row(2))
}
