//! Normalisations.

use super::call::Call;
use super::{Function, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("call_module.LayerNorm", layer_norm),
    ("call_module.BatchNorm2d", batch_norm),
];

/// The last axes are those that are normalised.
fn layer_norm(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let wanted = match call.parameter("normalized_shape") {
        Value::Integer(size) => vec![*size],
        list => list
            .integers()
            .ok_or("the normalised shape is no list of sizes")?,
    };
    let sizes: Vec<i128> = shape.iter().copied().map(i128::from).collect();
    match sizes.ends_with(&wanted) {
        true => Ok(Value::Tensor(shape.to_vec())),
        false => Err(format!("{shape:?} does not end with {wanted:?}")),
    }
}

/// A batch of images with as many channels as the module has features.
fn batch_norm(call: &Call) -> Result<Value, String> {
    let shape = call.shape(0, "input")?;
    let features = call.number("num_features")?;
    match shape {
        [_, channels, _, _] if *channels == features => Ok(Value::Tensor(shape.to_vec())),
        _ => Err(format!(
            "{shape:?} is no batch of images with {features} channels"
        )),
    }
}
