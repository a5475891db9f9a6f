//! Checks of inputs whose shape has several parts of any rank: the axes of such a part are not counted from an end.

use lozenge_axon_vocabulary::{Piece, Word};

use super::super::nodes::Inference;
use super::super::print::Printer;
use super::inputs::Inputs;

/// Returns the conditions on inputs whose shapes have several parts of any rank, each with its reason.
pub(super) fn conditions(
    inputs: &Inputs,
    inference: &mut Inference<'_>,
    printer: &mut Printer,
) -> Vec<(String, String)> {
    let mut said = Vec::new();
    let several = |(_, word): &&(String, Word)| word.shapes().count() > 1;
    let words: Vec<&(String, Word)> = inputs.words.iter().filter(several).collect();
    for (at, (path, word)) in words.iter().enumerate() {
        let shapes = word.0.iter().enumerate();
        let open: Vec<usize> = shapes
            .filter(|(_, piece)| matches!(piece, Piece::Shape(shape) if !inputs.shapes.contains_key(shape)))
            .map(|(place, _)| place)
            .collect();
        let why = "a part of its shape is that of another input";
        let mut say = |condition: String| said.push((condition, why.to_string()));
        let same = words[..at].iter().find(|(_, other)| other == word);
        if let (Some((other, _)), false) = (same, open.is_empty()) {
            say(format!("shape({path}) = shape({other})"));
            continue;
        }
        // Such a part has one value in all inputs, so they are told with its name.
        let is_shared = |place: &usize| {
            let mut others = words.iter().filter(|(_, other)| other != word);
            others.any(|(_, other)| other.0.contains(&word.0[*place]))
        };
        match open.as_slice() {
            [] => say(format!(
                "shape({path}) = {}",
                text(&word.0, inputs, inference, printer)
            )),
            [only] if !is_shared(only) => {
                let (before, behind) = (&word.0[..*only], &word.0[only + 1..]);
                if !before.is_empty() {
                    let before = text(before, inputs, inference, printer);
                    say(format!("shape({path}) begins with {before}"));
                }
                if !behind.is_empty() {
                    let behind = text(behind, inputs, inference, printer);
                    say(format!("shape({path}) ends with {behind}"));
                }
            }
            _ => {
                let shape = printer.shape_text(&mut inference.types, &Word(word.0.clone()));
                say(format!("shape({path}) = {}", shape.unwrap_or_default()));
            }
        }
    }
    said
}

/// Writes parts of a shape by the inputs that have them.
fn text(
    pieces: &[Piece],
    inputs: &Inputs,
    inference: &mut Inference<'_>,
    printer: &mut Printer,
) -> String {
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Shape(shape) => inputs.shapes.get(shape).cloned().unwrap_or_default(),
        Piece::Axis(dim) => {
            let term = printer.term(&mut inference.types, *dim).unwrap_or_default();
            format!("[{term}]")
        }
    });
    parts.collect::<Vec<_>>().join("@")
}
