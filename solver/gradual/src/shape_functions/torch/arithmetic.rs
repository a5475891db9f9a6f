//! Arithmetic of numbers, lists and tensors.

use super::super::elements::{self, Binary};
use super::super::{Call, Stop, pointwise, unknown};
use crate::term::{Formula, Term};
use crate::value::{Content, Ratio, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, ElementType};

pub(super) fn keep(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.own_tensor()? else {
        return call.any();
    };
    Ok(vec![unknown(tensor)])
}

/// Computes a triangle of each matrix: the tensor has rank 2 or more.
pub(super) fn triangle(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    if shape.block.is_none() && shape.axes.len() < 2 {
        return call.pass.refuse("a triangle is one of a matrix");
    }
    Ok(vec![unknown(tensor)])
}

pub(super) fn identity(call: &mut Call) -> Result<Vec<Value>, Stop> {
    Ok(vec![call.own()?])
}

/// Computes a change of the type of the elements, or of the place where they lie.
pub(super) fn convert(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.own_tensor()? else {
        return call.any();
    };
    let named = call
        .node
        .arguments
        .iter()
        .chain(call.node.keywords.iter().map(|(_, argument)| argument));
    let stated = named
        .filter_map(|argument| {
            if let Argument::ElementType(element) = argument {
                Some(*element)
            } else {
                None
            }
        })
        .next_back();
    let element = match super::short_name(&call.node.operator) {
        "int" => Some(ElementType::Int32),
        "long" => Some(ElementType::Int64),
        "float" => Some(ElementType::Float32),
        "half" => Some(ElementType::Float16),
        "double" => Some(ElementType::Float64),
        "bool" => Some(ElementType::Bool),
        _ => stated.or(tensor.element),
    };
    let content = elements::cast(call.pass.terms, &tensor.content, element);
    Ok(vec![Value::Tensor(Tensor {
        element,
        content,
        ..tensor
    })])
}

pub(super) fn unary(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let name = super::short_name(&call.node.operator).to_owned();
    match call.own()? {
        Value::Integer(term) => Ok(vec![match name.as_str() {
            "neg" => Value::Integer(call.pass.terms.scale(term, -1)),
            "abs" => {
                let negated = call.pass.terms.scale(term, -1);
                Value::Integer(call.pass.terms.max(term, negated))
            }
            _ => Value::Integer(term),
        }]),
        Value::Tensor(tensor) => {
            let content = elements::unary(call.pass.terms, &name, &tensor);
            Ok(vec![Value::Tensor(Tensor { content, ..tensor })])
        }
        _ => call.any(),
    }
}

/// Computes softmax, cumulative sums and their kin: the axis exists. At rank 0 the axes 0 and -1 do.
pub(super) fn along_axis(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    if let Some(axis) = call.given_int(1, &["dim", "axis"], -1)? {
        if shape.block.is_none() && shape.axes.is_empty() {
            super::super::axis_of(call.pass, axis, 1)?;
        } else {
            super::super::known_axis(call.pass, axis, &shape)?;
        }
    }
    Ok(vec![unknown(tensor)])
}

fn operation(name: &str) -> Option<(Binary, &'static str)> {
    Some(match name {
        "add" | "iadd" => (Binary::Add, "Add"),
        "sub" | "rsub" | "subtract" => (Binary::Subtract, "Sub"),
        "mul" | "imul" | "multiply" => (Binary::Multiply, "Mul"),
        "floordiv" | "floor_divide" => (Binary::FloorDivide, "FloorDivide"),
        "mod" | "remainder" => (Binary::Modulo, "Mod"),
        "pow" => (Binary::Power, "Pow"),
        "eq" => (Binary::Equal, "Equal"),
        "ne" => (Binary::NotEqual, "NotEqual"),
        "lt" | "less" => (Binary::Less, "Less"),
        "le" => (Binary::LessOrEqual, "LessOrEqual"),
        "gt" | "greater" => (Binary::Greater, "Greater"),
        "ge" => (Binary::GreaterOrEqual, "GreaterOrEqual"),
        "maximum" | "sym_max" => (Binary::Max, "Max"),
        "minimum" | "sym_min" => (Binary::Min, "Min"),
        "and" | "logical_and" => (Binary::And, "And"),
        "or" | "logical_or" => (Binary::Or, "Or"),
        _ => return None,
    })
}

