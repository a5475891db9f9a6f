//! The files of the repository that people write.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no sources of the project: built files, libraries of others, and programs that readers of the
/// documents wrote.
const LEFT_OUT: &[&str] = &[
    ".git",
    ".libs",
    ".venv",
    "node_modules",
    "readers",
    "target",
];

/// Lists all files of the repository that people write, in their order.
pub fn all() -> Vec<PathBuf> {
    let mut found = below(".");
    found.retain(|path| !is_generated(path));
    found
}

/// Lists all files below a folder of the repository in their order.
pub fn below(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join(folder).canonicalize().unwrap();
    let (mut found, mut waiting) = (Vec::new(), vec![folder]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            if LEFT_OUT.iter().any(|left_out| name == *left_out) {
                continue;
            }
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => waiting.push(entry.path()),
                kind if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Says whether one of the first lines of a file marks it as generated.
pub fn is_generated(path: &Path) -> bool {
    let Ok(text) = fs::read_to_string(path) else {
        return false;
    };
    text.lines().take(5).any(|line| line.contains("@generated"))
}
