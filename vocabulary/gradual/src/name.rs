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

/// The words of programs that are no names unless they stand in quotes.
const KEYWORDS: [&str; 10] = [
    "return", "where", "if", "then", "else", "reshape", "conv2d", "add", "dim", "size",
];

/// Tells whether a name of a program may hold a character. A `:` ends the name that is declared.
pub(crate) fn is_part_of_program_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

/// Tells whether a word of a program is one of its keywords.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Tells whether a text is read as a name in a program without quotes.
pub(crate) fn is_plain_in_program(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_')
        && name.chars().all(is_part_of_program_name)
        && !is_keyword(name)
}
