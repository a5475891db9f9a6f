//! Proposals of names at a place of an Axon text, and the type of the function whose call is written there.

use std::collections::BTreeMap;
use std::ops::Range;

use lozenge::axon::{self, Table, syntax};
use lsp_types::{
    CompletionItem, CompletionItemKind, ParameterInformation, ParameterLabel, SignatureHelp,
    SignatureInformation,
};

use crate::document::Document;
use crate::signature;

/// The words of the language that begin a part of a program.
const KEYWORDS: [&str; 6] = ["fn", "data", "print", "range", "from", "inf"];

/// The element types.
const ELEMENTS: [&str; 4] = ["f32", "f64", "i32", "i64"];

/// Lists what may be written at a byte of a document: names in scope with their types, operators, words of the
/// language.
pub(crate) fn completions(document: &Document, byte: usize) -> Vec<CompletionItem> {
    let line = &document.text[..byte];
    let start = line.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = &line[start..];
    let quotes = line.matches('"').count();
    if line.contains('#') || quotes % 2 == 1 {
        return Vec::new();
    }
    let word = line.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '\'');
    if word.trim_end().ends_with(':') || word.trim_end().ends_with("->") {
        let items = ELEMENTS.iter();
        return items
            .map(|name| item(name, CompletionItemKind::TYPE_PARAMETER, None))
            .collect();
    }
    let mut found = BTreeMap::new();
    for name in KEYWORDS {
        found.insert(
            name.to_string(),
            item(name, CompletionItemKind::KEYWORD, None),
        );
    }
    for name in Table::operators().filter(|name| name.starts_with(char::is_alphabetic)) {
        let signature = Table::default().signature(name);
        let shown = signature.map(|signature| signature.text.to_string());
        found.insert(
            name.to_string(),
            item(name, CompletionItemKind::OPERATOR, shown),
        );
    }
    in_scope(document, byte, &mut found);
    found.into_values().collect()
}

/// Adds the names that are bound before a byte and can be seen from there. They are those of the last text that was a
/// program.
fn in_scope(document: &Document, byte: usize, found: &mut BTreeMap<String, CompletionItem>) {
    let Some(types) = document.types() else {
        return;
    };
    let Ok(program) = axon::parse(&types.text) else {
        return;
    };
    let is_around = |span: &Range<usize>| {
        let span = document.range_now(span);
        span.is_some_and(|span| span.start <= byte && byte <= span.end)
    };
    for name in &program.names {
        let is_before = document
            .now(name.span.start)
            .is_some_and(|start| start < byte);
        let is_seen = match name.owner {
            None => true,
            Some(owner) => is_around(&program.functions[owner].span),
        };
        if !is_before || !is_seen {
            continue;
        }
        let shown = types.at(name.span.start).map(|(_, shown, _)| shown);
        let is_function = shown.as_deref().is_some_and(|shown| shown.contains("->"));
        let kind = match is_function {
            true => CompletionItemKind::FUNCTION,
            false => CompletionItemKind::VARIABLE,
        };
        // A name that is bound again has its last type.
        found.insert(name.text.to_string(), item(&name.text, kind, shown));
    }
}

fn item(name: &str, kind: CompletionItemKind, detail: Option<String>) -> CompletionItem {
    CompletionItem {
        label: name.to_string(),
        kind: Some(kind),
        detail,
        ..CompletionItem::default()
    }
}

/// Returns the type of the function whose call is written around a byte, with its parts.
pub(crate) fn signature(document: &Document, byte: usize) -> Option<SignatureHelp> {
    let call = signature::call(&document.text, byte)?;
    let shown = type_of(document, call.function, byte)?;
    let label = format!("{} : {shown}", call.function);
    let parameters = parameters(&shown).into_iter();
    let parameters = parameters.map(|parameter| ParameterInformation {
        label: ParameterLabel::Simple(parameter.to_string()),
        documentation: None,
    });
    let active = u32::try_from(call.argument).ok();
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            label,
            documentation: None,
            parameters: Some(parameters.collect()),
            active_parameter: active,
        }],
        active_signature: Some(0),
        active_parameter: active,
    })
}

/// Returns the type of a function: of a name that is bound before a byte, or of an operator.
fn type_of(document: &Document, function: &str, byte: usize) -> Option<String> {
    let bound = document.types().and_then(|types| {
        let program = axon::parse(&types.text).ok()?;
        let mut names = program.names.iter().rev();
        let is_before = |name: &syntax::Name| {
            let start = document.now(name.span.start);
            start.is_some_and(|start| start < byte)
        };
        let name = names.find(|name| *name.text == *function && is_before(name))?;
        types.at(name.span.start).map(|(_, shown, _)| shown)
    });
    let operator = || Some(Table::default().signature(function)?.text.to_string());
    bound.or_else(operator).filter(|shown| shown.contains("->"))
}

/// Returns the parameters of a type as they are written: what stands between commas outside of parentheses and
/// brackets, before the arrow.
fn parameters(shown: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in shown.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(shown[start..at].trim());
                start = at + 1;
            }
            '-' if depth == 0 && shown[at..].starts_with("->") => {
                parts.push(shown[start..at].trim());
                return parts.into_iter().filter(|part| *part != "()").collect();
            }
            _ => {}
        }
    }
    Vec::new()
}
