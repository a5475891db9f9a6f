//! Definitions, uses, renaming and the outline, from the text alone; definitions are also found in the files that it
//! uses.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lozenge_lang::{
    Entry, Sort, Workspace, defined_elsewhere, names, renamable, renamable_across, rename,
    rename_across,
};
use lsp_types::{DocumentSymbol, Location, SymbolKind, TextEdit, Uri, WorkspaceEdit};

use crate::diagnostics::{edits, workspace_edit};
use crate::document::Document;
use crate::lines::Lines;
use crate::place;

/// Finds the definition of the name at a byte: in the text, or in a file that it uses.
pub(crate) fn definition(
    documents: &Documents,
    (document, uri, byte): (&Document, &Uri, usize),
) -> Option<Location> {
    let names = names(&document.text);
    let own = names
        .at(byte)
        .filter(|(symbol, _)| !matches!(symbol.sort, Sort::Language | Sort::Elsewhere));
    if let Some(first) = own.and_then(|(symbol, _)| symbol.places.first()) {
        let range = document.lines.range(&document.text, first);
        return Some(Location::new(uri.clone(), range));
    }
    let open = |path: &Path| text_at(documents, path);
    let found = defined_elsewhere(&document.text, byte, document.folder.as_deref()?, &open)?;
    let uri: Uri = place::uri(&found.path)?.parse().ok()?;
    let range = Lines::new(&found.text).range(&found.text, &found.span);
    Some(Location::new(uri, range))
}

/// Lists the uses of the name at a byte, and, if `defined` is set, its definition.
pub(crate) fn references(document: &Document, byte: usize, defined: bool) -> Vec<lsp_types::Range> {
    let names = names(&document.text);
    let Some((symbol, _)) = names.at(byte) else {
        return Vec::new();
    };
    let of_text = !matches!(symbol.sort, Sort::Language | Sort::Elsewhere);
    let first = usize::from(!defined && of_text);
    let places = symbol.places.iter().skip(first);
    places
        .map(|place| document.lines.range(&document.text, place))
        .collect()
}

/// The open documents, by their URIs.
pub(crate) type Documents = HashMap<String, Document>;

/// Returns the document whose file has this canonical path.
fn at_path<'d>(documents: &'d Documents, path: &Path) -> Option<(&'d String, &'d Document)> {
    let mut documents = documents.iter();
    documents.find(|(_, document)| document.file.as_deref() == Some(path))
}

/// Returns the text of a file, if it is open.
pub(crate) fn text_at(documents: &Documents, path: &Path) -> Option<String> {
    at_path(documents, path).map(|(_, document)| document.text.clone())
}

/// Returns the path of a document, if it lies in a folder.
fn file_of(uri: &Uri) -> Option<PathBuf> {
    place::path(uri.as_str()).filter(|path| path.is_file())
}

/// Returns the name at a byte, if it can be another.
///
/// # Errors
/// Why it cannot.
pub(crate) fn renamable_at(
    documents: &Documents,
    (document, uri, byte): (&Document, &Uri, usize),
) -> Result<lsp_types::Range, String> {
    let span = match file_of(uri) {
        Some(path) => {
            let open = |path: &Path| text_at(documents, path);
            renamable_across(&path, byte, &open)?
        }
        None => {
            let names = names(&document.text);
            let (symbol, span) = names.at(byte).ok_or("there is no name here")?;
            renamable(symbol)?;
            span
        }
    };
    Ok(document.lines.range(&document.text, &span))
}

/// Lists the changes that rename the name at a byte, in every file that has it.
///
/// # Errors
/// The reason why it cannot have that name.
// A `Uri` contains a cell that does not affect its hash.
#[allow(clippy::mutable_key_type)]
pub(crate) fn renamed(
    documents: &Documents,
    (document, uri, byte): (&Document, &Uri, usize),
    name: &str,
    folders: &[PathBuf],
) -> Result<WorkspaceEdit, String> {
    let Some(path) = file_of(uri) else {
        let changes = rename(&document.text, byte, name)?;
        return Ok(workspace_edit(uri, edits(document, &changes)));
    };
    let workspace = Workspace {
        open: &|path| text_at(documents, path),
        folders,
    };
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for file in rename_across(&path, byte, name, workspace)? {
        let known = at_path(documents, &file.path).map(|(uri, _)| uri.clone());
        let uri = known.or_else(|| place::uri(&file.path));
        let uri = uri.and_then(|uri| uri.parse::<Uri>().ok());
        let uri = uri.ok_or_else(|| format!("{} has no URI", file.path.display()))?;
        let lines = Lines::new(&file.text);
        let edits = file.edits.into_iter().map(|edit| TextEdit {
            range: lines.range(&file.text, &edit.span),
            new_text: edit.text,
        });
        changes.insert(uri, edits.collect());
    }
    Ok(WorkspaceEdit {
        changes: Some(changes),
        ..WorkspaceEdit::default()
    })
}

/// Returns the definitions of the text.
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let names = names(&document.text);
    names
        .outline
        .iter()
        .map(|entry| symbol(document, entry))
        .collect()
}

/// Describes a definition with those inside it. The recursion is bounded: the reader limits how deeply definitions are
/// nested.
// The field is deprecated in the protocol, but the type requires it.
#[allow(deprecated)]
fn symbol(document: &Document, entry: &Entry) -> DocumentSymbol {
    let range = |span| document.lines.range(&document.text, span);
    let inside: Vec<DocumentSymbol> = entry.inside.iter().map(|e| symbol(document, e)).collect();
    DocumentSymbol {
        name: entry.name.clone(),
        detail: Some(word(entry.sort).into()),
        kind: match entry.sort {
            Sort::Function => SymbolKind::FUNCTION,
            Sort::Operator => SymbolKind::OPERATOR,
            Sort::Constant | Sort::Size => SymbolKind::CONSTANT,
            Sort::Param => SymbolKind::FIELD,
            Sort::File => SymbolKind::MODULE,
            _ => SymbolKind::VARIABLE,
        },
        tags: None,
        deprecated: None,
        range: range(&entry.whole),
        selection_range: range(&entry.place),
        children: (!inside.is_empty()).then_some(inside),
    }
}

fn word(sort: Sort) -> &'static str {
    match sort {
        Sort::Data => "data",
        Sort::Param => "param",
        Sort::Constant => "const",
        Sort::Let => "let",
        Sort::Size => "size",
        Sort::Label => "label",
        Sort::Function => "def",
        Sort::Operator => "op",
        Sort::Argument => "argument",
        Sort::Turn => "turn",
        Sort::File => "use",
        Sort::Language => "language",
        Sort::Elsewhere => "of another file",
    }
}
