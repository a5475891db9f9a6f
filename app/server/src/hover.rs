//! The shape of the tensor at a place, and how it was inferred.

use std::fmt::Write;

use lozenge::{requirement_words, shape_text};
use lozenge_lang::{Sort, names};
use lozenge_vocabulary::Var;
use lozenge_vocabulary::operation::{Kind, TensorId};

use crate::analysis::Analysis;
use crate::document::Document;

/// The largest number of shapes shown for a part that a function or a loop elaborates several times.
const MOST_SHAPES: usize = 6;
/// The largest number of requirements shown for a row.
const MOST_REASONS: usize = 4;

/// Returns the hover text for a byte of a document, as Markdown, and the part of the document that it describes.
pub fn hover(document: &Document, byte: usize) -> Option<(String, std::ops::Range<usize>)> {
    if let Some(described) = described(document, byte) {
        return Some(described);
    }
    let analysis = document.analysis()?;
    let found = analysis.at(document.then(byte)?)?;
    let span = document.range_now(&found.span)?;
    // The part may have changed since then.
    if document.text[span.clone()] != analysis.text[found.span.clone()] {
        return None;
    }
    let mut text = shapes(&analysis, &found.tensors, &document.text[span.clone()]);
    if let Some(tensor) = found.tensors.first() {
        text.push_str(&reasons(&analysis, *tensor));
    }
    if document.is_changed() {
        text.push_str("\n*as it was before the last changes, which are not inferred yet*\n");
    }
    Some((text, span))
}

/// Returns the description of a word of the language or of a function of the text, which has no shape.
fn described(document: &Document, byte: usize) -> Option<(String, std::ops::Range<usize>)> {
    let text = &document.text;
    if !may_be_described(text, byte) {
        return None;
    }
    let names = names(text);
    let (symbol, span) = names.at(byte)?;
    let shown = match symbol.sort {
        Sort::Language => {
            let lines = lozenge_lang::prelude_lines(&symbol.name)?;
            format!("```loz\n{lines}\n```\n")
        }
        Sort::Function | Sort::Operator => {
            let start = symbol.places.first()?.start;
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[line_start..].lines().next().unwrap_or_default();
            format!("```loz\n{}\n```\n", line.trim())
        }
        _ => return None,
    };
    Some((shown, span))
}

/// Says whether the word at a byte may belong to the language or be the name of a function: it is called, or defined by
/// `def` or `op`. This check costs less than looking up all names.
fn may_be_described(text: &str, byte: usize) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let end = text[byte..]
        .find(|c| !inside(c))
        .map_or(text.len(), |length| byte + length);
    let start = text[..byte].trim_end_matches(inside).len();
    let word = &text[start..end];
    let before = text[..start].trim_end();
    let called = text[end..].trim_start().starts_with('(');
    called
        || before.ends_with("def")
        || before.ends_with("op")
        || lozenge_lang::prelude_lines(word).is_some()
}

/// Returns the distinct shapes of a part.
fn shapes(analysis: &Analysis, tensors: &[TensorId], written: &str) -> String {
    let mut shapes: Vec<String> = Vec::new();
    for tensor in tensors {
        let shape = shape_text(analysis.shape(*tensor));
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let left_out = shapes.len().saturating_sub(MOST_SHAPES);
    shapes.truncate(MOST_SHAPES);
    let name = match written.contains('\n') || written.chars().count() > 40 {
        true => "…",
        false => written,
    };
    let mut text = String::from("```loz\n");
    for shape in &shapes {
        let _ = writeln!(text, "{name} : {shape}");
    }
    text.push_str("```\n");
    if left_out > 0 {
        let _ = writeln!(
            text,
            "and {left_out} other shapes, one for each call or turn\n"
        );
    }
    text
}

/// Returns for each row that inference found, the requirements from which it was derived, with their lines.
fn reasons(analysis: &Analysis, tensor: TensorId) -> String {
    let mut text = String::new();
    let shape = analysis.shape(tensor);
    for kind in Kind::ALL {
        let row = shape.row(kind);
        let Some(var) = &analysis.program()[tensor].shape.row(kind).var else {
            continue;
        };
        // The constraints nearest to the row come first. A derivation may be as long as the program, so only the shown
        // part is worded.
        let Some(cited) = analysis
            .inference()
            .constraints_behind(&Var::Row(var.clone()))
        else {
            continue;
        };
        let mut requirements: Vec<String> = Vec::new();
        let mut rest = cited.iter();
        for constraint in rest.by_ref() {
            let words = requirement(analysis, *constraint);
            requirements.extend(words.filter(|words| !requirements.contains(words)));
            if requirements.len() == MOST_REASONS {
                break;
            }
        }
        if row.rank() == 0 || requirements.is_empty() {
            continue;
        }
        let left_out = rest.len();
        let axes = row.to_string();
        let axes = axes.trim_start_matches('[').trim_end_matches(']');
        let _ = write!(
            text,
            "- {} `{axes}`: {}",
            kind.word(),
            requirements.join("; ")
        );
        match left_out {
            0 => text.push('\n'),
            more => {
                let _ = writeln!(text, "; and {more} more");
            }
        }
    }
    text
}

/// Returns the wording of a constraint, with its line.
fn requirement(analysis: &Analysis, constraint: usize) -> Option<String> {
    let (text, program, inference) = (
        analysis.text.as_ref(),
        analysis.program(),
        analysis.inference(),
    );
    let origin = inference.asserted().origin(program, constraint)?;
    let (line, _) = lozenge_lang::place(text, origin.span.start);
    let words = requirement_words(program, text, origin.step, origin.requirement);
    Some(format!("{} (line {line})", words.unwrap_or(origin.words)))
}
