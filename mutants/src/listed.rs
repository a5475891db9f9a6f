//! Mutants, as listed by `cargo mutants --list --json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::change::Change;

#[derive(Deserialize)]
struct Position {
    line: usize,
    column: usize,
}

#[derive(Deserialize)]
struct Span {
    start: Position,
    end: Position,
}

/// One mutant of the list, with the fields that are needed here.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    name: Option<String>,
    package: String,
    file: PathBuf,
    span: Span,
    replacement: String,
}

/// An error in a list.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The list is not what `cargo mutants --list --json` prints.
    #[error("{0}: not a list of `cargo mutants --list --json`: {1}")]
    Malformed(PathBuf, serde_json::Error),
    /// The list was made from other sources.
    #[error("{name}: {} has no line {line} with a column {column}: list the mutants anew", file.display())]
    Elsewhere {
        /// The mutant.
        name: String,
        /// Its file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    },
}

/// The byte offset of a line and a column, both from 1, the column in characters.
fn offset(text: &str, at: &Position) -> Option<usize> {
    let line = text.split_inclusive('\n').nth(at.line.checked_sub(1)?)?;
    let start = line.as_ptr().addr() - text.as_ptr().addr();
    let mut columns = line
        .char_indices()
        .map(|(byte, _)| byte)
        .chain([line.len()]);
    Some(start + columns.nth(at.column.checked_sub(1)?)?)
}

/// The changes of one package.
///
/// # Errors
/// When a file cannot be read, or the list was made from other sources.
pub fn changes(list: &Path, package: &str, root: &Path) -> Result<Vec<Change>, Error> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| Error::Unreadable(path.into(), error))
    };
    let listed: Vec<Listed> =
        serde_json::from_str(&read(list)?).map_err(|error| Error::Malformed(list.into(), error))?;
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut changes: Vec<Change> = Vec::new();
    for (number, mutant) in listed.into_iter().enumerate() {
        if mutant.package != package {
            continue;
        }
        if !texts.contains_key(&mutant.file) {
            texts.insert(mutant.file.clone(), read(&root.join(&mutant.file))?);
        }
        let text = &texts[&mutant.file];
        let name = mutant
            .name
            .unwrap_or_else(|| mutant.file.display().to_string());
        let place = |at: &Position| {
            offset(text, at).ok_or_else(|| Error::Elsewhere {
                name: name.clone(),
                file: mutant.file.clone(),
                line: at.line,
                column: at.column,
            })
        };
        let span = place(&mutant.span.start)?..place(&mutant.span.end)?;
        changes.push(Change {
            // Two mutants may have the same name; their numbers distinguish them.
            name: format!("{number}: {name}"),
            file: mutant.file.clone(),
            span,
            replacement: mutant.replacement,
        });
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let text = "a\nßb\n";
        let at = |line, column| offset(text, &Position { line, column });
        assert_eq!(at(2, 1), Some(2));
        assert_eq!(at(2, 2), Some(4));
        assert_eq!(at(2, 4), Some(6));
        assert_eq!(at(2, 5), None);
        assert_eq!(at(3, 1), None);
    }

    #[test]
    fn a_list_is_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("lib.rs"),
            "fn f() -> bool {\n    1 < 2\n}\n",
        )
        .unwrap();
        let list = folder.path().join("list.json");
        let span = r#"{"start": {"line": 2, "column": 7}, "end": {"line": 2, "column": 8}}"#;
        let mutant = |package: &str| {
            format!(
                r#"{{"package": "{package}", "file": "lib.rs", "function": null, "genre": "BinaryOperator",
                "name": "replace < with ==", "span": {span}, "replacement": "=="}}"#
            )
        };
        fs::write(&list, format!("[{}, {}]", mutant("other"), mutant("mine"))).unwrap();
        let all = changes(&list, "mine", folder.path()).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].name, "1: replace < with ==");
        assert_eq!(
            all[0].applied("fn f() -> bool {\n    1 < 2\n}\n"),
            "fn f() -> bool {\n    1 == 2\n}\n"
        );
    }
}
