//! Files that a command writes when its work is done, opened before the work begins: what cannot be written is found at once.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::Problem;

/// A file that can be written. What it held before stays until then, and a file that was not there goes away again unless it
/// is written.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: File,
    /// Whether there is a new file of which nothing is written yet.
    is_empty: bool,
}

impl OutputFile {
    /// Opens the file of a flag, where the flag was given.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: Option<&Path>) -> Result<Option<OutputFile>, Problem> {
        path.map(OutputFile::at).transpose()
    }

    fn at(path: &Path) -> Result<OutputFile, Problem> {
        let is_empty = !path.exists();
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(path);
        Ok(OutputFile {
            path: path.to_path_buf(),
            file: file.map_err(|error| cannot_write(path, &error))?,
            is_empty,
        })
    }

    /// Replaces what the file holds.
    ///
    /// # Errors
    /// When that fails after all, as on a full disk.
    pub fn write(mut self, text: &str) -> Result<(), Problem> {
        self.is_empty = false;
        // A device such as /dev/stdout has no length.
        let shortened = match self.file.metadata() {
            Ok(metadata) if metadata.is_file() => self.file.set_len(0),
            _ => Ok(()),
        };
        shortened
            .and_then(|()| self.file.write_all(text.as_bytes()))
            .map_err(|error| cannot_write(&self.path, &error))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.is_empty {
            // It was made a moment ago; where it cannot be removed an empty file is left.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Problem {
    let path = path.display();
    Problem::new(format!("{path} cannot be written: {error}"))
}
