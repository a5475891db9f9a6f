//! Sizes as values: shapes that become tensors, and tensors that become shapes.

use super::{Call, Stop, count, rank_of, rows};
use crate::pass::{MAX_ELEMENTS, Pass, ratio};
use crate::term::{Int, Term};
use crate::value::{Content, Ratio, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, ElementType};

/// Computes `Shape`: the sizes as a list.
///
/// Preconditions: none; start and end are moved into the axes. Size 0: a number like others. Versions: start and end
/// since 15.
pub(super) fn shape(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    let rank = Int::try_from(rank_of(&shape)?).unwrap_or(0);
    let clamp = |place: Int| {
        usize::try_from(if place < 0 { place + rank } else { place }.clamp(0, rank)).unwrap_or(0)
    };
    let (start, end) = (
        clamp(call.int_or("start", 0)),
        clamp(call.int_or("end", rank)),
    );
    let sizes = shape.axes.get(start..end).unwrap_or(&[]).to_vec();
    Ok(vec![Value::vector(call.pass.terms, sizes)])
}

/// Computes `Size`: the number of elements.
pub(super) fn size(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    let count = count(call.pass.terms, &shape);
    Ok(vec![Value::scalar(count)])
}

/// Computes `Constant`: what the attribute holds.
pub(super) fn constant(call: &mut Call) -> Result<Vec<Value>, Stop> {
    for (name, argument) in &call.node.attributes {
        let value = match (name.as_str(), argument) {
            ("value", argument) => call.pass.argument(argument)?,
            ("value_int" | "value_ints" | "value_float" | "value_floats", argument) => {
                numbers(call.pass, argument)
            }
            _ => continue,
        };
        return Ok(vec![value]);
    }
    call.any()
}

fn numbers(pass: &mut Pass, argument: &Argument) -> Value {
    let single = |pass: &mut Pass, argument: &Argument| match argument {
        Argument::Int(number) => Some((
            Ratio {
                term: pass.terms.number(Int::from(*number)),
                over: 1,
            },
            ElementType::Int64,
        )),
        Argument::Float(number) => {
            ratio(pass.terms, *number).map(|ratio| (ratio, ElementType::Float32))
        }
        _ => None,
    };
    if let Some((number, element)) = single(pass, argument) {
        return Value::Tensor(Tensor {
            shape: Some(Shape::new([])),
            element: Some(element),
            content: Content::Numbers([number].into()),
        });
    }
    let Some(list) = argument.as_list() else {
        return Value::Any;
    };
    let length = pass.terms.number(Int::try_from(list.len()).unwrap_or(0));
    let numbers: Option<Vec<_>> = list.iter().map(|argument| single(pass, argument)).collect();
    let element = numbers
        .as_ref()
        .and_then(|numbers| numbers.first().map(|number| number.1));
    let content = match numbers {
        Some(numbers) if numbers.len() <= MAX_ELEMENTS => {
            Content::Numbers(numbers.into_iter().map(|number| number.0).collect())
        }
        _ => Content::Unknown,
    };
    Value::Tensor(Tensor {
        shape: Some(Shape::new([length])),
        element,
        content,
    })
}

/// Computes `ConstantOfShape`: a tensor of the sizes that a list holds, filled with one number.
///
/// Preconditions: no size is negative. Size 0: allowed.
pub(super) fn constant_of_shape(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(sizes) = call.integers(0) else {
        return call.any();
    };
    let fill = match call.node.attribute("value") {
        Some(argument) => match call.pass.argument(argument)? {
            Value::Tensor(Tensor {
                content: Content::Numbers(numbers),
                element,
                ..
            }) => numbers.first().map(|number| (*number, element)),
            Value::Tensor(Tensor { element, .. }) => {
                return filled(call.pass, sizes, None, element).map(|value| vec![value]);
            }
            _ => None,
        },
        None => Some((
            Ratio {
                term: call.terms().number(0),
                over: 1,
            },
            Some(ElementType::Float32),
        )),
    };
    let element = fill.and_then(|fill| fill.1);
    Ok(vec![filled(
        call.pass,
        sizes,
        fill.map(|fill| fill.0),
        element,
    )?])
}

/// Returns a tensor of given sizes, which are not negative.
pub(super) fn filled(
    pass: &mut Pass,
    sizes: Vec<Term>,
    fill: Option<Ratio>,
    element: Option<ElementType>,
) -> Result<Value, Stop> {
    for size in &sizes {
        let size = *size;
        let is_natural = pass.terms.at_least(size, 0);
        pass.require(is_natural, |terms| {
            format!("the size {} is negative", terms.text(size))
        })?;
    }
    let shape = pass.shape(sizes)?;
    let length = rows::sizes(pass.terms, &shape).map(|sizes| sizes.iter().product());
    let content = match (fill, length) {
        (Some(fill), Some(length)) => Content::Numbers(vec![fill; length].into()),
        (Some(Ratio { term, over: 1 }), None) => Content::Range(term, term),
        _ => Content::Unknown,
    };
    Ok(Value::Tensor(Tensor {
        shape: Some(shape),
        element,
        content,
    }))
}

/// Returns the integers from a start up to an end in steps.
///
/// Preconditions: the step is not 0. Size 0: where the end is not behind the start ONNX gives nothing, and PyTorch
/// refuses an end before it.
pub(super) fn range(
    pass: &mut Pass,
    start: Term,
    end: Term,
    step: Int,
    is_strict: bool,
) -> Result<Value, Stop> {
    if step == 0 {
        return pass.refuse("the step is 0");
    }
    let span = pass.terms.subtract(end, start);
    let span = pass.terms.scale(span, step.signum());
    if is_strict {
        let is_natural = pass.terms.at_least(span, 0);
        pass.require(is_natural, |terms| {
            format!(
                "the end {} lies before the start {}",
                terms.text(end),
                terms.text(start)
            )
        })?;
    }
    let count = pass.terms.ceil_divide(span, step.abs());
    let zero = pass.terms.number(0);
    let count = pass.terms.max(count, zero);
    let last = pass.terms.shift(count, -1);
    let last = pass.terms.scale(last, step);
    let last = pass.terms.add(start, last);
    let content = match pass.terms.as_number(count) {
        Some(number) if number <= 1024 => {
            let numbers = (0..number).map(|at| Ratio {
                term: pass.terms.shift(start, at * step),
                over: 1,
            });
            Content::Numbers(numbers.collect())
        }
        _ if step > 0 => Content::Range(start, last),
        _ => Content::Range(last, start),
    };
    let shape = pass.shape(vec![count])?;
    Ok(Value::Tensor(Tensor {
        shape: Some(shape),
        element: Some(ElementType::Int64),
        content,
    }))
}

/// Computes `Range`: see [`range`]. Ranges of real numbers are followed where the ends are known.
pub(super) fn onnx_range(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let number = |call: &Call, place: usize| {
        call.integers(place)
            .and_then(|numbers| numbers.first().copied())
    };
    // A step that is no number is not followed: the products of its cases are not decided within the limits.
    let (Some(start), Some(end), Some(step)) = (
        number(call, 0),
        number(call, 1),
        call.numbers(2).and_then(|step| step.first().copied()),
    ) else {
        return call.any();
    };
    let element = call.tensor(0).and_then(|tensor| tensor.element);
    let Value::Tensor(tensor) = range(call.pass, start, end, step, false)? else {
        return call.any();
    };
    Ok(vec![Value::Tensor(Tensor { element, ..tensor })])
}
