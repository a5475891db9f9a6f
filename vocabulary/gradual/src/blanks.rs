//! Blanks and comments between the words of a text.

/// Gives the place of the next word at or behind a place: blanks and comments are passed.
pub(crate) fn next_start(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        if !text[at..].starts_with('#') {
            return at;
        }
        at += text[at..].find('\n').unwrap_or(text.len() - at);
    }
}
