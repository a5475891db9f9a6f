//! The part of the theories of Coq that counts: their code and their statements. Comments and layout do not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the code of all theories below a folder, and what they state.
pub fn text(proofs: &Path) -> String {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut folders = vec![proofs.join("theories")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "v") {
                let code = code(&fs::read_to_string(&path).unwrap_or_default());
                files.insert(path, code);
            }
        }
    }
    let mut all: String = files.into_values().collect();
    all += &fs::read_to_string(proofs.join("statements.txt")).unwrap_or_default();
    all
}

/// Returns the code of a theory: its words, without comments, which may stand in each other.
pub fn code(text: &str) -> String {
    let (mut code, mut depth) = (String::with_capacity(text.len()), 0usize);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("(*") {
            depth += 1;
            rest = &rest[2..];
        } else if depth > 0 && rest.starts_with("*)") {
            depth -= 1;
            rest = &rest[2..];
            code.push(' ');
        } else {
            if depth == 0 {
                code.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    let words: Vec<&str> = code.split_whitespace().collect();
    words.join(" ")
}
