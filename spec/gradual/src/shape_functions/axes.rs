//! Operators that move or stretch axes.

use super::call::{Call, axis, size};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_method.transpose", transpose),
    ("call_method.permute", permute),
    ("call_method.expand", expand),
];

/// Two axes change places.
fn transpose(call: &Call) -> Result<Value, String> {
    let mut shape = call.shape(0, "input")?.to_vec();
    let one = axis(call.integer(1, "dim0")?, shape.len())?;
    let other = axis(call.integer(2, "dim1")?, shape.len())?;
    if !shape.is_empty() {
        shape.swap(one, other);
    }
    Ok(Value::Tensor(shape))
}

/// Every axis is named once, in the new order.
fn permute(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let order = call.integers_from(1, "dims")?;
    if order.len() != shape.len() {
        return Err(format!("{} axes are named of {}", order.len(), shape.len()));
    }
    let order = order.into_iter().map(|place| axis(place, shape.len()));
    let order: Vec<usize> = order.collect::<Result<_, _>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != order.len() {
        return Err("an axis is named twice".to_string());
    }
    Ok(Value::Tensor(
        order.iter().map(|place| shape[*place]).collect(),
    ))
}

/// An axis of size 1 becomes as large as is wanted, -1 keeps a size, and new axes come in front.
fn expand(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let wanted = call.integers_from(1, "size")?;
    let Some(new) = wanted.len().checked_sub(shape.len()) else {
        return Err(format!(
            "{} sizes are given for {} axes",
            wanted.len(),
            shape.len()
        ));
    };
    let sizes = wanted.iter().enumerate().map(|(place, wanted)| {
        let own = place.checked_sub(new).map(|place| shape[place]);
        match (own, wanted) {
            (Some(own), -1) => Ok(own),
            (None, -1) => Err("a new axis has no size that it could keep".to_string()),
            (None | Some(1), wanted) => size(*wanted),
            (Some(own), wanted) if i128::from(own) == *wanted => Ok(own),
            (Some(own), wanted) => Err(format!("the size {own} cannot become {wanted}")),
        }
    });
    Ok(Value::Tensor(sizes.collect::<Result<_, _>>()?))
}
