//! The names that may be written at a place: those in scope, labels of a shape or a spec, members, and files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lozenge::shape_text;
use lozenge_lang::{
    Entry, Header, Imported, Names, Sort, Texts, header_at, header_of_language, imported, names,
    words,
};
use lozenge_vocabulary::operation::TensorId;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};

use crate::document::Document;

/// The kind of what may be written at a place.
#[derive(Debug, PartialEq, Eq)]
enum Place<'t> {
    /// The path of a file of the language, of which this is written.
    Program(&'t str),
    /// The path of a file of data, of which this is written.
    Data(&'t str),
    /// A label or a size, in a shape or a spec.
    Label,
    /// A member of what stands before the point.
    Member(&'t str),
    /// A name or a word of the language; the beginning of a line if it is true.
    Name(bool),
    /// Words for people: a comment, or the name of a new file.
    Nothing,
}

/// Lists what may be written at a byte of a document.
pub(crate) fn completions(
    document: &Document,
    byte: usize,
    open: Texts<'_>,
) -> Vec<CompletionItem> {
    let text = &document.text;
    let folder = document.folder.as_deref();
    let place = place(text, byte);
    let files = || folder.map_or_else(Vec::new, |folder| imported(text, folder, open));
    match place {
        Place::Nothing => Vec::new(),
        Place::Program(written) => paths(folder, written, |name| name.ends_with(".loz")),
        Place::Data(written) => paths(folder, written, |name| !name.ends_with(".loz")),
        Place::Label => labels(&names(text), &files()),
        Place::Member(owner) => members(document, owner, &files()),
        Place::Name(begins) => {
            let mut items = in_scope(document, byte, &files());
            let known: BTreeSet<String> = items.iter().map(|item| item.label.clone()).collect();
            items.extend(of_language(begins).filter(|item| !known.contains(&item.label)));
            items
        }
    }
}

/// Finds the kind of what may be written at a byte.
fn place(text: &str, byte: usize) -> Place<'_> {
    let start = text[..byte].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let before = &text[start..byte];
    let mut string = None;
    for (at, c) in before.char_indices() {
        match (c, string) {
            ('"', None) => string = Some(at),
            ('"', Some(_)) => string = None,
            ('#', None) => return Place::Nothing,
            _ => {}
        }
    }
    if let Some(quote) = string {
        let written = &before[quote + 1..];
        return match before[..quote].split_whitespace().last() {
            Some("use") => Place::Program(written),
            Some("from") => Place::Data(written),
            Some("to") => Place::Nothing,
            _ => Place::Label,
        };
    }
    let rest = before.trim_end_matches(is_of_name);
    if let Some(owner) = rest.strip_suffix('.') {
        let name = owner.trim_end_matches(|c| is_of_name(c) || c == '.').len();
        let owner = &owner[name..];
        if owner.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Place::Member(owner);
        }
    }
    match is_in_shape(before) {
        true => Place::Label,
        false => Place::Name(rest.trim().is_empty()),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Tells whether a line has come to the shape of a definition: behind its colon, and before its value.
fn is_in_shape(before: &str) -> bool {
    let defines = ["data", "param", "state", "const", "let", "assert"];
    let first = before.split_whitespace().next().unwrap_or_default();
    let behind = before.rsplit_once(':').map(|(_, behind)| behind);
    defines.contains(&first)
        && behind.is_some_and(|shape| {
            !shape.contains('=') && !shape.split_whitespace().any(|word| word == "from")
        })
}

/// Lists the files and folders beside what is written of a path.
fn paths(folder: Option<&Path>, written: &str, fits: impl Fn(&str) -> bool) -> Vec<CompletionItem> {
    let inside = written.rfind('/').map_or("", |end| &written[..end + 1]);
    let Some(Ok(entries)) = folder.map(|folder| fs::read_dir(folder.join(inside))) else {
        return Vec::new();
    };
    let items = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_folder = entry.path().is_dir();
        let kind = match is_folder {
            true => CompletionItemKind::FOLDER,
            false => CompletionItemKind::FILE,
        };
        let shown = !name.starts_with('.') && (is_folder || fits(&name));
        shown.then(|| item(name, kind))
    });
    sorted(items.collect())
}

