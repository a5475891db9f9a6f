//! Operators that take parts.

use super::call::{Call, axis};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_function._operator.getitem", getitem),
    ("call_method.index_select", index_select),
];

/// `x[…]` of a list or of a tensor.
fn getitem(call: &Call) -> Result<Value, String> {
    let index = call.argument(1, "index");
    match call.argument(0, "input") {
        Value::List(values) => of_list(values, index),
        Value::Tensor(shape) => match index {
            Value::List(indices) => of_tensor(shape, indices),
            index => of_tensor(shape, std::slice::from_ref(index)),
        },
        other => Err(format!("{other:?} has no parts")),
    }
}

fn of_list(values: &[Value], index: &Value) -> Result<Value, String> {
    let length = values.len() as u64;
    match index {
        Value::Slice(slice) => {
            let picked = positions(slice, length)?;
            let picked = picked.into_iter().map(|at| values[at as usize].clone());
            Ok(Value::List(picked.collect()))
        }
        index => {
            let index = index.integer().ok_or("the index is no integer")?;
            let place = if index < 0 {
                index + i128::from(length)
            } else {
                index
            };
            let found = usize::try_from(place)
                .ok()
                .and_then(|place| values.get(place));
            found
                .cloned()
                .ok_or_else(|| format!("there is no entry {index} among {length}"))
        }
    }
}

/// An axis that no index is about stays; an integer takes one away, a slice shortens it, `None` adds one, `...` stands
/// for all that are left.
fn of_tensor(shape: &[u64], indices: &[Value]) -> Result<Value, String> {
    let takes_axis = |index: &&Value| !matches!(index, Value::None | Value::Ellipsis);
    let taken = indices.iter().filter(takes_axis).count();
    let Some(left) = shape.len().checked_sub(taken) else {
        return Err(format!(
            "{taken} indices are given for {} axes",
            shape.len()
        ));
    };
    let mut axes = shape.iter().copied();
    let mut sizes = Vec::new();
    for index in indices {
        match index {
            Value::None => sizes.push(1),
            Value::Ellipsis => sizes.extend(axes.by_ref().take(left)),
            Value::Slice(slice) => {
                let length = axes.next().unwrap_or(0);
                sizes.push(count(slice, length)?);
            }
            index => {
                let index = index.integer().ok_or("the index is no integer")?;
                let length = axes.next().unwrap_or(0);
                let place = if index < 0 {
                    index + i128::from(length)
                } else {
                    index
                };
                if place < 0 || place >= i128::from(length) {
                    return Err(format!("index {index} is out of the size {length}"));
                }
            }
        }
    }
    sizes.extend(axes);
    Ok(Value::Tensor(sizes))
}

/// Gives the bounds of a slice, cut to a length as Python does, and its step.
fn bounds(slice: &[Value; 3], length: u64) -> Result<(u64, u64, u64), String> {
    let bound = |value: &Value, default: u64| match value {
        Value::None => Ok::<u64, String>(default),
        value => {
            let bound = value.integer().ok_or("a bound of a slice is no integer")?;
            let bound = if bound < 0 {
                bound + i128::from(length)
            } else {
                bound
            };
            Ok(bound.clamp(0, length.into()) as u64)
        }
    };
    let step = match &slice[2] {
        Value::None => 1,
        step => step.integer().unwrap_or(0),
    };
    let step = u64::try_from(step).ok().filter(|step| *step > 0);
    let step = step.ok_or("the step of a slice is not positive")?;
    Ok((bound(&slice[0], 0)?, bound(&slice[1], length)?, step))
}

/// Counts the positions of a slice.
fn count(slice: &[Value; 3], length: u64) -> Result<u64, String> {
    let (start, end, step) = bounds(slice, length)?;
    Ok(end.saturating_sub(start).div_ceil(step))
}

fn positions(slice: &[Value; 3], length: u64) -> Result<Vec<u64>, String> {
    let (start, end, step) = bounds(slice, length)?;
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    Ok((start..end).step_by(step).collect())
}

/// The size of the axis becomes the number of indices, of which there is a vector or one. A tensor without axes has one
/// element.
fn index_select(call: &Call) -> Result<Value, String> {
    let mut shape = call.shape(0, "input")?.to_vec();
    let place = axis(call.integer(1, "dim")?, shape.len())?;
    let count = match call.shape(2, "index")? {
        [] => 1,
        [count] => *count,
        index => return Err(format!("the index has rank {}", index.len())),
    };
    match shape.get_mut(place) {
        None if count == 1 => {}
        None => return Err(format!("{count} indices are given to a scalar")),
        Some(0) if count > 0 => return Err("an empty axis has no element".to_string()),
        Some(size) => *size = count,
    }
    Ok(Value::Tensor(shape))
}
