//! Mutants, as listed by `cargo mutants --list --json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

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

/// Returns the byte offset of a line and a column, both from 1, the column in characters.
fn offset(text: &str, at: &Position) -> Option<usize> {
    let line = text.split_inclusive('\n').nth(at.line.checked_sub(1)?)?;
    let start = line.as_ptr().addr() - text.as_ptr().addr();
    let mut columns = line
        .char_indices()
        .map(|(byte, _)| byte)
        .chain([line.len()]);
    Some(start + columns.nth(at.column.checked_sub(1)?)?)
}

/// Returns the changes of one package.
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

/// Returns at most `count` changes, in the order of the list: those whose names have the least digests together with
/// the seed. The same seed chooses the same changes again as long as their names are the same, whatever else is in the
/// list.
pub fn sample(changes: Vec<Change>, count: usize, seed: u64) -> Vec<Change> {
    let digest = |change: &Change| {
        let name = change.name.split_once(": ").map_or("", |(_, name)| name);
        Sha256::digest(format!("{seed}:{name}"))
    };
    let mut drawn: Vec<(_, usize)> = changes.iter().map(digest).zip(0..).collect();
    drawn.sort();
    drawn.truncate(count);
    let drawn: BTreeSet<usize> = drawn.into_iter().map(|(_, place)| place).collect();
    let places = changes.into_iter().enumerate();
    let chosen = places.filter(|(place, _)| drawn.contains(place));
    chosen.map(|(_, change)| change).collect()
}

/// Returns the interval in which the share of all mutants that are killed lies with a confidence of 95 %, when `killed`
/// of `tried` random ones are (Wilson's score interval); from 0 to 1 where none was tried.
pub fn confidence(killed: usize, tried: usize) -> (f64, f64) {
    if tried == 0 {
        return (0.0, 1.0);
    }
    let (z, n) = (1.959_963_984_540_054, tried as f64);
    let share = killed as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (
        ((middle - half) / scale).max(0.0),
        ((middle + half) / scale).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Change {
        Change {
            name: name.into(),
            file: "lib.rs".into(),
            span: 0..1,
            replacement: String::new(),
        }
    }

    #[test]
    fn a_sample_depends_on_the_seed_and_the_names_only() {
        let names = |changes: Vec<Change>| -> Vec<String> {
            let bare = |change: Change| change.name.split_once(": ").unwrap().1.to_owned();
            changes.into_iter().map(bare).collect()
        };
        let all = || (0..100).map(|n| named(&format!("{n}: mutant {n}")));
        let first = names(sample(all().collect(), 10, 1));
        assert_eq!(first.len(), 10);
        let renumbered = (0..100).map(|n| named(&format!("{}: mutant {n}", n + 7)));
        assert_eq!(names(sample(renumbered.collect(), 10, 1)), first);
        assert_ne!(names(sample(all().collect(), 10, 2)), first);
        assert_eq!(sample(all().collect(), 1000, 1).len(), 100);
    }

    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = confidence(95, 100);
        assert!(
            (low - 0.8882).abs() < 1e-4 && (high - 0.9785).abs() < 1e-4,
            "{low} {high}"
        );
        let (low, high) = confidence(10, 10);
        assert!(
            (low - 0.7225).abs() < 1e-4 && (high - 1.0).abs() < 1e-9,
            "{low} {high}"
        );
        assert_eq!(confidence(0, 0), (0.0, 1.0));
    }

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
