//! Sizes and ranks of tensors, and tensors made from sizes.

use super::super::sizes::{filled, range as integers};
use super::super::{Call, Stop, count as elements, formula_of, known_axis, rank_of};
use crate::term::Term;
use crate::value::{Content, Ratio, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, ElementType};

fn sizes(shape: &Shape) -> Value {
    if shape.block.is_some() {
        return Value::Sizes(shape.clone());
    }
    Value::List(
        shape
            .axes
            .iter()
            .map(|size| Value::Integer(*size))
            .collect(),
    )
}

pub(super) fn size(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((_, shape)) = call.own_shape()? else {
        return call.any();
    };
    if call.given(1, &["dim"])? == Value::None {
        return Ok(vec![sizes(&shape)]);
    }
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let place = known_axis(call.pass, axis, &shape)?;
    Ok(vec![Value::Integer(shape.axes[place])])
}

/// Returns the rank. That of a shape with a block is only known to be large.
fn rank_value(call: &mut Call, shape: &Shape) -> Result<Value, Stop> {
    let rank = rank_of(shape)?;
    Ok(Value::Integer(
        call.pass
            .terms
            .number(crate::term::Int::try_from(rank).unwrap_or(0)),
    ))
}

pub(super) fn rank(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((_, shape)) = call.own_shape()? else {
        return call.any();
    };
    if shape.block.is_some() {
        let rank = call.pass.large_rank(&shape);
        return Ok(vec![Value::Integer(rank)]);
    }
    Ok(vec![rank_value(call, &shape)?])
}

pub(super) fn count(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((_, shape)) = call.own_shape()? else {
        return call.any();
    };
    Ok(vec![Value::Integer(elements(call.pass.terms, &shape))])
}

pub(super) fn attribute(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Value::Text(name) = call.given(1, &["name"])? else {
        return call.any();
    };
    match &*name {
        "shape" => match call.own_shape()? {
            Some((_, shape)) => Ok(vec![sizes(&shape)]),
            None => call.any(),
        },
        "ndim" => rank(call),
        "device" | "dtype" | "layout" | "requires_grad" | "is_cuda" => Ok(vec![Value::Other]),
        "T" | "mT" => super::layout::turned(call),
        _ => call.any(),
    }
}

fn stated_element(call: &Call) -> Option<ElementType> {
    let arguments = call
        .node
        .arguments
        .iter()
        .chain(call.node.keywords.iter().map(|(_, argument)| argument));
    arguments
        .filter_map(|argument| {
            if let Argument::ElementType(element) = argument {
                Some(*element)
            } else {
                None
            }
        })
        .next_back()
}

/// Computes the integers from a start, 0 if it is left out, up to an end.
///
/// Preconditions: the end does not lie before the start. Size 0: where both are equal.
pub(super) fn range(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let positional = call
        .arguments
        .iter()
        .take_while(|value| {
            matches!(
                value,
                Value::Integer(_) | Value::Float(_) | Value::Tensor(_) | Value::Any
            )
        })
        .count();
    let zero = call.pass.terms.number(0);
    let (start, end, step) = if positional <= 1 && call.node.keyword("start").is_none() {
        (
            Value::Integer(zero),
            call.given(0, &["end"])?,
            call.given(2, &["step"])?,
        )
    } else if positional == 0 {
        (
            call.given(9, &["start"])?,
            call.given(9, &["end"])?,
            call.given(9, &["step"])?,
        )
    } else {
        (
            call.given(0, &["start"])?,
            call.given(1, &["end"])?,
            if positional > 2 {
                call.given(2, &["step"])?
            } else {
                call.given(9, &["step"])?
            },
        )
    };
    let step = if step == Value::None {
        Some(1)
    } else {
        call.number(&step)
    };
    let (Some(start), Some(end), Some(step)) = (call.term(&start), call.term(&end), step) else {
        return Ok(vec![Value::Any]);
    };
    let value = integers(call.pass, start, end, step, true)?;
    let element = stated_element(call).or(Some(ElementType::Int64));
    Ok(vec![match value {
        Value::Tensor(tensor) => Value::Tensor(Tensor { element, ..tensor }),
        value => value,
    }])
}

/// Computes a tensor of the sizes in the arguments from a place on.
fn made(
    call: &mut Call,
    place: usize,
    fill: Option<Ratio>,
    default: Option<ElementType>,
) -> Result<Vec<Value>, Stop> {
    if let Value::Sizes(shape) = call.given(place, &["size"])? {
        return Ok(vec![Value::tensor(shape, stated_element(call).or(default))]);
    }
    let sizes: Option<Vec<Term>> = match call.given(place, &["size"])? {
        Value::List(list) => call.terms_of(&list),
        Value::None => Some(Vec::new()),
        _ => {
            let given: Vec<Value> = call
                .arguments
                .iter()
                .skip(place)
                .take_while(|value| matches!(value, Value::Integer(_) | Value::Any))
                .cloned()
                .collect();
            call.terms_of(&given)
        }
    };
    let Some(sizes) = sizes else {
        return call.any();
    };
    let element = stated_element(call).or(default);
    let fill = fill.filter(|_| {
        element.is_some_and(|element| element.is_integer() || element == ElementType::Bool)
    });
    Ok(vec![filled(call.pass, sizes, fill, element)?])
}

fn number_for(call: &mut Call, name: &str) -> Option<Ratio> {
    let number = match name {
        "zeros" | "new_zeros" => 0,
        "ones" | "new_ones" => 1,
        _ => return None,
    };
    Some(Ratio {
        term: call.pass.terms.number(number),
        over: 1,
    })
}

pub(super) fn of_sizes(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let fill = number_for(call, super::short_name(&call.node.operator));
    made(call, 0, fill, Some(ElementType::Float32))
}

pub(super) fn new_of_sizes(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let element = call.own_tensor()?.and_then(|tensor| tensor.element);
    let fill = number_for(call, super::short_name(&call.node.operator));
    made(call, 1, fill, element)
}

pub(super) fn full(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let fill = call.given(1, &["fill_value"])?;
    let fill = call.term(&fill).map(|term| Ratio { term, over: 1 });
    made(call, 0, fill, None)
}

pub(super) fn scalar(call: &mut Call) -> Result<Vec<Value>, Stop> {
    match call.given(0, &["s", "data"])? {
        Value::Integer(term) => Ok(vec![Value::scalar(term)]),
        Value::Float(_) | Value::Truth(_) => Ok(vec![Value::Tensor(Tensor {
            shape: Some(Shape::new([])),
            element: stated_element(call),
            content: Content::Unknown,
        })]),
        _ => call.any(),
    }
}

/// Checks a condition that the program asks for itself.
pub(super) fn assert(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let value = call.own()?;
    if let Some(formula) = formula_of(call.pass.terms, &value) {
        call.pass
            .require(formula, |_| "the program asserts a condition".to_owned())?;
    }
    Ok(vec![Value::None])
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "entries of the table have one type"
)]
pub(super) fn nothing(_call: &mut Call) -> Result<Vec<Value>, Stop> {
    Ok(vec![Value::None])
}
