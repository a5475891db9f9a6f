//! Files that a command writes when its work is done. They are opened before the work begins, so that an unwritable
//! file is noticed at once.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lozenge::NewFile;

use crate::report::Problem;

/// A file that can be written. Its old content stays until it is written.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: NewFile,
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
        Ok(OutputFile {
            path: path.to_path_buf(),
            file: NewFile::at(path).map_err(|error| cannot_write(path, &error))?,
        })
    }

    /// Replaces the contents of the file.
    ///
    /// # Errors
    /// When that fails, for instance on a full disk.
    pub fn write(self, text: &str) -> Result<(), Problem> {
        let OutputFile { path, mut file } = self;
        let written = file.write_all(text.as_bytes());
        written
            .and_then(|()| file.finish())
            .map_err(|error| cannot_write(&path, &error))
    }
}

/// Replaces the contents of a file that a command writes more than once, or that is one of many.
///
/// # Errors
/// When that fails. The file has its old content then.
pub fn replace(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Problem> {
    NewFile::replace(path, contents).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> Problem {
    let path = path.display();
    Problem::new(format!("{path} cannot be written: {error}"))
}
