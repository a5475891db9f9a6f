//! The axes that a spec makes of labels: those with windows, with parts, and products of labels. Each is found by its
//! number among them, with its place in the spec and with what is known of the sizes of its labels.

use std::collections::HashMap;

use lozenge_vocabulary::operation::{Requirement, Side};
use lozenge_vocabulary::program::{Assignment, Span};
use lozenge_vocabulary::window::Window;
use lozenge_vocabulary::{Constraint, Dim, DimTerm};

use super::{Known, facing};
use crate::diagnose::words::text::Text;

/// The known sizes of labels and of axes with windows, each with the operand in which it occurs.
pub(crate) type Sizes<'s> = HashMap<&'s str, (u64, usize)>;

/// Returns the composite axes of an operation: the number and the labels of each. The labels whose sizes are more
/// likely to be stated come first.
pub(crate) fn made(step: &Assignment) -> Vec<(usize, Vec<&DimTerm>)> {
    let requirements = step.operation.requirements.iter();
    let made = requirements.filter_map(|requirement| match requirement {
        Requirement::Template(Constraint::Window(window)) => {
            // The author chooses the taps of a window; the number of windows follows.
            let taps = window.taps.iter().map(|(_, tap)| tap);
            let labels = taps.chain([&window.over]).collect();
            Some((number_of(&window.axis), labels))
        }
        Requirement::Template(Constraint::Composite(composite)) => Some((
            number_of(&composite.whole),
            composite.parts.iter().collect(),
        )),
        _ => None,
    });
    made.collect()
}

/// Returns the number of a composite axis, from 0. The name of its variable has it after the last prime, counted
/// from 1.
pub(crate) fn number_of(axis: &DimTerm) -> usize {
    let name = axis.to_string();
    let number = name.rsplit('\'').next().and_then(|last| last.parse().ok());
    number.map_or(0, |number: usize| number.saturating_sub(1))
}

pub(crate) fn windows(step: &Assignment) -> impl Iterator<Item = &Window> {
    let requirements = step.operation.requirements.iter();
    requirements.filter_map(|requirement| match requirement {
        Requirement::Template(Constraint::Window(window)) => Some(window),
        _ => None,
    })
}

/// Returns the axes of an operation that are made of labels.
pub(crate) fn wholes(step: &Assignment) -> impl Iterator<Item = &DimTerm> {
    let requirements = step.operation.requirements.iter();
    requirements.filter_map(|requirement| match requirement {
        Requirement::Template(Constraint::Window(window)) => Some(&window.axis),
        Requirement::Template(Constraint::Composite(composite)) => Some(&composite.whole),
        _ => None,
    })
}

pub(crate) fn sizes<'s>(known: &mut Known<'_>, step: &'s Assignment) -> Sizes<'s> {
    let mut sizes = Sizes::new();
    for requirement in step.operation.requirements.iter() {
        match requirement {
            Requirement::Template(Constraint::DimEq(DimTerm::Var(var), DimTerm::Const(dim))) => {
                sizes.insert(var.name(), (dim.size(), 0));
            }
            Requirement::Equal(Side::Template(row), Side::Slot(slot, kind))
            | Requirement::Equal(Side::Slot(slot, kind), Side::Template(row)) => {
                let tensor = step.operation.slots[*slot];
                let erased = *slot == 0 && step.operation.accumulator.erase;
                let is_open = known.can_grow(tensor, *kind);
                let axes = known.row(tensor, *kind);
                if erased || !is_open && axes.rank() < row.explicit() {
                    continue;
                }
                for (term, dim) in facing(row, &axes, is_open) {
                    if let DimTerm::Var(var) = term
                        && *dim != Dim::Unit
                    {
                        sizes.entry(var.name()).or_insert((dim.size(), *slot));
                    }
                }
            }
            _ => {}
        }
    }
    sizes
}

/// Returns the label behind a variable of an operation.
pub(crate) fn label(term: &DimTerm) -> String {
    let name = term.to_string();
    match name.split('\'').next() {
        // A part that nothing runs over has no label of its own.
        Some("beside") => "_".to_string(),
        label => label.unwrap_or_default().to_string(),
    }
}

/// Tells whether the text of a constraint mentions a variable.
pub(crate) fn mentions(text: &str, term: &DimTerm) -> bool {
    let name = term.to_string();
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.split(|c: char| !part(c)).any(|word| word == name)
}

/// Returns the place of a composite axis in the spec of an operation, if the spec is part of the operation. These axes
/// are numbered over the result's shape first, then over those of the operands.
pub(crate) fn axis_text(text: Text<'_>, step: &Assignment, number: usize) -> Option<Span> {
    let (start, spec) = spec_place(text, step)?;
    let arrow = spec.find("=>")?;
    let result = pieces(spec, arrow + 2..spec.len());
    let operands = pieces(spec, 0..arrow);
    let is_made = |piece: &Span| spec[piece.clone()].contains(['+', '*', '(', '^']);
    let mut all = result.into_iter().chain(operands).filter(is_made);
    let piece = all.nth(number)?;
    Some(start + piece.start..start + piece.end)
}

/// Returns the end of a label that is written in an axis.
pub(crate) fn end_of_label(text: Text<'_>, place: Span, label: &str) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let written = text.at(place.clone());
    let mut found = written.match_indices(label);
    let (at, word) = found.find(|(at, word)| {
        !written[..*at].ends_with(part) && !written[at + word.len()..].starts_with(part)
    })?;
    Some(place.start + at + word.len())
}

/// Returns the spec of an operation, with the byte at which it begins in the program.
fn spec_place<'p>(text: Text<'p>, step: &Assignment) -> Option<(usize, &'p str)> {
    let end = step.span.end + text.line_after(step.span.end).len();
    let whole = text.at(step.span.start..end);
    let mut quoted = whole.match_indices('"').map(|(at, _)| at);
    while let (Some(open), Some(close)) = (quoted.next(), quoted.next()) {
        let inside = &whole[open + 1..close];
        if inside.contains("=>") {
            return Some((step.span.start + open + 1, inside));
        }
    }
    None
}

/// Returns the places of the axes of shapes, without blanks around them.
fn pieces(spec: &str, range: Span) -> Vec<Span> {
    let mut pieces = Vec::new();
    let (mut depth, mut start) = (0usize, range.start);
    let mut put = |from: usize, to: usize| {
        let written = &spec[from..to];
        let trimmed = written.trim();
        if !trimmed.is_empty() {
            let from = from + written.len() - written.trim_start().len();
            pieces.push(from..from + trimmed.len());
        }
    };
    for (at, sign) in spec[range.clone()].char_indices() {
        let at = range.start + at;
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ';' | '|' | '>' if depth == 0 => {
                put(start, at);
                start = at + 1;
            }
            '-' if depth == 0 => {
                put(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    put(start, range.end);
    pieces
}
