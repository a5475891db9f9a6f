//! What a change is.

use std::ops::Range;
use std::path::PathBuf;

/// A piece of a source file and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name, which the switch takes: no other change has the same.
    pub name: String,
    /// The file, seen from the root of the workspace.
    pub file: PathBuf,
    /// The bytes of the file that are replaced.
    pub span: Range<usize>,
    /// The text that replaces them.
    pub replacement: String,
}

impl Change {
    /// The text of the file with this change and no other.
    pub fn applied(&self, text: &str) -> String {
        let (before, after) = (&text[..self.span.start], &text[self.span.end..]);
        [before, &self.replacement, after].concat()
    }
}
