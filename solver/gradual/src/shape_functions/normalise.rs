//! Normalisations: the shape is kept, and the parameters fit.

use super::{Call, Stop, require_equal};
use crate::pass::Pass;
use crate::term::Term;
use crate::value::{Shape, Value};

/// Normalises by channel: axis 1 has as many entries as the parameters.
///
/// Preconditions: rank at least 2, and the parameters are as long as axis 1. Size 0: kept. Versions:
/// `BatchNormalization` had five outputs before 14, where training was asked for.
pub(super) fn by_channel(pass: &mut Pass, shape: &Shape, channels: Term) -> Result<(), Stop> {
    if shape.block.is_none() && shape.axes.len() < 2 {
        return pass.refuse(format!(
            "a normalisation by channel wants rank 2 or more, not {}",
            shape.axes.len()
        ));
    }
    let channel = super::known_axis(pass, 1, shape)?;
    require_equal(
        pass,
        shape.axes[channel],
        channels,
        "the channels of the input and those of the layer differ",
    )
}

/// Demands that the sizes, each given with the number that counts as one entry, are not all one: there is no deviation
/// of a single value.
pub(super) fn require_several(pass: &mut Pass, sizes: &[(Term, Term)]) -> Result<(), Stop> {
    let each: Vec<_> = sizes
        .iter()
        .map(|(size, one)| pass.terms.differ(*size, *one))
        .collect();
    let several = pass.terms.any(&each);
    pass.require(several, |_| {
        "a normalisation by the values themselves wants more than one".to_owned()
    })
}

/// Computes `BatchNormalization`, `InstanceNormalization`: see [`by_channel`].
pub(super) fn onnx_by_channel(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let Some(shape) = &tensor.shape {
        if call.node.operator.name == "InstanceNormalization"
            && shape.block.is_none()
            && shape.axes.len() < 3
        {
            return call
                .pass
                .refuse("the input has no axis beside batch and channels");
        }
        for place in 1..call.arguments.len() {
            if let Some(parameter) = call.shape(place) {
                super::require_rank(call.pass, &parameter, &[1], "a parameter")?;
                by_channel(call.pass, shape, parameter.axes[0])?;
            }
        }
    }
    let mut outputs = vec![super::unknown(tensor)];
    // The outputs of training have the shape of the parameters.
    for place in 3..5 {
        outputs.push(call.tensor(place).map_or(Value::Any, super::unknown));
    }
    Ok(outputs)
}

/// Normalises by the last axes.
///
/// Preconditions: the last axes are those of the parameters. Size 0: kept.
pub(super) fn by_last_axes(pass: &mut Pass, shape: &Shape, sizes: &[Term]) -> Result<(), Stop> {
    let known = shape.axes.len() - shape.block.map_or(0, |block| block.at);
    if known < sizes.len() {
        if shape.block.is_some() {
            return Err(pass.inputs.want(shape, 0, sizes.len()).into());
        }
        return pass.refuse(format!("{} axes are normalised of {known}", sizes.len()));
    }
    for (own, wanted) in shape.axes[shape.axes.len() - sizes.len()..]
        .iter()
        .zip(sizes)
    {
        require_equal(
            pass,
            *own,
            *wanted,
            "the last axes and those of the layer differ",
        )?;
    }
    Ok(())
}

/// Computes `LayerNormalization`: scale and bias are broadcast to the input; mean and deviation keep the axes before
/// `axis`, and 1 for the others.
pub(super) fn onnx_layer(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let axis = super::known_axis(call.pass, call.int_or("axis", -1), &shape)?;
    for place in 1..call.arguments.len() {
        if let Some(parameter) = call.shape(place) {
            super::pointwise::one_way(call.pass, &parameter, &shape)?;
        }
    }
    for size in &shape.axes[axis..] {
        let is_some = call.terms().at_least(*size, 1);
        call.pass
            .require_specified(is_some, |_| "nothing is normalised".to_owned())?;
    }
    let mut reduced = shape.axes.to_vec();
    let one = call.terms().number(1);
    reduced[axis..].fill(one);
    let reduced = Value::tensor(shape.with_axes(reduced), tensor.element);
    Ok(vec![super::unknown(tensor), reduced.clone(), reduced])
}

/// Checks `GroupNormalization` and `group_norm`: the groups divide the channels.
///
/// Preconditions: rank at least 2; the groups divide axis 1; the parameters fit. Size 0: kept. Versions: before 21
/// ONNX's parameters were as long as the groups.
pub(super) fn by_group(
    pass: &mut Pass,
    shape: &Shape,
    groups: crate::term::Int,
) -> Result<(), Stop> {
    if shape.block.is_none() && shape.axes.len() < 2 {
        return pass.refuse("a normalisation by group wants rank 2 or more");
    }
    let channel = super::known_axis(pass, 1, shape)?;
    if groups < 1 {
        return pass.refuse("the number of groups is at least 1");
    }
    let size = shape.axes[channel];
    let divides = pass.terms.divides(groups, size);
    pass.require(divides, |terms| {
        format!(
            "{groups} groups do not divide {} channels",
            terms.text(size)
        )
    })
}

pub(super) fn onnx_group(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let Some(shape) = &tensor.shape {
        let groups = call.int_or("num_groups", 1);
        by_group(call.pass, shape, groups)?;
        let wanted = if call.version() < 21 {
            call.terms().number(groups)
        } else {
            shape.axes[super::known_axis(call.pass, 1, shape)?]
        };
        for place in 1..call.arguments.len() {
            if let Some(parameter) = call.shape(place) {
                super::require_rank(call.pass, &parameter, &[1], "a parameter")?;
                require_equal(
                    call.pass,
                    parameter.axes[0],
                    wanted,
                    "the parameters are not as long as they should be",
                )?;
            }
        }
    }
    Ok(vec![super::unknown(tensor)])
}
