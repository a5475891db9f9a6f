//! The shape of what stands at a place, and how it came about.

use std::fmt::Write;

use lozenge::{requirement_words, shape_text};
use lozenge_lang::{Sort, names};
use lozenge_vocabulary::Var;
use lozenge_vocabulary::operation::{Kind, TensorId};

use crate::analysis::Analysis;
use crate::document::Document;

/// How many shapes are shown of a part that a function or a loop goes through several times.
const MOST_SHAPES: usize = 6;
/// How many requirements are shown of a row.
const MOST_REASONS: usize = 4;

/// What is to be said about a byte of a document, as Markdown, and the part of the text that it is about.
pub fn hover(document: &Document, byte: usize) -> Option<(String, std::ops::Range<usize>)> {
    if let Some(described) = described(document, byte) {
        return Some(described);
    }
    let analysis = document.analysis()?;
    let found = analysis.at(document.then(byte)?)?;
    let span = document.range_now(&found.span)?;
    // Something else may stand there now.
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

/// What a word of the language or a function of the text is, which has no shape.
fn described(document: &Document, byte: usize) -> Option<(String, std::ops::Range<usize>)> {
    let text = &document.text;
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

/// The shapes of a part, each once.
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

/// For each row that inference found, the requirements that it rests on, with their lines.
fn reasons(analysis: &Analysis, tensor: TensorId) -> String {
    let mut text = String::new();
    let shape = analysis.shape(tensor);
    for kind in Kind::ALL {
        let row = shape.row(kind);
        let Some(var) = &analysis.program.tensor(tensor).shape.row(kind).var else {
            continue;
        };
        let Some(story) = analysis.inference.explain(&Var::Row(var.clone())) else {
            continue;
        };
        let mut said: Vec<String> = Vec::new();
        let cited = story.steps.iter().rev().flat_map(|step| &step.constraints);
        for cited in cited {
            let words = requirement(analysis, cited.index);
            said.extend(words.filter(|words| !said.contains(words)));
        }
        if row.rank() == 0 || said.is_empty() {
            continue;
        }
        let left_out = said.len().saturating_sub(MOST_REASONS);
        said.truncate(MOST_REASONS);
        let axes = row.to_string();
        let axes = axes.trim_start_matches('[').trim_end_matches(']');
        let _ = write!(text, "- {} `{axes}`: {}", kind.word(), said.join("; "));
        match left_out {
            0 => text.push('\n'),
            more => {
                let _ = writeln!(text, "; and {more} more");
            }
        }
    }
    text
}

/// What a constraint says, with its line.
fn requirement(analysis: &Analysis, constraint: usize) -> Option<String> {
    let Analysis {
        text,
        program,
        inference,
    } = analysis;
    let origin = inference.asserted().origin(program, constraint)?;
    let (line, _) = lozenge_lang::place(text, origin.span.start);
    let words = requirement_words(program, text, origin.step, origin.requirement);
    Some(format!("{} (line {line})", words.unwrap_or(origin.words)))
}
