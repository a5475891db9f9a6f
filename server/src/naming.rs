//! Definitions, uses, renaming and the outline, from the text alone.

use lozenge_lang::{Entry, Sort, names, renamable, rename};
use lsp_types::{DocumentSymbol, SymbolKind, TextEdit};

use crate::diagnostics::edits;
use crate::document::Document;

/// Where the name at a byte is defined, if the text defines it.
pub(crate) fn definition(document: &Document, byte: usize) -> Option<lsp_types::Range> {
    let names = names(&document.text);
    let (symbol, _) = names.at(byte)?;
    let first = symbol.places.first()?;
    (symbol.sort != Sort::Language).then(|| document.lines.range(&document.text, first))
}

/// Where the name at a byte is used, and where it is defined, if that is asked for.
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

/// The name at a byte, if it can be another.
///
/// # Errors
/// Why it cannot.
pub(crate) fn renamable_at(document: &Document, byte: usize) -> Result<lsp_types::Range, String> {
    let names = names(&document.text);
    let (symbol, span) = names.at(byte).ok_or("there is no name here")?;
    renamable(symbol)?;
    Ok(document.lines.range(&document.text, &span))
}

/// The changes that give the name at a byte another.
///
/// # Errors
/// Why it cannot have that name.
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

/// Definitions stand in each other to a depth that the reader limits.
// A field that the protocol gave up has to be filled.
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
        Sort::Language => "language",
    }
}
