//! Results that are kept: decided rows, each with the hash of what its decision depends on.
//!
//! A row whose sources have not changed since is read back and not decided again. One file holds the rows of one
//! document. A user has one of his own; another one is committed, so that a fresh clone knows its results. A row is
//! believed only where its own hash is right, so that a result that somebody edited is decided again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lozenge::NewFile;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::effort::Effort;
use super::entry::Entry;

/// The version of the file's format. A file in another version is replaced.
const FORMAT: u32 = 2;

/// The results of earlier runs.
#[derive(Debug, Default)]
pub struct Kept {
    /// The file that new results are written to, if there is one.
    path: Option<PathBuf>,
    own: Rows,
    committed: Rows,
}

type Rows = BTreeMap<String, Row>;

#[derive(Debug, Serialize, Deserialize)]
struct File {
    format: u32,
    rows: Rows,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    effort: Effort,
    /// The key of the decision: the hash of its section's sources, and the version of Z3.
    depends: String,
    /// The hash of both and of the entry.
    hash: String,
    entry: Entry,
}

/// The knowledge about a row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing<'a> {
    /// The row was decided from these sources.
    Known(&'a Entry),
    /// The row was decided, but from other sources, or its result was changed since.
    Stale,
    /// The row was not decided.
    Unknown,
}

/// The file of results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The file cannot be read, created or written.
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
        /// The mistake in its text.
        error: serde_json::Error,
    },
}

fn depends(sources: &str) -> String {
    format!("{sources} {}", z3::full_version())
}

impl Row {
    fn new(entry: &Entry, sources: &str, effort: Effort) -> Row {
        let depends = depends(sources);
        Row {
            effort,
            hash: hash(effort, &depends, entry),
            depends,
            entry: entry.clone(),
        }
    }

    fn is_whole(&self) -> bool {
        self.hash == hash(self.effort, &self.depends, &self.entry)
    }
}

fn hash(effort: Effort, depends: &str, entry: &Entry) -> String {
    let entry = serde_json::to_string(entry).unwrap_or_default();
    let hash = Sha256::digest(format!("{} {depends}\n{entry}", effort.word()));
    hash[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
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
            path: Some(path.to_path_buf()),
            ..Kept::default()
        };
        match fs::read_to_string(path) {
            Ok(text) => {
                kept.own = rows(&text).map_err(|error| KeptError::NotResults {
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

    /// Returns the same, with the rows of the committed file behind its own. Rows that cannot be read are not there.
    pub fn with_committed(mut self, text: &str) -> Kept {
        self.committed = rows(text).unwrap_or_default();
        self
    }

    /// Returns the rows of the committed file that are not as they were written: somebody has edited them, so they are
    /// decided again.
    pub fn edited(&self) -> impl Iterator<Item = &str> {
        let edited = |(id, row): &(&String, &Row)| !row.is_whole() || row.entry.id != **id;
        let rows = self.committed.iter().filter(edited);
        rows.map(|(id, _)| id.as_str())
    }

    /// Forgets all results, so that everything is decided again.
    pub fn forget(&mut self) {
        self.own.clear();
        self.committed.clear();
    }

    /// Returns the knowledge about a row that these sources decide at this effort.
    pub fn standing(&self, id: &str, sources: &str, effort: Effort) -> Standing<'_> {
        let depends = depends(sources);
        let rows = || {
            [&self.own, &self.committed]
                .into_iter()
                .filter_map(|rows| rows.get(id))
                .filter(|row| row.effort == effort)
        };
        let current = rows().find(|row| row.depends == depends && row.is_whole());
        match current {
            Some(row) => Standing::Known(&row.entry),
            None if rows().next().is_some() => Standing::Stale,
            None => Standing::Unknown,
        }
    }

    /// Adds a result and writes the file, if there is one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, entry: &Entry, sources: &str, effort: Effort) -> Result<(), KeptError> {
        let row = Row::new(entry, sources, effort);
        self.own.insert(entry.id.clone(), row);
        self.write()
    }

    /// Writes the file as a whole, so that it is intact even if the run is stopped meanwhile.
    fn write(&self) -> Result<(), KeptError> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let file = serde_json::json!({ "format": FORMAT, "rows": self.own });
        NewFile::replace(path, format!("{file:#}\n")).map_err(|error| KeptError::Unusable {
            path: path.clone(),
            error,
        })
    }
}

/// Returns the rows of a file; none if its format has another version.
fn rows(text: &str) -> Result<Rows, serde_json::Error> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let version: Version = serde_json::from_str(text)?;
    if version.format != FORMAT {
        return Ok(Rows::new());
    }
    Ok(serde_json::from_str::<File>(text)?.rows)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Evidence;
    use super::*;
    use Effort::{Full, Quick};

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
        kept.add(&entry("Def. 1"), "abc", Quick).unwrap();
        let again = Kept::open(&path).unwrap();
        let standing = |id, sources, effort| again.standing(id, sources, effort);
        let known = entry("Def. 1");
        assert_eq!(standing("Def. 1", "abc", Quick), Standing::Known(&known));
        // The sources changed.
        assert_eq!(standing("Def. 1", "abd", Quick), Standing::Stale);
        assert_eq!(standing("Def. 1", "abc", Full), Standing::Unknown);
        assert_eq!(standing("Def. 2", "abc", Quick), Standing::Unknown);
    }

    #[test]
    fn a_committed_result_is_known_until_there_is_one_of_the_user_or_its_sources_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("committed.json");
        let mut kept = Kept::open(&path).unwrap();
        kept.add(&entry("Def. 1"), "abc", Full).unwrap();
        let committed = fs::read_to_string(&path).unwrap();

        let mut kept = Kept::default().with_committed(&committed);
        let known = entry("Def. 1");
        let standing = kept.standing("Def. 1", "abc", Full);
        assert_eq!(standing, Standing::Known(&known));
        assert_eq!(kept.standing("Def. 1", "abd", Full), Standing::Stale);
        let other = Entry {
            instances: 2,
            ..entry("Def. 1")
        };
        kept.add(&other, "abd", Full).unwrap();
        let standing = kept.standing("Def. 1", "abd", Full);
        assert_eq!(standing, Standing::Known(&other));
        kept.forget();
        assert_eq!(kept.standing("Def. 1", "abc", Full), Standing::Unknown);
    }

    #[test]
    fn a_result_that_somebody_edited_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let mut kept = Kept::open(&path).unwrap();
        kept.add(&entry("Def. 1"), "abc", Full).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for (written, edited) in [("sampled", "proved"), ("abc ", "abd ")] {
            assert_eq!(text.matches(written).count(), 1);
            let edited = text.replace(written, edited);
            let kept = Kept::default().with_committed(&edited);
            assert!(kept.edited().eq(["Def. 1"]));
            for sources in ["abc", "abd"] {
                let standing = kept.standing("Def. 1", sources, Full);
                assert_eq!(standing, Standing::Stale, "{edited}");
            }
        }
        let kept = Kept::default().with_committed(&text[..text.len() / 2]);
        assert_eq!(kept.standing("Def. 1", "abc", Full), Standing::Unknown);
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
        assert_eq!(kept.standing("Def. 1", "abc", Quick), Standing::Unknown);
        kept.add(&entry("Def. 1"), "abc", Quick).unwrap();
        let again = Kept::open(&path).unwrap();
        let known = entry("Def. 1");
        let standing = again.standing("Def. 1", "abc", Quick);
        assert_eq!(standing, Standing::Known(&known));
    }
}
