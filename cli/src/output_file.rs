//! Files that a command writes when its work is done. They are opened before the work begins, so that an unwritable file is
//! noticed at once.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::Problem;

/// A file that can be written. Its previous contents stay until it is written; a newly created file is removed if it is not
/// written.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: File,
    /// Whether the file is new and nothing is written yet.
    is_empty: bool,
}

impl OutputFile {
    /// Opens the file of a flag, if the flag was given.
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

    /// Replaces the contents of the file.
    ///
    /// # Errors
    /// When that fails, for instance on a full disk.
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
            // It was created a moment ago. If it cannot be removed, an empty file is left.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Problem {
    let path = path.display();
    Problem::new(format!("{path} cannot be written: {error}"))
}
