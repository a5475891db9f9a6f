//! Operators on each element, on integers and on lists.

use super::call::Call;
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_function._operator.add", add),
    ("call_function._operator.sub", sub),
    ("call_function._operator.mul", mul),
    ("call_function._operator.truediv", truediv),
    ("call_function._operator.eq", eq),
    ("call_function._operator.ne", ne),
    ("call_function._operator.lt", lt),
    ("call_function._operator.gt", gt),
    ("call_method.ne", ne),
    ("call_method.masked_fill_", masked_fill),
];

/// The shape of two tensors that are combined element by element. The axes are aligned from the last on. Where both
/// have one, the two sizes are equal or one of them is 1, and the other is that of the result; a size 0 is no
/// exception.
pub(super) fn broadcast(left: &[u64], right: &[u64]) -> Result<Vec<u64>, String> {
    let (long, short) = match left.len() < right.len() {
        true => (right, left),
        false => (left, right),
    };
    let (new, shared) = long.split_at(long.len() - short.len());
    let mut shape = new.to_vec();
    for (one, other) in shared.iter().zip(short) {
        shape.push(match (one, other) {
            (1, other) => *other,
            (one, 1) => *one,
            (one, other) if one == other => *one,
            (one, other) => return Err(format!("the sizes {one} and {other} do not broadcast")),
        });
    }
    Ok(shape)
}

/// The tensor that two operands give, if one of them is a tensor.
fn tensors(call: &Call) -> Option<Result<Value, String>> {
    let shape = match (call.argument(0, "input"), call.argument(1, "other")) {
        (Value::Tensor(left), Value::Tensor(right)) => broadcast(left, right),
        (Value::Tensor(shape), Value::Integer(_) | Value::Truth(_) | Value::Other)
        | (Value::Integer(_) | Value::Truth(_) | Value::Other, Value::Tensor(shape)) => {
            Ok(shape.clone())
        }
        _ => return None,
    };
    Some(shape.map(Value::Tensor))
}

/// Arithmetic of two operands that are no lists.
fn arithmetic(call: &Call, integers: fn(i128, i128) -> Option<i128>) -> Result<Value, String> {
    if let Some(result) = tensors(call) {
        return result;
    }
    let (left, right) = (call.argument(0, "input"), call.argument(1, "other"));
    match (left.integer(), right.integer()) {
        (Some(left), Some(right)) => {
            let result = integers(left, right).ok_or("the number is too large")?;
            Ok(Value::Integer(result))
        }
        _ => match (left, right) {
            (Value::Other, Value::Other | Value::Integer(_))
            | (Value::Integer(_), Value::Other) => Ok(Value::Other),
            _ => Err(format!("{left:?} and {right:?} are no operands")),
        },
    }
}

/// A sum; two lists are one behind the other.
fn add(call: &Call) -> Result<Value, String> {
    if let (Value::List(left), Value::List(right)) =
        (call.argument(0, "input"), call.argument(1, "other"))
    {
        return Ok(Value::List(left.iter().chain(right).cloned().collect()));
    }
    arithmetic(call, i128::checked_add)
}

fn sub(call: &Call) -> Result<Value, String> {
    arithmetic(call, i128::checked_sub)
}

fn mul(call: &Call) -> Result<Value, String> {
    arithmetic(call, i128::checked_mul)
}

/// A quotient, which is a real number where both are integers.
fn truediv(call: &Call) -> Result<Value, String> {
    if let Some(result) = tensors(call) {
        return result;
    }
    let numbers = [call.argument(0, "input"), call.argument(1, "other")];
    match numbers
        .iter()
        .all(|n| n.integer().is_some() || **n == Value::Other)
    {
        true => Ok(Value::Other),
        false => Err("the operands are no numbers".to_string()),
    }
}

/// A comparison of numbers, or of tensors element by element.
fn compared(call: &Call, holds: fn(i128, i128) -> bool) -> Result<Value, String> {
    if let Some(result) = tensors(call) {
        return result;
    }
    match (
        call.argument(0, "input").integer(),
        call.argument(1, "other").integer(),
    ) {
        (Some(left), Some(right)) => Ok(Value::Truth(holds(left, right))),
        _ => Ok(Value::Unknown),
    }
}

/// Lists are equal if they have the same length and equal entries.
fn lists_are_equal(call: &Call) -> Option<bool> {
    match (call.argument(0, "input"), call.argument(1, "other")) {
        (Value::List(left), Value::List(right)) => {
            let integers =
                |list: &[Value]| list.iter().map(Value::integer).collect::<Option<Vec<_>>>();
            Some(integers(left)? == integers(right)?)
        }
        _ => None,
    }
}

fn eq(call: &Call) -> Result<Value, String> {
    match lists_are_equal(call) {
        Some(equal) => Ok(Value::Truth(equal)),
        None => compared(call, |left, right| left == right),
    }
}

fn ne(call: &Call) -> Result<Value, String> {
    match lists_are_equal(call) {
        Some(equal) => Ok(Value::Truth(!equal)),
        None => compared(call, |left, right| left != right),
    }
}

fn lt(call: &Call) -> Result<Value, String> {
    compared(call, |left, right| left < right)
}

fn gt(call: &Call) -> Result<Value, String> {
    compared(call, |left, right| left > right)
}

/// The tensor keeps its shape, to which the mask broadcasts.
fn masked_fill(call: &Call) -> Result<Value, String> {
    let (own, mask) = (call.shape(0, "input")?, call.shape(1, "mask")?);
    match broadcast(own, mask)? == own {
        true => Ok(Value::Tensor(own.to_vec())),
        false => Err(format!("the mask {mask:?} is larger than {own:?}")),
    }
}
