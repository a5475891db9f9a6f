//! The surroundings in which a program is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the text of a program leaves out: where its files are, and sizes that are given from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder in which files are looked for. Without it no file is read, and a size that only a file determines is an
    /// error.
    pub folder: Option<PathBuf>,
    /// Sizes by their names in the program. They replace the values of its `size` lines.
    pub sizes: BTreeMap<String, u64>,
}

impl Surroundings {
    /// The surroundings of a program that lies in this folder.
    pub fn folder(folder: &Path) -> Surroundings {
        Surroundings {
            folder: Some(folder.to_path_buf()),
            sizes: BTreeMap::new(),
        }
    }

    /// The same surroundings with one more size given.
    pub fn with_size(mut self, name: &str, size: u64) -> Surroundings {
        self.sizes.insert(name.to_string(), size);
        self
    }
}
