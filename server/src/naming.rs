//! Definitions, uses, renaming and the outline, from the text alone; definitions are also found in the files that it uses.

use lozenge_lang::{Entry, Sort, defined_elsewhere, names, renamable, rename};
use lsp_types::{DocumentSymbol, Location, SymbolKind, TextEdit, Uri};

use crate::diagnostics::edits;
use crate::document::Document;
use crate::lines::Lines;
use crate::place;

/// Where the name at a byte is defined: in the text, or in a file that it uses.
pub(crate) fn definition(document: &Document, uri: &Uri, byte: usize) -> Option<Location> {
    let names = names(&document.text);
    let own = names
        .at(byte)
        .filter(|(symbol, _)| symbol.sort != Sort::Language);
    if let Some(first) = own.and_then(|(symbol, _)| symbol.places.first()) {
        let range = document.lines.range(&document.text, first);
        return Some(Location::new(uri.clone(), range));
    }
    let found = defined_elsewhere(&document.text, byte, document.folder.as_deref()?)?;
    let uri: Uri = place::uri(&found.path)?.parse().ok()?;
    let range = Lines::new(&found.text).range(&found.text, &found.span);
    Some(Location::new(uri, range))
}

/// Where the name at a byte is used, and, if `defined` is set, where it is defined.
pub(crate) fn references(document: &Document, byte: usize, defined: bool) -> Vec<lsp_types::Range> {
    let names = names(&document.text);
    let Some((symbol, _)) = names.at(byte) else {
        return Vec::new();
    };
    let first = usize::from(!defined && symbol.sort != Sort::Language);
    let places = symbol.places.iter().skip(first);
    places
        .map(|place| document.lines.range(&document.text, place))
        .collect()
}

/// The range of the name at a byte, if it can be renamed.
///
/// # Errors
/// The reason why it cannot be renamed.
pub(crate) fn renamable_at(document: &Document, byte: usize) -> Result<lsp_types::Range, String> {
    let names = names(&document.text);
    let (symbol, span) = names.at(byte).ok_or("there is no name here")?;
    renamable(symbol)?;
    Ok(document.lines.range(&document.text, &span))
}

/// The changes that rename the name at a byte.
///
/// # Errors
/// The reason why it cannot have the new name.
pub(crate) fn renamed(
    document: &Document,
    byte: usize,
    name: &str,
) -> Result<Vec<TextEdit>, String> {
    rename(&document.text, byte, name).map(|changes| edits(document, &changes))
}

/// The definitions of the text.
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let names = names(&document.text);
    names
        .outline
        .iter()
        .map(|entry| symbol(document, entry))
        .collect()
}

/// The recursion is bounded: the reader limits how deeply definitions are nested.
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
    }
}
