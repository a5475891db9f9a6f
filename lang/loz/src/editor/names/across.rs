//! Renaming a symbol in the file that defines it and in every file of the workspace that uses that file.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use lozenge_vocabulary::program::Span;

use crate::diagnostic::Edit;
use crate::parse::block::read;
use crate::syntax::Statement;

use super::current::{File, Texts};
use super::{
    Names, Sort, Symbol, defined_elsewhere, edits_of, is_a_name, means_another, names, names_with,
    renamable, rename,
};

/// The largest number of files and folders of a workspace that are searched.
const MOST_FILES: usize = 20_000;

/// The changes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The file.
    pub path: PathBuf,
    /// Its text before.
    pub text: String,
    /// The changes.
    pub edits: Vec<Edit>,
}

/// The files among which a name has one meaning.
#[derive(Clone, Copy)]
pub struct Workspace<'w> {
    /// The current texts of files.
    pub open: Texts<'w>,
    /// The folders that are open in the editor. The folder of the file that defines a name belongs to them.
    pub folders: &'w [PathBuf],
}

/// Makes the changes that rename the symbol at a byte of a file: those of the file itself, and those of the files to
/// which it exports the name or from which it imports it.
///
/// # Errors
/// The reason why this is not a valid name, or why it would change the meaning of some name.
pub fn rename_across(
    path: &Path,
    byte: usize,
    name: &str,
    workspace: Workspace<'_>,
) -> Result<Vec<Renamed>, String> {
    let open = workspace.open;
    let own = File::read(path, open).ok_or("the file cannot be read")?;
    let known = own.names(open);
    let (symbol, _) = known.at(byte).ok_or("there is no name here")?;
    is_a_name(name)?;
    let (definer, place) = if symbol.sort == Sort::Elsewhere {
        let folder = own.folder();
        let found = defined_elsewhere(&own.text, byte, &folder, workspace.open);
        let found = found.ok_or("no file that is used defines this name")?;
        let file = File::read(&found.path, open).ok_or("the file cannot be read")?;
        (file, found.span.start)
    } else {
        renamable(symbol)?;
        if !is_exported(&known, symbol) {
            let edits = rename(&own.text, byte, name)?;
            return Ok(vec![own.renamed(edits)]);
        }
        let place = symbol.places[0].start;
        (own, place)
    };
    let old = {
        let known = names(&definer.text);
        let (symbol, _) = known.at(place).ok_or("there is no name here")?;
        symbol.name.clone()
    };
    let edits = rename(&definer.text, place, name)?;
    let mut changed = vec![];
    for file in others(&definer, workspace)? {
        let edits = file.uses_renamed(&definer, &old, name, open)?;
        if !edits.is_empty() {
            changed.push(file.renamed(edits));
        }
    }
    changed.insert(0, definer.renamed(edits));
    Ok(changed)
}

/// Finds the place of the name at a byte of a file, if it can be renamed, whichever file defines it.
///
/// # Errors
/// The reason why it cannot be renamed.
pub fn renamable_across(path: &Path, byte: usize, open: Texts<'_>) -> Result<Span, String> {
    let own = File::read(path, open).ok_or("the file cannot be read")?;
    let known = own.names(open);
    let (symbol, span) = known.at(byte).ok_or("there is no name here")?;
    if symbol.sort != Sort::Elsewhere {
        renamable(symbol)?;
    }
    Ok(span)
}

/// Tells whether another file may read a name: it is defined at the left margin, and is neither data nor a parameter.
fn is_exported(known: &Names, symbol: &Symbol) -> bool {
    let mut own = known.outline.iter();
    own.any(|entry| {
        entry.place == symbol.places[0]
            && matches!(
                entry.sort,
                Sort::Function | Sort::Operator | Sort::Size | Sort::Let | Sort::Constant
            )
    })
}

impl File {
    fn folder(&self) -> PathBuf {
        self.path
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default()
    }

    fn renamed(self, edits: Vec<Edit>) -> Renamed {
        Renamed {
            path: self.path,
            text: self.text,
            edits,
        }
    }

