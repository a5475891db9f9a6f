//! The values of arguments and constants.

use super::{Pass, Stop};
use crate::limit::MAX_RANK;
use crate::term::{Int, Terms};
use crate::value::{Content, Ratio, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, ConstantId, Data};

/// The number of elements up to which the elements of a tensor are followed.
pub(crate) const MAX_ELEMENTS: usize = 4_096;

/// The number of real numbers in a constant up to which they are followed. Sizes depend on few.
const MAX_FLOATS: usize = 8;

/// Returns the value of an argument. Readers bound how deep lists lie in one another.
pub(super) fn value(pass: &mut Pass, argument: &Argument) -> Result<Value, Stop> {
    let list = |pass: &mut Pass, elements: &[Argument]| {
        elements
            .iter()
            .map(|element| value(pass, element))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(match argument {
        Argument::None => Value::None,
        Argument::Value(id) => pass.value(*id)?,
        Argument::Constant(id) => constant(pass, *id),
        Argument::Bool(truth) => Value::Truth(crate::term::Formula::constant(*truth)),
        Argument::Int(number) => Value::Integer(pass.terms.number(Int::from(*number))),
        Argument::Float(number) => Value::Float(*number),
        Argument::String(text) => Value::Text(text.as_str().into()),
        Argument::List(elements) | Argument::Tuple(elements) => {
            Value::List(list(pass, elements)?.into())
        }
        Argument::Slice(parts) => {
            let parts = list(pass, &parts[..])?;
            match <[Value; 3]>::try_from(parts) {
                Ok(parts) => Value::Slice(parts.into()),
                Err(_) => Value::Any,
            }
        }
        Argument::Ellipsis => Value::Ellipsis,
        Argument::Body(_) | Argument::ElementType(_) | Argument::Opaque(_) => Value::Other,
        Argument::Dictionary(_) => Value::Any,
    })
}

/// Returns the tensor of a constant, with its elements if they are few and numbers.
pub(super) fn constant(pass: &mut Pass, id: ConstantId) -> Value {
    let constant = &pass.graph[id];
    if constant.sizes.len() > MAX_RANK {
        return Value::Any;
    }
    let axes: Vec<_> = constant
        .sizes
        .iter()
        .map(|size| pass.terms.number(Int::from(*size)))
        .collect();
    let content = match &constant.data {
        Data::Integers(values) if values.len() <= MAX_ELEMENTS => Content::Numbers(
            values
                .iter()
                .map(|value| Ratio {
                    term: pass.terms.number(Int::from(*value)),
                    over: 1,
                })
                .collect(),
        ),
        Data::Floats(values) if values.len() <= MAX_FLOATS => numbers(pass.terms, values),
        Data::Integers(values) => match (values.iter().min(), values.iter().max()) {
            (Some(least), Some(greatest)) => Content::Range(
                pass.terms.number(Int::from(*least)),
                pass.terms.number(Int::from(*greatest)),
            ),
            _ => Content::Unknown,
        },
        _ => Content::Unknown,
    };
    Value::Tensor(Tensor {
        shape: Some(Shape::new(axes)),
        element: constant.element,
        content,
    })
}

fn numbers(terms: &mut Terms, values: &[f64]) -> Content {
    match values
        .iter()
        .map(|value| ratio(terms, *value))
        .collect::<Option<Vec<_>>>()
    {
        Some(numbers) => Content::Numbers(numbers.into()),
        None => Content::Unknown,
    }
}

/// Returns the exact ratio that a floating point number is, unless it is too large or too fine.
pub(crate) fn ratio(terms: &mut Terms, value: f64) -> Option<Ratio> {
    let mut over: Int = 1;
    let mut scaled = value;
    while scaled.fract() != 0.0 && over < 1 << 60 {
        scaled *= 2.0;
        over *= 2;
    }
    if !scaled.is_finite() || scaled.fract() != 0.0 || scaled.abs() > 1e30 {
        return None;
    }
    // The value is an integer of less than 2^100, which a conversion keeps.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the value is a whole number in range"
    )]
    let number = scaled as Int;
    Some(Ratio {
        term: terms.number(number),
        over,
    })
}
