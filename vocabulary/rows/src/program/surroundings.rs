//! The surroundings in which a program is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The limits on the size of a program when it is read. A loop of a few lines can have any number of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingLimits {
    /// The largest number of statements and parts of expressions that are read, those of loops counted once per
    /// iteration.
    pub parts: u64,
    /// The largest number of operations.
    pub operations: u64,
    /// The deepest nesting of calls and blocks. Each level takes some stack.
    pub levels: u32,
    /// The largest number of values of a tensor of data. 2^28 take 1 GiB.
    pub values: u64,
    /// The largest length in bytes of a line of a file of data.
    pub line_bytes: u64,
    /// The largest number of files that a program uses.
    pub files: u64,
    /// The largest size in bytes of a file that a program uses.
    pub file_bytes: u64,
    /// The largest number of ways in which the parts of one spec with concatenations are chosen, each of which may be
    /// an operation.
    pub choices: u64,
    /// The largest number of parts of a line of an operator after the lines that it uses are written out.
    pub op_parts: u64,
}

impl Default for ReadingLimits {
    fn default() -> ReadingLimits {
        ReadingLimits {
            parts: 20_000_000,
            operations: 2_000_000,
            levels: 48,
            values: 1 << 28,
            line_bytes: 1 << 28,
            files: 1_000,
            file_bytes: 1 << 24,
            choices: 1 << 12,
            op_parts: 10_000,
        }
    }
}

/// The facts that the text of a program leaves out: where its files are, sizes that are given from outside, and how
/// large it may become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder in which files are looked for. Without it no file is read, and a size that only a file determines is
    /// an error.
    pub folder: Option<PathBuf>,
    /// The texts of files of the language that are open in an editor, by their canonical paths. They stand in place of
    /// those on the disk.
    pub texts: Arc<BTreeMap<PathBuf, Arc<str>>>,
    /// Sizes by their names in the program. They replace the values of its `size` lines.
    pub sizes: BTreeMap<String, u64>,
    /// True if parameters without initial values begin with normally distributed ones, as if `= normal()` was written.
    /// Otherwise their values come from outside.
    pub normal: bool,
    /// The limits on the size of the program.
    pub limits: ReadingLimits,
}

impl Surroundings {
    /// Returns the surroundings of a program that lies in this folder.
    pub fn folder(folder: &Path) -> Surroundings {
        Surroundings {
            folder: Some(folder.to_path_buf()),
            ..Surroundings::default()
        }
    }

    /// Returns the same surroundings with one more size given.
    pub fn with_size(mut self, name: &str, size: u64) -> Surroundings {
        self.sizes.insert(name.to_string(), size);
        self
    }
}
