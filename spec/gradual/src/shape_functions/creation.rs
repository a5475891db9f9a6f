//! Operators that make tensors.

use super::call::{Call, size};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_function.torch.arange", arange),
    ("call_function.torch.zeros", of_sizes),
    ("call_function.torch.ones", of_sizes),
    ("call_function.torch.full", full),
];

/// Returns as many elements as there are from start to end, which is not below it.
fn arange(call: &Call) -> Result<Value, String> {
    let first = call.integer(0, "start")?;
    let (start, end) = match call.argument(1, "end").integer() {
        Some(end) => (first, end),
        None => (0, first),
    };
    let length = u64::try_from(end - start);
    let length = length.map_err(|_| format!("the end {end} is below the start {start}"))?;
    Ok(Value::Tensor(vec![length]))
}

/// The shape that the sizes say, which are numbers or one list.
fn of_sizes(call: &Call) -> Result<Value, String> {
    let sizes = call.integers_from(0, "size")?.into_iter().map(size);
    Ok(Value::Tensor(sizes.collect::<Result<_, _>>()?))
}

/// The shape that the list says.
fn full(call: &Call) -> Result<Value, String> {
    let sizes = call.argument(0, "size").integers();
    let sizes = sizes.ok_or("the sizes are no list of integers")?;
    let sizes = sizes.into_iter().map(size);
    Ok(Value::Tensor(sizes.collect::<Result<_, _>>()?))
}