    /// Lists the files that the file uses, each with the name under which it uses them.
    pub fn uses(&self) -> Vec<(PathBuf, Option<String>)> {
        let read = read(&self.text, &mut Vec::new());
        let folder = self.folder();
        let uses = read
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Use { path, alias, .. } => {
                    let path = fs::canonicalize(folder.join(path)).ok()?;
                    Some((path, alias.as_ref().map(|name| name.text.to_string())))
                }
                _ => None,
            });
        uses.collect()
    }

    /// Lists the names that the file imports without a qualifier from the files that it uses, by file.
    fn foreign(&self, open: Texts<'_>) -> Vec<(PathBuf, String, Sort)> {
        let mut found = Vec::new();
        for (path, alias) in self.uses() {
            if alias.is_none()
                && let Some(file) = File::read(&path, open)
            {
                let outline = names(&file.text).outline.into_iter();
                found.extend(outline.map(|entry| (path.clone(), entry.name, entry.sort)));
            }
        }
        found
    }

    fn names(&self, open: Texts<'_>) -> Names {
        let foreign = self.foreign(open).into_iter();
        let foreign: Vec<(String, Sort)> = foreign.map(|(_, name, sort)| (name, sort)).collect();
        names_with(&self.text, &foreign)
    }

    /// Makes the changes that rename the uses of a definition of another file.
    fn uses_renamed(
        &self,
        definer: &File,
        old: &str,
        new: &str,
        open: Texts<'_>,
    ) -> Result<Vec<Edit>, String> {
        let uses = self.uses();
        let aliases: Vec<Option<String>> = uses
            .into_iter()
            .filter_map(|(path, alias)| (path == definer.path).then_some(alias))
            .collect();
        if aliases.is_empty() {
            return Ok(Vec::new());
        }
        let foreign = self.foreign(open);
        let taken = || {
            format!(
                "`{new}` has a meaning in {} already, or some name there would change its own: take another name",
                self.path.display()
            )
        };
        // A name that is imported without a qualifier must not be defined a second time.
        let mut own = names(&self.text).outline.into_iter();
        let twice = own.any(|entry| entry.name == new)
            || names(&definer.text).outline.iter().any(|entry| {
                entry.name == old && means_another(&names(&self.text), entry.sort, new)
            })
            || foreign
                .iter()
                .any(|(path, name, _)| *path != definer.path && name == new);
        if aliases.contains(&None) && twice {
            return Err(taken());
        }
        let of = |name_of: &dyn Fn(&PathBuf, &str) -> String| -> Vec<(String, Sort)> {
            let all = foreign.iter();
            all.map(|(path, name, sort)| (name_of(path, name), *sort))
                .collect()
        };
        let before = names_with(&self.text, &of(&|_, name| name.to_string()));
        let read_here = before.elsewhere.iter();
        let symbols =
            read_here.filter(|foreign| foreign.name == old && aliases.contains(&foreign.alias));
        let edits: Vec<Edit> = symbols
            .flat_map(|foreign| edits_of(&before.symbols[foreign.symbol], new))
            .collect();
        let mut edits = edits;
        edits.sort_by_key(|edit| edit.span.start);
        let renamed = of(&|path, name| match *path == definer.path && name == old {
            true => new.to_string(),
            false => name.to_string(),
        });
        let after = names_with(&Edit::apply(&edits, &self.text), &renamed);
        match before.grouping().eq(after.grouping()) {
            true => Ok(edits),
            false => Err(taken()),
        }
    }
}

/// Lists the other programs of a file's folder and of the workspace. Hidden folders, and those into which tools write
/// what they make, have none.
///
/// # Errors
/// If there are so many that some would be missed.
fn others(file: &File, workspace: Workspace<'_>) -> Result<Vec<File>, String> {
    let mut found: BTreeSet<PathBuf> = BTreeSet::new();
    let mut folders: Vec<(PathBuf, bool)> = vec![(file.folder(), false)];
    folders.extend(
        workspace
            .folders
            .iter()
            .map(|folder| (folder.clone(), true)),
    );
    let mut seen = 0;
    while let Some((folder, deep)) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST_FILES {
                return Err(format!(
                    "the workspace has more than {MOST_FILES} files, and a file that uses this one could be missed: open a smaller folder"
                ));
            }
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && deep && !is_skipped(&entry.file_name()) {
                folders.push((path, true));
            } else if path.extension().is_some_and(|extension| extension == "loz") {
                found.extend(fs::canonicalize(path));
            }
        }
    }
    found.remove(&file.path);
    let read = found
        .iter()
        .filter_map(|path| File::read(path, workspace.open));
    Ok(read.collect())
}

/// Tells whether a folder is hidden, or holds what a tool has made.
fn is_skipped(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') || name == "target" || name == "node_modules"
}