/// Lists labels and sizes.
fn labels(names: &Names, files: &[Imported]) -> Vec<CompletionItem> {
    let own = names.symbols.iter();
    let own = own.filter(|symbol| matches!(symbol.sort, Sort::Label | Sort::Size));
    let own = own.map(|symbol| symbol.name.clone());
    let used = files.iter().filter(|file| file.alias.is_none());
    let used = used.flat_map(|file| &file.outline);
    let used = used.filter(|entry| entry.sort == Sort::Size);
    let all: BTreeSet<String> = own.chain(used.map(|entry| entry.name.clone())).collect();
    let items = all
        .into_iter()
        .filter(|name| !name.is_empty() && name != "_");
    items
        .map(|name| item(name, CompletionItemKind::ENUM_MEMBER))
        .collect()
}

/// Lists the members of a file with a name of its own, or of a layer.
fn members(document: &Document, owner: &str, files: &[Imported]) -> Vec<CompletionItem> {
    if let Some(file) = files
        .iter()
        .find(|file| file.alias.as_deref() == Some(owner))
    {
        let entries = file.outline.iter();
        return sorted(
            entries
                .map(|entry| of_entry(entry, &file.text, None))
                .collect(),
        );
    }
    let Some(analysis) = document.analysis() else {
        return Vec::new();
    };
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (number, tensor) in analysis.program().tensors.iter().enumerate() {
        let member = tensor
            .name
            .strip_prefix(owner)
            .and_then(|rest| rest.strip_prefix('.'));
        let Some(member) = member else { continue };
        let (first, more) = member
            .split_once('.')
            .map_or((member, false), |(first, _)| (first, true));
        if first.chars().all(is_of_name) {
            let shape = match more {
                true => String::new(),
                false => shape_text(analysis.shape(TensorId(number))),
            };
            found.entry(first.to_string()).or_insert(shape);
        }
    }
    let items = found.into_iter().map(|(name, shape)| CompletionItem {
        detail: (!shape.is_empty()).then_some(shape),
        ..item(name, CompletionItemKind::FIELD)
    });
    items.collect()
}

/// Lists the names that a text defines above a byte or takes from other files.
fn in_scope(document: &Document, byte: usize, files: &[Imported]) -> Vec<CompletionItem> {
    let text = &document.text;
    let names = names(text);
    let shapes = shapes(document);
    let mut found: BTreeMap<String, CompletionItem> = BTreeMap::new();
    for file in files {
        match &file.alias {
            Some(alias) => drop(found.insert(
                alias.clone(),
                item(alias.clone(), CompletionItemKind::MODULE),
            )),
            None => found.extend(
                file.outline
                    .iter()
                    .map(|entry| (entry.name.clone(), of_entry(entry, &file.text, None))),
            ),
        }
    }
    // A definition may be read from its end on, and what is inside of it only there.
    let mut blocks: Vec<&[Entry]> = vec![&names.outline];
    while let Some(block) = blocks.pop() {
        for entry in block {
            let is_inside = entry.whole.start <= byte && byte <= entry.whole.end;
            if entry.place.end < byte && entry.sort != Sort::Label {
                let shape = shapes.get(&entry.name).map(String::as_str);
                found.insert(entry.name.clone(), of_entry(entry, text, shape));
            }
            if is_inside {
                blocks.push(&entry.inside);
                for name in arguments(&names, entry) {
                    found.insert(name.clone(), item(name, CompletionItemKind::VARIABLE));
                }
            }
        }
    }
    found.into_values().collect()
}

/// Lists the arguments and the variables of loops whose names are first written in a definition.
fn arguments(names: &Names, entry: &Entry) -> BTreeSet<String> {
    let symbols = names.symbols.iter();
    let inside = symbols.filter(|symbol| {
        let first = symbol.places.first();
        matches!(symbol.sort, Sort::Argument | Sort::Turn)
            && first.is_some_and(|place| entry.whole.contains(&place.start))
    });
    inside.map(|symbol| symbol.name.clone()).collect()
}

