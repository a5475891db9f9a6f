//! A text that was read.

/// A text and where it is from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as given; `<stdin>` for standard input.
    pub name: String,
    /// The text.
    pub text: String,
}
