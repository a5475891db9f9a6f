//! The names that a program takes from files that it uses, and the files on which its meaning rests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lozenge_vocabulary::program::{Surroundings, Values};

use super::current::{File, Texts};
use super::{Entry, names};
use crate::parse::block::read;
use crate::parse::files::text_of;
use crate::syntax::Statement;

/// The definitions of a file that a program uses.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The name that the program gives to the file, if it has one.
    pub alias: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its definitions.
    pub outline: Vec<Entry>,
}

/// Lists what a program in this folder takes from the files that it uses itself. A file that cannot be read has
/// nothing.
pub fn imported(source: &str, folder: &Path, open: Texts<'_>) -> Vec<Imported> {
    let read = read(source, &mut Vec::new());
    let uses = read
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Use { path, alias, .. } => {
                let file = File::read(&folder.join(path), open)?;
                Some(Imported {
                    alias: alias.as_ref().map(|name| name.text.to_string()),
                    outline: names(&file.text).outline,
                    path: file.path,
                    text: file.text,
                })
            }
            _ => None,
        });
    uses.collect()
}

/// Lists the files on which the meaning of a program rests: those that it uses, directly or through others, and its
/// data. A file that is not there is listed with the place where it is looked for.
pub fn rests_on(source: &str, surroundings: &Surroundings) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let Some(folder) = &surroundings.folder else {
        return found;
    };
    let mut texts: Vec<(Arc<str>, PathBuf)> = vec![(source.into(), folder.clone())];
    while let Some((text, folder)) = texts.pop() {
        let read = read(&text, &mut Vec::new());
        for statement in &read.statements {
            match statement {
                Statement::Data {
                    values: Values::Csv(csv),
                    ..
                } => drop(found.insert(identity(&folder.join(&csv.path)))),
                Statement::Use { path, .. } => {
                    let path = identity(&folder.join(path));
                    if found.len() as u64 > surroundings.limits.files || !found.insert(path.clone())
                    {
                        continue;
                    }
                    let text = surroundings.texts.get(&path).cloned();
                    let read = || text_of(&path, surroundings.limits.file_bytes).ok();
                    if let Some(text) = text.or_else(|| read().map(Arc::from)) {
                        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
                        texts.push((text, folder));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the path by which a file is known, be it there or not: its canonical path, or that of its folder with its
/// name.
pub fn identity(path: &Path) -> PathBuf {
    let beside = || {
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let canonical = fs::canonicalize(path).ok();
    canonical
        .or_else(beside)
        .unwrap_or_else(|| path.to_path_buf())
}
