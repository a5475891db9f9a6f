//! What a program is read in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the text of a program does not say: where its files are, and sizes that are given from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder in which files are looked for. Without it no file is looked at, and a size that only a file says is an
    /// error.
    pub folder: Option<PathBuf>,
    /// Sizes by the names that the program has for them, in place of what its `size` lines say.
    pub sizes: BTreeMap<String, u64>,
}

impl Surroundings {
    /// Those of a program that lies in a folder.
    pub fn folder(folder: &Path) -> Surroundings {
        Surroundings {
            folder: Some(folder.to_path_buf()),
            sizes: BTreeMap::new(),
        }
    }

    /// The same with a size.
    pub fn with_size(mut self, name: &str, size: u64) -> Surroundings {
        self.sizes.insert(name.to_string(), size);
        self
    }
}
