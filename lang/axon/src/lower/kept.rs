//! `compress`: the elements that a mask keeps. How many there are is known when the mask is computed, so a program is
//! followed up to there, its mask is computed, and the program is followed again with it.

use lozenge_diagnostic::{Diagnostic, Parsed};

use super::machine::{Machine, unfit};
use super::operators::{Operation, labels};
use super::structure::{element, stacked};
use super::value::{Shown, Tensor, Value};
use crate::Span;

/// Keeps the elements along the outermost axis at which a mask is not 0.
pub(super) fn compress(
    machine: &mut Machine<'_>,
    mask: &Tensor,
    of: &Tensor,
    span: &Span,
) -> Parsed<Option<Value>> {
    let (&[size], Some(first)) = (mask.shape.as_slice(), of.shape.first()) else {
        return Err(unfit(
            span,
            "`compress` takes a mask of one axis, and a tensor",
        ));
    };
    if size != *first {
        return Err(unfit(span, "the mask has another size than the tensor"));
    }
    if !mask.maps.is_empty() {
        let message = "inside `map` each element would keep another number of values";
        return Err(Diagnostic::new(span.clone(), message, "this call")
            .help("compute the mask outside of `map`"));
    }
    let Some(values) = machine.mask() else {
        machine.ask(mask, span);
        return Ok(Some(Value::Tensor(of.clone())));
    };
    let places = values.iter().enumerate();
    let kept: Vec<u64> = places
        .filter(|(place, value)| **value != 0.0 && (*place as u64) < size)
        .map(|(place, _)| place as u64)
        .collect();
    if kept.is_empty() {
        let message = "the mask keeps no element, and a size is at least 1";
        return Err(Diagnostic::new(span.clone(), message, "this call")
            .help("an element is kept where the mask is not 0"));
    }
    if kept.len() as u64 == size {
        return Ok(Some(Value::Tensor(of.clone())));
    }
    let parts: Vec<Tensor> = kept
        .iter()
        .map(|place| element(machine, of, *place, span))
        .collect();
    stacked(machine, &parts, span).map(|kept| Some(Value::Tensor(kept)))
}

impl Machine<'_> {
    /// Returns the values of the mask of the next `compress`, if they are known.
    fn mask(&mut self) -> Option<Vec<f64>> {
        let known = self.known.get(self.used).cloned();
        self.used += 1;
        known
    }

    /// Ends the program with the wish to show a mask.
    fn ask(&mut self, mask: &Tensor, span: &Span) {
        let all = labels('i', mask.shape.len());
        let shown = self.operation(
            Operation {
                accumulator: "=:",
                expression: "{0}",
                operands: &[(mask, all.clone())],
                result: all,
                shape: mask.shape.clone(),
            },
            span,
        );
        self.lines.print_only(shown.id, span);
        self.asked = Some(Shown {
            span: span.clone(),
            tensors: vec![(self.lines.name_of(shown.id), shown.shape.clone())],
            rows: Vec::new(),
        });
    }
}
