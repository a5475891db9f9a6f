//! A change of a source file.

use std::ops::Range;
use std::path::PathBuf;

/// A piece of a source file, and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name, by which the switch selects it. No other change has the same name.
    pub name: String,
    /// The file, relative to the root of the workspace.
    pub file: PathBuf,
    /// The bytes of the file that are replaced.
    pub span: Range<usize>,
    /// The text that replaces them.
    pub replacement: String,
}

impl Change {
    /// Returns the text of the file with only this change.
    pub fn applied(&self, text: &str) -> String {
        let (before, after) = (&text[..self.span.start], &text[self.span.end..]);
        [before, &self.replacement, after].concat()
    }
}
