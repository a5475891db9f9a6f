//! Conditions on dimensions that are known only when a program has run so far.

use lozenge_axon_vocabulary::{DimNode, Equation, Piece};

use super::super::Stated;
use super::super::nodes::Inference;
use super::super::print::Printer;
use super::inputs::Inputs;
use super::{Check, Ends, innermost, size};
use crate::Span;

/// The time at which such a dimension is known.
const LATE: &str = "when the program has run so far";

/// Adds what equations say of such dimensions.
pub(super) fn conditions(
    inference: &mut Inference<'_>,
    printer: &mut Printer,
    inputs: &Inputs,
    left: &[Stated],
    span: &Span,
    checks: &mut Vec<Check>,
) {
    for (path, word) in &inputs.words {
        let ends = Ends::of(word);
        for (place, piece) in word.0.iter().enumerate() {
            let (Piece::Axis(dim), Some(here)) = (piece, ends.axis(path, place)) else {
                continue;
            };
            if inference.types.is_late_term(*dim) {
                let term = printer.term(&mut inference.types, *dim).unwrap_or_default();
                checks.push(Check {
                    condition: format!("{here} = {term}"),
                    why: "the size is known when the program has run so far".to_string(),
                    span: span.clone(),
                    decided: LATE,
                });
            }
        }
    }
    for stated in left {
        if !inference.types.is_late(&stated.equation) {
            continue;
        }
        let Equation::Dims(one, other) = stated.equation else {
            continue;
        };
        let is_late = |dim| match inference.types.pool.node(dim) {
            DimNode::Var(name) => inference.types.is_runtime(name),
            _ => false,
        };
        let (late, term) = match is_late(one) {
            true => (one, other),
            false => (other, one),
        };
        let mut shown = |dim| printer.term(&mut inference.types, dim).unwrap_or_default();
        let (late, written) = (shown(late), shown(term));
        let Ok(form) = inference.types.pool.linear(term) else {
            continue;
        };
        let homes = size::Homes {
            pool: &inference.types.pool,
            axes: &inputs.dims,
        };
        let value = size::shown(&form, &homes).unwrap_or(written);
        let (place, what) = innermost(inference, stated);
        checks.push(Check {
            condition: format!("{late} = {value}"),
            why: format!("{what} is known when it has run"),
            span: inference.program.nodes[place].span.clone(),
            decided: LATE,
        });
    }
}
