//! Axon programs: the types of a text by place, and its names.

use std::ops::Range;

use lozenge::axon::{self, syntax};
use lozenge_lang::Edit;
use lsp_types::{DocumentSymbol, SymbolKind};

use crate::document::Document;

/// The number of characters of an expression that a hover repeats.
const SHOWN: usize = 40;

/// Returns the hover text for a byte of a document, as Markdown, and the part that it describes.
pub(crate) fn hover(document: &Document, byte: usize) -> Option<(String, Range<usize>)> {
    let types = document.types()?;
    let (place, shown, checks) = types.at(document.then(byte)?)?;
    let span = document.range_now(&place)?;
    // The part may have changed since then.
    if document.text[span.clone()] != types.text[place] {
        return None;
    }
    let written = &document.text[span.clone()];
    let is_short = !written.contains('\n') && written.chars().count() <= SHOWN;
    let name = if is_short { written } else { "…" };
    let mut text = format!("```axon\n{name} : {shown}\n```\n{checks}");
    if document.is_changed() {
        text.push_str("\n*as it was before the last changes, which are not inferred yet*\n");
    }
    Some((text, span))
}

/// Returns the places of the name at a byte, the one where it is bound first, and which of them it is.
fn places(text: &str, byte: usize) -> Option<(Vec<Range<usize>>, Range<usize>)> {
    let program = axon::parse(text).ok()?;
    let uses = program.nodes.iter().filter_map(|node| match node.kind {
        syntax::NodeKind::Name(name) => Some((name, node.span.clone())),
        _ => None,
    });
    let bound = program.names.iter().enumerate();
    let bound = bound.map(|(name, bound)| (name, bound.span.clone()));
    let all: Vec<(usize, Range<usize>)> = bound.chain(uses).collect();
    let mut around = all
        .iter()
        .filter(|(_, span)| span.start <= byte && byte <= span.end);
    let (name, here) = around.next()?.clone();
    let places = all.into_iter().filter(|(other, _)| *other == name);
    Some((places.map(|(_, span)| span).collect(), here))
}

/// Returns the place where the name at a byte is bound.
pub(crate) fn definition(document: &Document, byte: usize) -> Option<lsp_types::Range> {
    let (places, _) = places(&document.text, byte)?;
    Some(document.lines.range(&document.text, places.first()?))
}

/// Returns the places where the name at a byte is used, and, if `bound` is set, where it is bound.
pub(crate) fn references(document: &Document, byte: usize, bound: bool) -> Vec<lsp_types::Range> {
    let (places, _) = places(&document.text, byte).unwrap_or_default();
    let places = places.iter().skip(usize::from(!bound));
    places
        .map(|place| document.lines.range(&document.text, place))
        .collect()
}

/// Returns the name at a byte, if it can be another.
///
/// # Errors
/// If there is none.
pub(crate) fn renamable(document: &Document, byte: usize) -> Result<lsp_types::Range, String> {
    let (_, here) = places(&document.text, byte).ok_or("there is no name here")?;
    Ok(document.lines.range(&document.text, &here))
}

/// Returns the changes that rename the name at a byte.
///
/// # Errors
/// If there is none, or another meaning would result.
pub(crate) fn renamed(text: &str, byte: usize, name: &str) -> Result<Vec<Edit>, String> {
    let (mut places, _) = places(text, byte).ok_or("there is no name here")?;
    places.sort_by_key(|place| place.start);
    let edits: Vec<Edit> = places
        .into_iter()
        .map(|span| Edit {
            span,
            text: name.to_string(),
        })
        .collect();
    let changed = Edit::apply(&edits, text);
    let is_same = match (axon::parse(text), axon::parse(&changed)) {
        (Ok(before), Ok(after)) => meaning(&before) == meaning(&after),
        _ => false,
    };
    match is_same {
        true => Ok(edits),
        false => Err(format!("`{name}` has another meaning here")),
    }
}

/// Returns which name each node uses, if it uses one.
fn meaning(program: &syntax::Program) -> Vec<Option<usize>> {
    let nodes = program.nodes.iter();
    nodes
        .map(|node| match node.kind {
            syntax::NodeKind::Name(name) => Some(name),
            _ => None,
        })
        .collect()
}

/// Returns the names at the top.
// The field is deprecated in the protocol, but the type requires it.
#[allow(deprecated)]
pub(crate) fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let Ok(program) = axon::parse(&document.text) else {
        return Vec::new();
    };
    let top = program.names.iter().filter(|name| name.owner.is_none());
    top.map(|name| {
        let range = document.lines.range(&document.text, &name.span);
        let is_function = axon::parameters(&program, &name.text).is_some();
        DocumentSymbol {
            name: name.text.to_string(),
            detail: None,
            kind: if is_function {
                SymbolKind::FUNCTION
            } else {
                SymbolKind::VARIABLE
            },
            tags: None,
            deprecated: None,
            range,
            selection_range: range,
            children: None,
        }
    })
    .collect()
}
