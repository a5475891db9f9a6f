//! The header of the function whose call is being written, and what it did to shapes so far.

use std::collections::BTreeMap;

use lozenge::shape_text;
use lozenge_lang::{
    Entry, Header, Imported, Sort, Texts, header_at, header_of_language, imported, names,
};
use lozenge_vocabulary::operation::TensorId;
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp,
    SignatureInformation,
};

use crate::analysis::Analysis;
use crate::document::Document;

/// The largest number of calls whose shapes are shown.
const MOST_CALLS: usize = 3;
/// The largest number of bytes before a place in which the beginning of a call is looked for.
const MOST_BYTES: usize = 4_000;

/// A call that is being written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call<'t> {
    /// The file to which the function belongs, where the text names one.
    file: Option<&'t str>,
    pub(crate) function: &'t str,
    /// The number of the pair of parentheses, from 0.
    group: usize,
    /// The number of the argument, from 0.
    pub(crate) argument: usize,
}

/// Returns the header of the function around a byte of a document.
pub(crate) fn signature(
    document: &Document,
    byte: usize,
    open: Texts<'_>,
) -> Option<SignatureHelp> {
    let call = call(&document.text, byte)?;
    let header = header(document, &call, open)?;
    let parameters = header.groups.get(call.group)?;
    let mut parts = vec![header.comment.clone()];
    if let (Some(analysis), None) = (document.analysis(), call.file) {
        parts.extend(shapes(&analysis, call.function));
    }
    parts.retain(|part| !part.is_empty());
    let comment = MarkupContent {
        kind: MarkupKind::Markdown,
        value: parts.join("\n\n"),
    };
    let parameters = parameters.iter().map(|parameter| ParameterInformation {
        label: ParameterLabel::Simple(parameter.clone()),
        documentation: None,
    });
    let active = u32::try_from(call.argument).ok();
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            label: header.label.clone(),
            documentation: Some(Documentation::MarkupContent(comment)),
            parameters: Some(parameters.collect()),
            active_parameter: active,
        }],
        active_signature: Some(0),
        active_parameter: active,
    })
}

/// Finds the header of a function: in the text, in a file that it uses, or in the language.
fn header(document: &Document, call: &Call<'_>, open: Texts<'_>) -> Option<Header> {
    let in_text = |text: &str, outline: &[Entry]| {
        let mut blocks = vec![outline];
        while let Some(block) = blocks.pop() {
            for entry in block {
                let defines = matches!(entry.sort, Sort::Function | Sort::Operator);
                if defines && entry.name == call.function {
                    return header_at(text, entry.place.start);
                }
                blocks.push(&entry.inside);
            }
        }
        None
    };
    let files: Vec<Imported> = match document.folder.as_deref() {
        Some(folder) => imported(&document.text, folder, open),
        None => Vec::new(),
    };
    let used = files
        .iter()
        .filter(|file| file.alias.as_deref() == call.file);
    let of_files = || {
        used.clone()
            .find_map(|file| in_text(&file.text, &file.outline))
    };
    if call.file.is_some() {
        return of_files();
    }
    in_text(&document.text, &names(&document.text).outline)
        .or_else(of_files)
        .or_else(|| header_of_language(call.function))
}

/// Finds the call around a byte: the innermost parenthesis that is open there and stands behind a name.
pub(crate) fn call(text: &str, byte: usize) -> Option<Call<'_>> {
    let mut from = byte.saturating_sub(MOST_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut open: Vec<(usize, usize)> = Vec::new();
    let (mut string, mut comment) = (false, false);
    // The parenthesis that is open at a place is found from the front, since strings and comments may hold parentheses.
    for (at, c) in text[from..byte].char_indices() {
        match c {
            '\n' | '\r' => (string, comment) = (false, false),
            _ if comment => {}
            '"' => string = !string,
            _ if string => {}
            '#' => comment = true,
            '(' | '[' => open.push((from + at, 0)),
            ')' | ']' => drop(open.pop()),
            ',' => open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|(_, commas)| *commas += 1),
            _ => {}
        }
    }
    if comment {
        return None;
    }
    open.iter()
        .rev()
        .find_map(|(at, argument)| named(text, *at, *argument))
}

