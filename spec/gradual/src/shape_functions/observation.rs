//! Operators that tell of a shape.

use super::call::{Call, axis};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_method.size", size),
    ("call_method.dim", dim),
    ("call_function.getattr", getattr),
];

/// The shape as a list, or the size of one axis.
fn size(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    if *call.argument(1, "dim") == Value::None {
        return Ok(Value::sizes(shape));
    }
    let place = axis(call.integer(1, "dim")?, shape.len())?;
    match shape.get(place) {
        Some(size) => Ok(Value::Integer((*size).into())),
        None => Err("a scalar has no axis".to_string()),
    }
}

/// The rank.
fn dim(call: &Call) -> Result<Value, String> {
    Ok(Value::Integer(call.shape(0, "input")?.len() as i128))
}

/// An attribute of a tensor.
fn getattr(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    match call.argument(1, "name") {
        Value::Text(name) => match name.as_str() {
            "shape" => Ok(Value::sizes(shape)),
            "ndim" => Ok(Value::Integer(shape.len() as i128)),
            "device" | "dtype" => Ok(Value::Other),
            name => Err(format!("what the attribute {name} is is not known here")),
        },
        _ => Err("the name of the attribute is no text".to_string()),
    }
}
