//! The files that a program uses, directly or indirectly. They are read before anything is elaborated.

use hashbrown::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::block::{Read, read};
use crate::diagnostic::nearest_name::nearest;
use crate::diagnostic::{Diagnostic, brief};
use crate::syntax::Statement;
use lozenge_vocabulary::program::{Span, Surroundings};

/// The number of the text of the prelude.
pub(crate) const PRELUDE: usize = 0;
/// The number of the text of the program. The files that it uses have the numbers after it.
pub(crate) const PROGRAM: usize = 1;

/// A file that a program uses.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path, relative to the same folder as the path of the program's folder.
    pub path: PathBuf,
    pub text: Arc<str>,
}

/// The meaning of a `use` line: the number of a text, or the reason why there is none.
type Meant = Result<usize, Box<Diagnostic>>;

/// The state of the search for files.
struct Known<'s> {
    /// The numbers of files by their canonical paths, so that each file has one number.
    numbers: HashMap<PathBuf, usize>,
    surroundings: &'s Surroundings,
    /// The meaning of a path that is written in a file of a folder.
    meant: HashMap<(Option<PathBuf>, String), Meant>,
}

/// The files that a program uses.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// The text with the number [`PROGRAM`]` + 1`, and those that follow.
    pub files: Vec<File>,
    /// The meaning of each `use`, by the number of its text and the place of its path there.
    meant: HashMap<(usize, usize), Meant>,
}

impl Files {
    /// Reads the files that a program uses, and those that they use, each once.
    pub(crate) fn of(program: &Read<'_>, surroundings: &Surroundings) -> Files {
        let mut files = Files::default();
        let mut known = Known {
            numbers: HashMap::new(),
            surroundings,
            meant: HashMap::new(),
        };
        files.follow(PROGRAM, program, surroundings.folder.as_deref(), &mut known);
        let mut next = 0;
        while let Some(File { path, text }) = files.files.get(next) {
            let (folder, text) = (path.parent().map(Path::to_path_buf), text.clone());
            // Its errors are reported when it is elaborated.
            let found = read(&text, &mut Vec::new());
            files.follow(PROGRAM + 1 + next, &found, folder.as_deref(), &mut known);
            next += 1;
        }
        files
    }

    /// Finds the meaning of the `use` whose path is at a place of a text.
    pub(crate) fn meant(&self, source: usize, place: &Span) -> Option<&Meant> {
        self.meant.get(&(source, place.start))
    }

    /// Returns the file with the number of its text.
    pub(crate) fn file(&self, source: usize) -> Option<&File> {
        self.files.get(source.checked_sub(PROGRAM + 1)?)
    }

    fn follow(
        &mut self,
        source: usize,
        read: &Read<'_>,
        folder: Option<&Path>,
        known: &mut Known<'_>,
    ) {
        for statement in &read.statements {
            if let Statement::Use { path, place, .. } = statement {
                let key = (folder.map(Path::to_path_buf), (*path).to_string());
                let meant = match known.meant.get(&key) {
                    Some(meant) => meant.clone(),
                    None => {
                        let meant = self.opened(path, place, folder, known);
                        let meant = meant.map_err(Box::new);
                        known.meant.insert(key, meant.clone());
                        meant
                    }
                };
                // An error of a path is reported at each place where it is written.
                let meant = meant.map_err(|mut error| {
                    error.labels[0].place = place.clone().into();
                    error
                });
                self.meant.insert((source, place.start), meant);
            }
        }
    }

    /// Finds the number of the file that a path means.
    fn opened(
        &mut self,
        written: &str,
        place: &Span,
        folder: Option<&Path>,
        known: &mut Known<'_>,
    ) -> Result<usize, Diagnostic> {
        let shown = brief(written);
        let error = |message: String, label: &str| Diagnostic::new(place.clone(), message, label);
        let Some(folder) = folder else {
            let message = format!("`{shown}` is not read: nothing says where this program lies");
            return Err(error(message, "a file beside the program")
                .help("put the program into a file, and this one beside it"));
        };
        let path = folder.join(written);
        // One file may have several paths.
        let identity = fs::canonicalize(&path).map_err(|why| {
            error(format!("`{shown}` cannot be read: {why}"), "no such file").help(
                match beside(&path) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`{}` is looked for", path.display()),
                },
            )
        })?;
        if let Some(number) = known.numbers.get(&identity) {
            return Ok(*number);
        }
        let most = known.surroundings.limits.files;
        if self.files.len() as u64 >= most {
            let message = format!("a program uses more than {most} files");
            return Err(error(message, "one too many")
                .help("put several of them into one; --max-files raises the limit"));
        }
        let text = match known.surroundings.texts.get(&identity) {
            Some(text) => Ok(text.clone()),
            None => text_of(&identity, known.surroundings.limits.file_bytes).map(Arc::from),
        };
        let text = text.map_err(|why| {
            error(format!("`{shown}` cannot be read: {why}"), "this file")
                .help("a program uses files of the language: text with `def` and `size` lines")
        })?;
        let number = PROGRAM + 1 + self.files.len();
        known.numbers.insert(identity, number);
        self.files.push(File { path, text });
        Ok(number)
    }
}

/// Reads the text of a file; an error if the file has more than `most` bytes.
pub(crate) fn text_of(path: &Path, most: u64) -> Result<String, String> {
    let known = fs::metadata(path).map_err(|error| error.to_string())?;
    if !known.is_file() {
        return Err("it is no regular file".into());
    }
    if known.len() > most {
        return Err(format!(
            "it has more than {most} bytes; --max-file-bytes raises the limit"
        ));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let mut text = String::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))?;
    // A byte order mark has no meaning in UTF-8.
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Finds the name of a file in the same folder that was probably meant.
fn beside(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(folder).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".loz")).collect();
    names.sort_unstable();
    nearest(name, names.iter().map(String::as_str)).map(String::from)
}
