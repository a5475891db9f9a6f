//! Names that a program takes from files that it uses.

use std::path::{Path, PathBuf};

use lozenge_vocabulary::program::Span;

use crate::parse::block::read;
use crate::syntax::Statement;

use super::current::{File, Texts};
use super::{Names, Sort, Symbol, names};

/// A definition in a file that a program uses.
#[derive(Clone, Debug)]
pub struct DefinedElsewhere {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The place in that text where the name is defined; the start of the text if the byte is in the path of the file.
    pub span: Span,
}

/// Finds the place where the name at a byte is defined, if a file that the program uses defines it. `folder` is the
/// folder of the program.
pub fn defined_elsewhere(
    source: &str,
    byte: usize,
    folder: &Path,
    open: Texts<'_>,
) -> Option<DefinedElsewhere> {
    let opened = |path: &str| opened(&folder.join(path), open);
    let read = read(source, &mut Vec::new());
    let mut uses = Vec::new();
    for statement in &read.statements {
        if let Statement::Use { path, place, alias } = statement {
            if place.start <= byte && byte <= place.end {
                return opened(path);
            }
            uses.push((*path, alias.as_ref().map(|name| name.text)));
        }
    }
    if uses.is_empty() {
        return None;
    }
    let known = names(source);
    if let Some((symbol, _)) = known.at(byte)
        && !may_be_elsewhere(&known, symbol)
    {
        return None;
    }
    let (word, file) = word_at(source, byte)?;
    uses.into_iter()
        .filter(|(_, alias)| *alias == file)
        .find_map(|(path, _)| {
            let found = opened(path)?;
            let outline = names(&found.text).outline;
            let entry = outline.into_iter().find(|entry| entry.name == word)?;
            Some(DefinedElsewhere {
                span: entry.place,
                ..found
            })
        })
}

/// Tells whether the text itself does not define a symbol: a word of the language may be hidden, and a label of a shape
/// may have its size from a file.
fn may_be_elsewhere(known: &Names, symbol: &Symbol) -> bool {
    let mut own = known.outline.iter();
    match symbol.sort {
        Sort::Language | Sort::Elsewhere => true,
        Sort::Size => !own.any(|entry| entry.sort == Sort::Size && entry.name == symbol.name),
        _ => false,
    }
}

/// Reads a file as it stands in the editor, or else on the disk.
fn opened(path: &Path, open: Texts<'_>) -> Option<DefinedElsewhere> {
    let file = File::read(path, open)?;
    Some(DefinedElsewhere {
        path: file.path,
        text: file.text,
        span: 0..0,
    })
}

/// Finds the word at a byte, and the one before the point that stands before it.
fn word_at(source: &str, byte: usize) -> Option<(&str, Option<&str>)> {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let (before, after) = (source.get(..byte)?, source.get(byte..)?);
    let start = before.trim_end_matches(inside).len();
    let end = byte + after.find(|c| !inside(c)).unwrap_or(after.len());
    let word = &source[start..end];
    let file = source[..start].strip_suffix('.').map(|before| {
        let start = before.trim_end_matches(inside).len();
        &before[start..]
    });
    (!word.is_empty()).then_some((word, file))
}
