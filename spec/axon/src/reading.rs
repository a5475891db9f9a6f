//! The two readings of a list among appended shapes.

/// The reading of a list in the rules about appends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// A list is no append. This is what is printed.
    #[default]
    Literal,
    /// A list is also `[]@list` and `list@[]`, which makes the inference of batched products work.
    Unit,
}
