//! Files as they stand now: in the editor if they are open there, or else on the disk.

use std::fs;
use std::path::{Path, PathBuf};

use lozenge_vocabulary::program::ReadingLimits;

use crate::parse::files::text_of;

/// The current texts of the files that are open in an editor; `None` for a file that is not open.
pub type Texts<'t> = &'t dyn Fn(&Path) -> Option<String>;

/// A file with its text, taken from the editor if it is open there, or else from the disk.
pub(super) struct File {
    pub path: PathBuf,
    pub text: String,
}

impl File {
    /// Reads a file.
    pub fn read(path: &Path, open: Texts<'_>) -> Option<File> {
        let path = fs::canonicalize(path).ok()?;
        let text =
            open(&path).or_else(|| text_of(&path, ReadingLimits::default().file_bytes).ok())?;
        Some(File { path, text })
    }
}
