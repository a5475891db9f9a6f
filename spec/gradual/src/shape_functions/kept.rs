//! Operators that keep the shape.

use super::call::{Call, axis};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_method.contiguous", kept),
    ("call_method.detach", kept),
    ("call_method.int", kept),
    ("call_method.long", kept),
    ("call_method.to", kept),
    ("call_method.type_as", kept),
    ("call_function.torch._C._nn.gelu", kept),
    ("call_function.torch.nn.functional.dropout", kept),
    ("call_function.torch.tanh", kept),
    ("call_module.Dropout", kept),
    ("call_module.ReLU", kept),
    ("call_module.Tanh", kept),
    ("call_function.torch.cumsum", along_axis),
    ("call_function.torch.nn.functional.softmax", along_axis),
];

/// The result has the shape of the tensor; the shape of another tensor, as of that whose type is taken, does not
/// matter.
fn kept(call: &Call) -> Result<Value, String> {
    Ok(Value::Tensor(call.shape(0, "input")?.to_vec()))
}

/// The same, along an axis that exists.
fn along_axis(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    axis(call.integer(1, "dim")?, shape.len())?;
    Ok(Value::Tensor(shape.to_vec()))
}
