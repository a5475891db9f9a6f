//! The limits that keep a file from taking all memory.

use crate::ModelError;

/// The limits of a reader. A file beyond one of them is refused with an error that names it, but for `max_values`,
/// beyond which the values of a constant are left unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the file. The text of a program in JSON may have an eighth of it, since it takes more memory than
    /// it has bytes.
    pub max_file_bytes: u64,
    /// The nodes of all bodies, after functions are inlined. A call of a function counts as two more.
    pub max_nodes: u64,
    /// The greatest depth of bodies and of calls of functions.
    pub max_levels: u32,
    /// The integers of one constant that are read, and the entries of one list, such as the sizes of an input.
    pub max_values: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 1 << 31,
            max_nodes: 500_000,
            max_levels: 64,
            max_values: 1 << 16,
        }
    }
}

impl Limits {
    /// Gives the number of bytes that the JSON text of a program may have.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.max_file_bytes / 8
    }

    pub(crate) fn check_nodes(&self, nodes: u64) -> Result<(), ModelError> {
        if nodes <= self.max_nodes {
            return Ok(());
        }
        let most = self.max_nodes;
        Err(
            ModelError::new(format!("the graph has more than {most} nodes"))
                .by_limit("max_nodes", most),
        )
    }

    pub(crate) fn check_level(&self, level: u32) -> Result<(), ModelError> {
        if level <= self.max_levels {
            return Ok(());
        }
        let most = self.max_levels;
        let message = format!("bodies and functions nest more than {most} levels deep");
        Err(ModelError::new(message).by_limit("max_levels", most))
    }

    pub(crate) fn check_entries(&self, entries: usize, what: &str) -> Result<(), ModelError> {
        if entries as u64 <= self.max_values {
            return Ok(());
        }
        let most = self.max_values;
        let message = format!("{what} has {entries} entries, and {most} are read at most");
        Err(ModelError::new(message).by_limit("max_values", most))
    }
}
