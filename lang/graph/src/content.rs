//! The content of a model file that is written again.

/// A model in the format that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The content of the file.
    pub content: Vec<u8>,
    /// The number of conditions that were replaced.
    pub replaced: usize,
}
