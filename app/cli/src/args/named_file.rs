//! A file of a command line, with the words of messages about it.

use std::path::{Path, PathBuf};

/// A file that a command reads or writes.
#[derive(Clone, Debug)]
pub struct Named {
    /// The words by which a message speaks of it, such as "the program" or "--save a.st".
    pub words: String,
    /// Its path.
    pub path: PathBuf,
}

impl Named {
    /// Returns a file with the words of a message about it.
    pub fn new(words: impl Into<String>, path: &Path) -> Named {
        Named {
            words: words.into(),
            path: path.to_path_buf(),
        }
    }

    /// Returns the file of a flag, if it is given.
    pub fn flag(flag: &str, path: Option<&Path>) -> Option<Named> {
        path.map(|path| Named::new(format!("{flag} {}", path.display()), path))
    }
}