fn is_comparison(operation: Binary) -> bool {
    use Binary::{And, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, Or};
    matches!(
        operation,
        Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual | And | Or
    )
}

/// Computes an operation on two values: numbers of Python, lists of sizes, or tensors, which are broadcast.
///
/// Preconditions: of tensors, that their shapes are broadcast. Size 0: 0 wins over 1.
pub(super) fn binary(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let name = super::short_name(&call.node.operator).to_owned();
    let (mut left, mut right) = (
        call.own()?,
        call.given(1, &["other", "b", "exponent", "y"])?,
    );
    if name == "rsub" {
        std::mem::swap(&mut left, &mut right);
    }
    let are_tensors = [&left, &right]
        .into_iter()
        .all(|value| matches!(value, Value::Tensor(_) | Value::Any));
    if matches!(name.as_str(), "maximum" | "minimum" | "max" | "min") && !are_tensors {
        return call.pass.refuse("both arguments are tensors");
    }
    let operation = operation(&name);
    match (&left, &right) {
        (Value::Any, _) | (_, Value::Any) => return call.any(),
        (Value::List(_) | Value::Sizes(_), _) | (_, Value::List(_) | Value::Sizes(_)) => {
            return lists(call, operation.map(|found| found.0), &left, &right);
        }
        (Value::Tensor(_), _) | (_, Value::Tensor(_)) => {}
        _ => return numbers(call, operation.map(|found| found.0), &left, &right),
    }
    let (Some(left), Some(right)) = (call.operand(&left), call.operand(&right)) else {
        return call.any();
    };
    let (Some(one), Some(two)) = (left.shape.clone(), right.shape.clone()) else {
        return call.any();
    };
    let is_in_place =
        call.node.operator.name.ends_with('_') && !call.node.operator.name.ends_with("__");
    let shape = if is_in_place {
        pointwise::one_way(call.pass, &two, &one)?;
        one
    } else {
        pointwise::shapes_together(call.pass, &[one, two])?
    };
    let element = match operation {
        Some((operation, _)) if is_comparison(operation) => Some(ElementType::Bool),
        _ => left
            .element
            .filter(|element| !element.is_integer())
            .or(right.element),
    };
    let content = match operation {
        Some((_, onnx)) => elements::together(call.pass.terms, onnx, &[left, right], &shape),
        None => Content::Unknown,
    };
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(shape),
        element,
        content,
    })])
}

fn numbers(
    call: &mut Call,
    operation: Option<Binary>,
    left: &Value,
    right: &Value,
) -> Result<Vec<Value>, Stop> {
    let Some(operation) = operation else {
        return call.any();
    };
    if let (Value::Float(_), _) | (_, Value::Float(_)) = (left, right) {
        return Ok(vec![if is_comparison(operation) {
            Value::Any
        } else {
            Value::Other
        }]);
    }
    let number = |call: &mut Call, value: &Value| match value {
        Value::Integer(term) => Some(*term),
        Value::Truth(formula) => Some(call.pass.terms.indicator(*formula)),
        _ => None,
    };
    let (Some(one), Some(two)) = (number(call, left), number(call, right)) else {
        return call.any();
    };
    let over_one = |term: Term| Ratio { term, over: 1 };
    if is_comparison(operation) {
        return Ok(vec![
            comparison(call, operation, one, two).map_or(Value::Any, Value::Truth),
        ]);
    }
    let result = elements::apply(
        call.pass.terms,
        operation,
        over_one(one),
        over_one(two),
        true,
    );
    Ok(vec![match result {
        Some(Ratio { term, over: 1 }) => Value::Integer(term),
        _ => Value::Any,
    }])
}

fn comparison(call: &mut Call, operation: Binary, left: Term, right: Term) -> Option<Formula> {
    let terms = &mut *call.pass.terms;
    Some(match operation {
        Binary::Equal => terms.equal(left, right),
        Binary::NotEqual => terms.differ(left, right),
        Binary::Less => terms.less(left, right),
        Binary::LessOrEqual => terms.at_most(left, right),
        Binary::Greater => terms.less(right, left),
        Binary::GreaterOrEqual => terms.at_most(right, left),
        Binary::And | Binary::Or => {
            let each = [left, right].map(|term| {
                let zero = terms.is(term, 0);
                terms.not(zero)
            });
            if operation == Binary::And {
                terms.all(&each)
            } else {
                terms.any(&each)
            }
        }
        _ => return None,
    })
}

