//! A text that was read.

/// A text with the name of its source.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given; `<stdin>` for standard input.
    pub name: String,
    /// The text.
    pub text: String,
}
