//! Ragged tensors at given sizes: a tensor for each element of the outermost axis.
//!
//! Where all elements have one shape they are one tensor again, so whatever is done with a ragged tensor is decided by
//! the lengths that it has.

use lozenge_diagnostic::{Diagnostic, Parsed};

use super::machine::{Frame, Machine, unfit};
use super::operators;
use super::structure::{self, element};
use super::value::{Tensor, Value, shape_text};
use crate::Span;

/// A function that is computed for each element, one after the other.
pub(super) struct Each {
    function: Value,
    over: Vec<Tensor>,
    next: usize,
    results: Vec<Tensor>,
    span: Span,
}

/// The source of the elements of a loop.
pub(super) enum Elements {
    Of(Tensor),
    Rows(Vec<Tensor>),
}

impl Elements {
    /// Returns the number of elements.
    pub(super) fn count(&self) -> u64 {
        match self {
            Elements::Of(tensor) => tensor.shape.first().copied().unwrap_or(0),
            Elements::Rows(rows) => rows.len() as u64,
        }
    }

    /// Returns an element.
    pub(super) fn at(&self, machine: &mut Machine<'_>, place: u64, span: &Span) -> Tensor {
        match self {
            Elements::Of(tensor) => element(machine, tensor, place, span),
            Elements::Rows(rows) => rows[place as usize].clone(),
        }
    }
}

/// Returns elements as one value: a tensor where they have one shape, and a ragged one where only their outermost axes
/// differ.
pub(super) fn collected(
    machine: &mut Machine<'_>,
    parts: Vec<Tensor>,
    span: &Span,
) -> Parsed<Value> {
    let Some(first) = parts.first() else {
        return Err(unfit(span, "there are no elements"));
    };
    if parts.iter().all(|part| part.shape == first.shape) {
        return structure::stacked(machine, &parts, span).map(Value::Tensor);
    }
    let inner = first.shape.get(1..);
    match inner.is_some() && parts.iter().all(|part| part.shape.get(1..) == inner) {
        true => Ok(Value::Rows(parts.into())),
        false => Err(differ("the elements of the result", &parts, span)),
    }
}

/// Makes the error for elements whose shapes differ where they have to be one.
fn differ(what: &str, parts: &[Tensor], span: &Span) -> Diagnostic {
    const SHOWN: usize = 6;
    let mut shapes: Vec<String> = parts.iter().map(|part| shape_text(&part.shape)).collect();
    if shapes.len() > SHOWN {
        shapes.truncate(SHOWN);
        shapes.push("…".to_string());
    }
    let message = format!("{what} have different shapes: {}", shapes.join(", "));
    Diagnostic::new(span.clone(), message, "this call").help(
        "a ragged axis varies along the outermost one; `map` takes its elements one after the other",
    )
}

/// Applies an operator, one of whose arguments is ragged.
pub(super) fn apply(
    machine: &mut Machine<'_>,
    name: &str,
    arguments: &[Value],
    span: &Span,
) -> Parsed<Option<Value>> {
    match (name, arguments) {
        ("map", [function, Value::Rows(rows)]) => {
            machine.push(Frame::Each(Each {
                function: function.clone(),
                over: rows.to_vec(),
                next: 0,
                results: Vec::new(),
                span: span.clone(),
            }));
            Ok(None)
        }
        ("loop", [state, function, Value::Rows(rows)]) => {
            let over = Elements::Rows(rows.to_vec());
            structure::repeat(machine, state.clone(), function.clone(), over, span)
        }
        ("reduce", [_, _, Value::Rows(rows)]) => {
            Err(differ("elements that `reduce` combines", rows, span))
        }
        ("reverse", [Value::Rows(rows)]) => {
            Ok(Some(Value::Rows(rows.iter().rev().cloned().collect())))
        }
        ("concat", [left, right]) => {
            let mut rows = elements_of(machine, left, span)?;
            rows.extend(elements_of(machine, right, span)?);
            collected(machine, rows, span).map(Some)
        }
        (_, [Value::Rows(rows)]) => {
            let mut results = Vec::new();
            for row in rows.iter() {
                results.push(operators::unary(machine, name, row, span)?);
            }
            collected(machine, results, span).map(Some)
        }
        (_, [left, right]) => of_two(machine, name, left, right, span).map(Some),
        _ => Err(unfit(span, "a ragged tensor is given to this operator")),
    }
}

/// Applies an operator of two tensors to their elements. A right side that lacks the outermost axis is given to each.
fn of_two(
    machine: &mut Machine<'_>,
    name: &str,
    left: &Value,
    right: &Value,
    span: &Span,
) -> Parsed<Value> {
    let left = elements_of(machine, left, span)?;
    let rank = left.first().map_or(0, |row| row.shape.len());
    let right = match right {
        Value::Tensor(tensor) if tensor.shape.len() <= rank => vec![tensor.clone(); left.len()],
        other => elements_of(machine, other, span)?,
    };
    if left.len() != right.len() {
        let both = [left, right].concat();
        return Err(differ("the elements of the two sides", &both, span));
    }
    let mut results = Vec::new();
    for (one, other) in left.iter().zip(&right) {
        results.push(operators::of_two(machine, name, one, other, span)?);
    }
    collected(machine, results, span)
}

/// Returns the elements of a tensor along its outermost axis.
fn elements_of(machine: &mut Machine<'_>, value: &Value, span: &Span) -> Parsed<Vec<Tensor>> {
    match value {
        Value::Rows(rows) => Ok(rows.to_vec()),
        Value::Tensor(tensor) if !tensor.shape.is_empty() => Ok((0..tensor.shape[0])
            .map(|place| element(machine, tensor, place, span))
            .collect()),
        _ => Err(unfit(span, "a tensor without axes has no elements")),
    }
}

impl Machine<'_> {
    /// Goes on with a function that is computed for each element.
    pub(super) fn each(
        &mut self,
        mut each: Each,
        returned: Option<Value>,
    ) -> Parsed<Option<Value>> {
        let span = each.span.clone();
        match returned {
            None => {}
            Some(Value::Tensor(result)) => each.results.push(result),
            Some(_) => {
                return Err(unfit(&span, "the function of `map` gives no tensor"));
            }
        }
        let Some(next) = each.over.get(each.next).cloned() else {
            return collected(self, each.results, &span).map(Some);
        };
        each.next += 1;
        let function = each.function.clone();
        self.push(Frame::Each(each));
        self.apply(function, vec![Value::Tensor(next)], &span)
    }
}
