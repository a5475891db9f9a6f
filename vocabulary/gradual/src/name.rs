//! Names of inputs, nodes and axes, as they are written without quotes.

/// Tells whether a text is read as a name without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    name_length(name) == name.len() && !name.is_empty() && !name.ends_with(".rank")
}

/// Returns the number of bytes of the name at the beginning of a text.
pub(crate) fn name_length(text: &str) -> usize {
    let first = text
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_' || c == '/');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | ':');
    match first {
        true => text.find(|c| !is_part(c)).unwrap_or(text.len()),
        false => 0,
    }
}