/// Returns the shapes of the tensors with names, as they were last inferred.
fn shapes(document: &Document) -> BTreeMap<String, String> {
    let Some(analysis) = document.analysis() else {
        return BTreeMap::new();
    };
    let tensors = analysis.program().tensors.iter().enumerate();
    let named = tensors.filter(|(_, tensor)| tensor.name.chars().all(is_of_name));
    let named = named.map(|(number, tensor)| {
        let shape = shape_text(analysis.shape(TensorId(number)));
        (tensor.name.to_string(), shape)
    });
    named.collect()
}

/// Lists the words of the language.
fn of_language(begins: bool) -> impl Iterator<Item = CompletionItem> {
    let words = words();
    let keywords = words.keywords.into_iter();
    let inner = ["in", "if", "else", "as", "for"];
    let keywords = keywords.filter(move |word| begins || inner.contains(word));
    let keywords = keywords.map(|word| item(word.to_string(), CompletionItemKind::KEYWORD));
    let functions = words
        .functions
        .into_iter()
        .map(str::to_string)
        .chain(words.prelude);
    let functions: BTreeSet<String> = functions.collect();
    let functions = functions
        .into_iter()
        .map(|name| match header_of_language(&name) {
            Some(header) => with_header(item(name, CompletionItemKind::FUNCTION), header),
            None => item(name, CompletionItemKind::CONSTANT),
        });
    keywords.chain(functions)
}

/// Returns the item of a definition, with its header or its shape.
fn of_entry(entry: &Entry, text: &str, shape: Option<&str>) -> CompletionItem {
    let kind = match entry.sort {
        Sort::Function | Sort::Operator => CompletionItemKind::FUNCTION,
        Sort::Constant | Sort::Size => CompletionItemKind::CONSTANT,
        Sort::Param => CompletionItemKind::FIELD,
        Sort::File => CompletionItemKind::MODULE,
        _ => CompletionItemKind::VARIABLE,
    };
    let found = item(entry.name.clone(), kind);
    match header_at(text, entry.place.start).filter(|_| kind == CompletionItemKind::FUNCTION) {
        Some(header) => with_header(found, header),
        None => CompletionItem {
            detail: shape.map(str::to_string),
            ..found
        },
    }
}

fn with_header(found: CompletionItem, header: Header) -> CompletionItem {
    let comment = MarkupContent {
        kind: MarkupKind::Markdown,
        value: header.comment,
    };
    CompletionItem {
        detail: Some(header.label),
        documentation: (!comment.value.is_empty()).then_some(Documentation::MarkupContent(comment)),
        ..found
    }
}

fn item(label: String, kind: CompletionItemKind) -> CompletionItem {
    CompletionItem {
        label,
        kind: Some(kind),
        ..CompletionItem::default()
    }
}

fn sorted(mut items: Vec<CompletionItem>) -> Vec<CompletionItem> {
    items.sort_by(|one, other| one.label.cmp(&other.label));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_known_by_its_line() {
        let at = |text: &str| format!("{:?}", place(text, text.len()));
        assert_eq!(at("use \"li"), "Program(\"li\")");
        assert_eq!(at("data x : n|->c from \"a/"), "Data(\"a/\")");
        assert_eq!(at("data x : n|->"), "Label");
        assert_eq!(at("let y = sum(x, \"n|->"), "Label");
        assert_eq!(at("let y = sum(x, \"n|->c\") + "), "Name(false)");
        assert_eq!(at("let y = layers.de"), "Member(\"layers\")");
        assert_eq!(at("print net.dense."), "Member(\"net.dense\")");
        assert_eq!(at("let y = 1."), "Name(false)");
        assert_eq!(at("let y = 3\n  tr"), "Name(true)");
        assert_eq!(at("let y = 3 # a"), "Nothing");
        assert_eq!(at("save y to \"y"), "Nothing");
    }
}
