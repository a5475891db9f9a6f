//! Operators that arrange the same elements in another shape.

use super::call::{Call, axis, elements, size};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_method.view", reshape),
    ("call_method.reshape", reshape),
    ("call_function.torch.flatten", flatten),
];

/// The number of elements stays. One size may be -1: what remains, of which the other sizes must leave something to
/// divide by.
fn reshape(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let wanted = call.integers_from(1, "shape")?;
    let all = elements(shape)?;
    let is_open = |wanted: &&i128| **wanted == -1;
    let known = wanted
        .iter()
        .filter(|wanted| !is_open(wanted))
        .map(|wanted| size(*wanted));
    let known = elements(&known.collect::<Result<Vec<_>, _>>()?)?;
    let open = match wanted.iter().filter(is_open).count() {
        0 if all == known => 0,
        1 if known > 0 && all % known == 0 => all / known,
        0 | 1 => return Err(format!("{all} elements do not fill {wanted:?}")),
        _ => return Err("more than one size is left open".to_string()),
    };
    let sizes = wanted.iter().map(|wanted| match wanted {
        -1 => Ok(open),
        wanted => size(*wanted),
    });
    Ok(Value::Tensor(sizes.collect::<Result<_, _>>()?))
}

/// The axes from the first to the last become one; a scalar becomes a vector.
fn flatten(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let start = call.argument(1, "start_dim").integer().unwrap_or(0);
    let end = call.argument(2, "end_dim").integer().unwrap_or(-1);
    let (start, end) = (axis(start, shape.len())?, axis(end, shape.len())?);
    if start > end {
        return Err(format!(
            "the first axis {start} comes behind the last {end}"
        ));
    }
    if shape.is_empty() {
        return Ok(Value::Tensor(vec![1]));
    }
    let mut flat = shape[..start].to_vec();
    flat.push(elements(&shape[start..=end])?);
    flat.extend(&shape[end + 1..]);
    Ok(Value::Tensor(flat))
}