/// Returns the call whose argument list begins with the parenthesis at a byte, if it stands behind a name.
fn named(text: &str, parenthesis: usize, argument: usize) -> Option<Call<'_>> {
    if !text[parenthesis..].starts_with('(') {
        return None;
    }
    let (mut end, mut group) = (parenthesis, 0);
    // `dense(4)(` is the second pair of parentheses of one function.
    while text[..end].ends_with(')') {
        end = opened(text, end)?;
        group += 1;
    }
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = text[..end].trim_end_matches(is_of_name).len();
    let function = &text[start..end];
    let file = text[..start].strip_suffix('.').map(|before| {
        let start = before.trim_end_matches(is_of_name).len();
        &before[start..]
    });
    let is_definition =
        ["def", "op"].contains(&text[..start].split_whitespace().last().unwrap_or_default());
    let is_name = function.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_name && !is_definition).then_some(Call {
        file: file.filter(|file| !file.is_empty()),
        function,
        group,
        argument,
    })
}

/// Finds the parenthesis that the one before a byte closes.
fn opened(text: &str, end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let start = end.saturating_sub(MOST_BYTES);
    for (at, byte) in text.as_bytes()[..end].iter().enumerate().skip(start).rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Describes the first calls of a function in the text: shapes of the arguments, where they are known, and the result.
fn shapes(analysis: &Analysis, function: &str) -> Option<String> {
    let program = analysis.program();
    let shape = |tensor: TensorId| format!("`{}`", shape_text(analysis.shape(tensor)));
    let mut seen: Vec<String> = Vec::new();
    let mut note = |line: String| {
        if !seen.contains(&line) && seen.len() < MOST_CALLS {
            seen.push(line);
        }
    };
    for call in program
        .predefined
        .iter()
        .filter(|call| call.function == function)
    {
        let Some(last) = call.steps.clone().last() else {
            continue;
        };
        let arguments: Vec<String> = call.arguments.iter().map(|(id, _)| shape(*id)).collect();
        let result = shape(program.steps[last].operation.slots[0]);
        note(format!("here: {} gives {result}", arguments.join(", ")));
    }
    let mut results: BTreeMap<usize, TensorId> = BTreeMap::new();
    for step in &program.steps {
        if let Some(call) = step
            .call
            .filter(|call| program.calls[*call].function == function)
        {
            results.insert(call, step.operation.slots[0]);
        }
    }
    for result in results.into_values() {
        note(format!("here it gives {}", shape(result)));
    }
    (!seen.is_empty()).then(|| seen.join("  \n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_call_is_found() {
        let at = |text| {
            call(text, str::len(text))
                .map(|call| (call.file, call.function, call.group, call.argument))
        };
        assert_eq!(at("let y = sum(x, "), Some((None, "sum", 0, 1)));
        assert_eq!(at("let y = sum(x, \"a, (b => c"), Some((None, "sum", 0, 1)));
        assert_eq!(
            at("let y = f(g(1, 2), [3, 4], h(5"),
            Some((None, "h", 0, 0))
        );
        assert_eq!(at("let y = f(g(1, 2), [3, 4"), Some((None, "f", 0, 1)));
        assert_eq!(at("let y = dense(4)(x"), Some((None, "dense", 1, 0)));
        assert_eq!(at("let y = l.scaled("), Some((Some("l"), "scaled", 0, 0)));
        assert_eq!(at("let y = (x + 1, "), None);
        assert_eq!(at("def f(x"), None);
        assert_eq!(at("let y = f(x)"), None);
        assert_eq!(at("# f(x"), None);
        assert_eq!(at("let z = f(\n  x,\n  "), Some((None, "f", 0, 1)));
    }
}
