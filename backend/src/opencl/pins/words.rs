//! The words of a line of text, with their places.

/// A word of the text.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    pub text: &'t str,
    pub column: usize,
}

/// Lists the words of a line up to its comment, which begins with `#`.
pub(super) fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut column = 1;
    for piece in line.split(char::is_whitespace) {
        if piece.starts_with('#') {
            break;
        }
        if !piece.is_empty() {
            words.push(Word {
                text: piece,
                column,
            });
        }
        column += piece.chars().count() + 1;
    }
    words
}
