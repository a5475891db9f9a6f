//! A file of decided rows, each with the hash of the sources that its decision depends on.
//!
//! A row whose sources have not changed is read back and not decided again. One file holds the rows of one document at one
//! effort.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::entry::Entry;

/// The version of the file's format. A file in another version is replaced.
const FORMAT: u32 = 1;

/// The results of earlier runs, in a file.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    rows: BTreeMap<String, Row>,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    format: u32,
    rows: BTreeMap<String, Row>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    /// The hash of the sources that the decision depends on.
    depends: String,
    entry: Entry,
}

/// The file of results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// It cannot be read, created or written.
    #[error("the file of results {path} cannot be used: {error}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Its contents are not results.
    #[error("{path} is not a file of results: {error}; name another file, or remove this one")]
    NotResults {
        /// The file.
        path: PathBuf,
        /// What is wrong with its text.
        error: serde_json::Error,
    },
}

/// The key of a decision: the hash of its section's sources, and the version of Z3.
fn depends(sources: &str) -> String {
    format!("{sources} {}", z3::full_version())
}

impl Kept {
    /// Reads a file of results, or creates an empty one, so that an unwritable path is noticed before the work.
    ///
    /// # Errors
    /// When the file cannot be read, created or written, or does not hold results.
    pub fn open(path: &Path) -> Result<Kept, KeptError> {
        let unusable = |error| KeptError::Unusable {
            path: path.to_path_buf(),
            error,
        };
        let mut kept = Kept {
            path: path.to_path_buf(),
            rows: BTreeMap::new(),
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                kept.rows = rows(&text).map_err(|error| KeptError::NotResults {
                    path: path.to_path_buf(),
                    error,
                })?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder).map_err(unusable)?;
                }
                kept.write()?;
            }
            Err(error) => return Err(unusable(error)),
        }
        Ok(kept)
    }

    /// Forgets all results, so that everything is decided again.
    pub fn forget(&mut self) {
        self.rows.clear();
    }

    /// The result of a row, if it was decided from these sources.
    pub fn get(&self, id: &str, sources: &str) -> Option<&Entry> {
        let row = self.rows.get(id)?;
        (row.depends == depends(sources)).then_some(&row.entry)
    }

    /// Adds a result and writes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, entry: &Entry, sources: &str) -> Result<(), KeptError> {
        let row = Row {
            depends: depends(sources),
            entry: entry.clone(),
        };
        self.rows.insert(entry.id.clone(), row);
        self.write()
    }

    /// Writes a temporary file and renames it, so that the file is intact even if the run is stopped meanwhile.
    fn write(&self) -> Result<(), KeptError> {
        let file = serde_json::json!({ "format": FORMAT, "rows": self.rows });
        let beside = self.path.with_extension("part");
        fs::write(&beside, file.to_string())
            .and_then(|()| fs::rename(&beside, &self.path))
            .map_err(|error| KeptError::Unusable {
                path: self.path.clone(),
                error,
            })
    }
}

/// The rows of a file; none if its format has another version.
fn rows(text: &str) -> Result<BTreeMap<String, Row>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let version: Version = serde_json::from_str(text)?;
    if version.format != FORMAT {
        return Ok(BTreeMap::new());
    }
    Ok(serde_json::from_str::<File>(text)?.rows)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Evidence;
    use super::*;

    fn entry(id: &str) -> Entry {
        Entry {
            id: id.into(),
            section: "§1".into(),
            statement: "it holds".into(),
            evidence: Evidence::Sampled,
            bounds: None,
            rules: None,
            scope: "some".into(),
            instances: 1,
            witness: None,
            why: None,
            readings: Vec::new(),
            repaired_by: None,
            repairs: None,
            seconds: 0.25,
        }
    }

    #[test]
    fn a_result_is_read_back_while_its_sources_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/in/results.json");
        let mut kept = Kept::open(&path).unwrap();
        kept.add(&entry("Def. 1"), "abc").unwrap();
        let again = Kept::open(&path).unwrap();
        assert_eq!(again.get("Def. 1", "abc"), Some(&entry("Def. 1")));
        assert_eq!(again.get("Def. 1", "abd"), None, "the sources changed");
        assert_eq!(again.get("Def. 2", "abc"), None);
    }

    #[test]
    fn a_file_of_something_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter.txt");
        fs::write(&path, "Dear all").unwrap();
        let error = Kept::open(&path).unwrap_err();
        assert!(matches!(error, KeptError::NotResults { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "Dear all");
    }

    #[test]
    fn a_file_of_another_version_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        fs::write(&path, r#"{"format": 0, "rows": {"Def. 1": 7}}"#).unwrap();
        let mut kept = Kept::open(&path).unwrap();
        assert!(kept.get("Def. 1", "abc").is_none());
        kept.add(&entry("Def. 1"), "abc").unwrap();
        assert!(Kept::open(&path).unwrap().get("Def. 1", "abc").is_some());
    }
}
