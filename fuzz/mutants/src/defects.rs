//! Planted defects: hand-written changes, in a file like
//!
//! ```toml
//! package = "lozenge-solver"
//! noticed-by = "campaign"
//!
//! [[defect]]
//! name = "UnitBelowForgotten"
//! file = "solver/rows/src/dims.rs"
//! find = "if a == Term::UNIT {"
//! replace = "if false {"
//! what = "`1_ <= a` says nothing"
//! ```
//!
//! `find` has to occur exactly once in the file. When the sources change so that it no longer does, a test fails; that
//! test needs no build of a copy.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::change::Change;
use crate::functions::Outline;
use crate::instrument::site;

/// The kind of check that has to notice the defects of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticedBy {
    /// The inputs of the fuzzer's targets.
    Campaign,
    /// The tests of the package.
    Tests,
}

/// A planted defect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// The name.
    pub name: String,
    /// The file, relative to the root of the workspace.
    pub file: PathBuf,
    /// A text that occurs once in the file.
    pub find: String,
    /// The text that replaces it.
    pub replace: String,
    /// The mistake that the defect makes, on one line.
    pub what: String,
}

/// A file of defects.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DefectFile {
    /// The package in which they are planted.
    pub package: String,
    /// The kind of check that has to notice them.
    pub noticed_by: NoticedBy,
    /// The only target of the campaign in which they are looked for; those that run no kernels if there is none.
    #[serde(default)]
    pub target: Option<String>,
    /// The package whose tests have to notice them; their own if there is none.
    #[serde(default)]
    pub judge: Option<String>,
    /// The words with which the names of these tests begin; all tests of the package if there are none.
    #[serde(default)]
    pub tests: String,
    /// The defects.
    #[serde(rename = "defect")]
    pub defects: Vec<Defect>,
}

/// An error in a file of defects.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The file does not have the right format.
    #[error("{0}: {1}")]
    Malformed(PathBuf, toml::de::Error),
    /// Two defects have one name.
    #[error("{0}: two defects are called {1}: give one of them another name")]
    Twice(PathBuf, String),
    /// A source file that cannot be parsed as Rust.
    #[error("{0}: {1}")]
    NoRust(PathBuf, syn::Error),
    /// `find` does not occur exactly once.
    #[error("{defect}: what it looks for occurs {count} times in {}, not once: write `find` anew", file.display())]
    Occurs {
        /// The defect.
        defect: String,
        /// The file in which it is planted.
        file: PathBuf,
        /// The number of times that `find` occurs.
        count: usize,
    },
    /// The replacement is the same text.
    #[error("{0}: `replace` is the same as `find`")]
    Unchanged(String),
    /// There is no place for the change.
    #[error("{0}: {1}: move `find` into the body of a function")]
    NoPlace(String, crate::instrument::NoPlace),
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::Unreadable(path.into(), error))
}

impl DefectFile {
    /// Reads a file of defects.
    ///
    /// # Errors
    /// When it cannot be read, does not have the right format, or has two defects with the same name.
    pub fn read(path: &Path) -> Result<DefectFile, Error> {
        let file: DefectFile =
            toml::from_str(&read(path)?).map_err(|error| Error::Malformed(path.into(), error))?;
        let mut names = BTreeSet::new();
        match file
            .defects
            .iter()
            .find(|defect| !names.insert(&defect.name))
        {
            Some(defect) => Err(Error::Twice(path.into(), defect.name.clone())),
            None => Ok(file),
        }
    }

    /// Returns the changes of the file, each with a place in the copy.
    ///
    /// # Errors
    /// All errors of the defects.
    pub fn changes(&self, root: &Path) -> Result<Vec<Change>, Vec<Error>> {
        let (mut changes, mut errors) = (Vec::new(), Vec::new());
        for defect in &self.defects {
            match defect.change(root) {
                Ok(change) => changes.push(change),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(changes)
        } else {
            Err(errors)
        }
    }
}

impl Defect {
    fn change(&self, root: &Path) -> Result<Change, Error> {
        let path = root.join(&self.file);
        let text = read(&path)?;
        let count = text.matches(&self.find).count();
        let Some(start) = text.find(&self.find).filter(|_| count == 1) else {
            return Err(Error::Occurs {
                defect: self.name.clone(),
                file: self.file.clone(),
                count,
            });
        };
        if self.find == self.replace {
            return Err(Error::Unchanged(self.name.clone()));
        }
        let change = Change {
            name: self.name.clone(),
            file: self.file.clone(),
            span: start..start + self.find.len(),
            replacement: self.replace.clone(),
        };
        let outline = Outline::of(&text).map_err(|error| Error::NoRust(path, error))?;
        site(&outline, &change).map_err(|error| Error::NoPlace(self.name.clone(), error))?;
        Ok(change)
    }
}

/// Returns the files of defects of the workspace, in the order of their names.
///
/// # Errors
/// When the folder cannot be read.
pub fn files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let folder = root.join("fuzz/testkit/defects");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