/// Lists are joined, repeated, or compared entry by entry.
fn lists(
    call: &mut Call,
    operation: Option<Binary>,
    left: &Value,
    right: &Value,
) -> Result<Vec<Value>, Stop> {
    match (operation, left, right) {
        (Some(Binary::Add), Value::List(one), Value::List(two)) => Ok(vec![Value::List(
            one.iter().chain(two.iter()).cloned().collect(),
        )]),
        (Some(Binary::Add), Value::Sizes(shape), Value::List(list)) => {
            let Some(added) = call.terms_of(list) else {
                return call.any();
            };
            let axes: Vec<Term> = shape.axes.iter().copied().chain(added).collect();
            Ok(vec![Value::Sizes(shape.with_axes(axes))])
        }
        (
            Some(operation @ (Binary::Equal | Binary::NotEqual)),
            Value::List(one),
            Value::List(two),
        ) => {
            let (Some(one), Some(two)) = (call.terms_of(one), call.terms_of(two)) else {
                return call.any();
            };
            let equal = if one.len() == two.len() {
                let each: Vec<Formula> = one
                    .iter()
                    .zip(&two)
                    .map(|(one, two)| call.pass.terms.equal(*one, *two))
                    .collect();
                call.pass.terms.all(&each)
            } else {
                Formula::FALSE
            };
            Ok(vec![Value::Truth(if operation == Binary::Equal {
                equal
            } else {
                call.pass.terms.not(equal)
            })])
        }
        // Sizes of which there are more than the other list has are different.
        (
            Some(operation @ (Binary::Equal | Binary::NotEqual)),
            Value::Sizes(shape),
            Value::List(list),
        )
        | (
            Some(operation @ (Binary::Equal | Binary::NotEqual)),
            Value::List(list),
            Value::Sizes(shape),
        ) if list.len() <= shape.axes.len() => Ok(vec![Value::Truth(Formula::constant(
            operation == Binary::NotEqual,
        ))]),
        _ => call.any(),
    }
}

pub(super) fn several(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let places: [(usize, &[&str]); 3] = [
        (0, &["condition", "self", "input"]),
        (1, &["self", "tensor1", "end", "input"]),
        (2, &["other", "tensor2", "weight"]),
    ];
    let mut shapes = Vec::new();
    let mut element = None;
    for (place, names) in places {
        let names = if place == 1 && call.node.keyword("condition").is_none() {
            &names[1..]
        } else {
            names
        };
        let value = call.given(place, names)?;
        let Some(tensor) = call.operand(&value) else {
            return call.any();
        };
        let Some(shape) = tensor.shape else {
            return call.any();
        };
        shapes.push(shape);
        element = tensor.element;
    }
    let shape = pointwise::shapes_together(call.pass, &shapes)?;
    Ok(vec![Value::tensor(shape, element)])
}

/// Computes a mask that is broadcast to the tensor. In place the tensor keeps its shape; otherwise both are broadcast.
///
/// Preconditions: as said; a value that is a tensor has rank 0. Size 0: as for a broadcast.
pub(super) fn masked(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(mask) = call.given_shape(1, &["mask"])? else {
        return call.any();
    };
    if super::short_name(&call.node.operator) == "masked_fill"
        && let Some(value) = call.given_shape(2, &["value"])?
        && (value.block.is_some() || !value.axes.is_empty())
    {
        return call.pass.refuse("the value has rank 0");
    }
    let name = &call.node.operator.name;
    if name.ends_with('_') {
        pointwise::one_way(call.pass, &mask, &shape)?;
        return Ok(vec![unknown(tensor)]);
    }
    let shape = pointwise::shapes_together(call.pass, &[shape, mask])?;
    call.single(shape, &tensor)
}

pub(super) fn not(call: &mut Call) -> Result<Vec<Value>, Stop> {
    match call.own()? {
        Value::Truth(formula) => Ok(vec![Value::Truth(call.pass.terms.not(formula))]),
        _ => call.any(),
    }
}
