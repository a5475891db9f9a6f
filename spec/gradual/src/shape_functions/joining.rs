//! Operators that join or surround tensors.

use super::call::{Call, axis, size};
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_function.torch.cat", cat),
    ("call_function.torch.nn.functional.pad", pad),
];

/// The shapes are equal but on one axis, whose sizes are added. An empty vector may stand among tensors of any rank,
/// and is left out.
fn cat(call: &Call) -> Result<Value, String> {
    let Value::List(tensors) = call.argument(0, "tensors") else {
        return Err("the tensors are no list".to_string());
    };
    let shapes = tensors.iter().map(|tensor| match tensor {
        Value::Tensor(shape) if shape.is_empty() => {
            Err("a tensor without axes is joined".to_string())
        }
        Value::Tensor(shape) => Ok(shape),
        other => Err(format!("{other:?} is no tensor")),
    });
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let whole = shapes.iter().copied().filter(|shape| ***shape != [0]);
    let whole: Vec<&Vec<u64>> = whole.collect();
    let first = whole.first().or(shapes.first());
    let mut joined = first.copied().ok_or("there is no tensor")?.clone();
    let dim = call.argument(1, "dim").integer().unwrap_or(0);
    let place = axis(dim, joined.len())?;
    for shape in whole.iter().skip(1) {
        let fits = |at: usize| at == place || shape[at] == joined[at];
        if shape.len() != joined.len() || !(0..joined.len()).all(fits) {
            return Err(format!(
                "{shape:?} is joined to {joined:?} along axis {place}"
            ));
        }
        joined[place] = joined[place]
            .checked_add(shape[place])
            .ok_or("the size is too large")?;
    }
    Ok(Value::Tensor(joined))
}

/// Two numbers for an axis, from the last axis on, are added to its size, and no size becomes negative.
fn pad(call: &Call) -> Result<Value, String> {
    let mut shape = call.shape(0, "input")?.to_vec();
    let pairs = call
        .argument(1, "pad")
        .integers()
        .ok_or("the padding is no list of integers")?;
    if pairs.len() % 2 == 1 || pairs.len() / 2 > shape.len() {
        return Err(format!(
            "{} numbers are given for {} axes",
            pairs.len(),
            shape.len()
        ));
    }
    for (own, pair) in shape.iter_mut().rev().zip(pairs.chunks(2)) {
        *own = size(i128::from(*own) + pair.iter().sum::<i128>())?;
    }
    Ok(Value::Tensor(shape))
}
