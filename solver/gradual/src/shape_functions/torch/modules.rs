//! Modules of PyTorch, whose parameters stand at the node.

use super::super::{Call, Function, Stop, normalise, require_rank, unknown};
use super::layers::{self, Parameters};
use crate::term::Int;
use crate::value::{Shape, Value};

/// Returns the shape function of a module by the name of its class.
pub(super) fn function(class: &str) -> Option<Function> {
    Some(match class {
        "ReLU" | "ReLU6" | "GELU" | "SiLU" | "Sigmoid" | "Tanh" | "Dropout" | "Dropout1d"
        | "Dropout2d" | "Dropout3d" | "Identity" | "LeakyReLU" | "ELU" | "Hardswish"
        | "Hardsigmoid" | "Hardtanh" | "Softplus" | "Mish" | "GELUActivation"
        | "NewGELUActivation" | "SiLUActivation" | "Softsign" | "LogSigmoid" => {
            super::arithmetic::keep
        }
        "Linear" => linear,
        "Conv1d" | "Conv2d" | "Conv3d" | "ConvTranspose1d" | "ConvTranspose2d"
        | "ConvTranspose3d" => convolution,
        "MaxPool1d" | "MaxPool2d" | "MaxPool3d" | "AvgPool1d" | "AvgPool2d" | "AvgPool3d" => pool,
        "AdaptiveAvgPool1d" | "AdaptiveAvgPool2d" | "AdaptiveAvgPool3d" | "AdaptiveMaxPool1d"
        | "AdaptiveMaxPool2d" | "AdaptiveMaxPool3d" => adaptive_pool,
        "BatchNorm1d" | "BatchNorm2d" | "BatchNorm3d" => batch_norm,
        "InstanceNorm1d" | "InstanceNorm2d" | "InstanceNorm3d" => instance_norm,
        "LayerNorm" | "RMSNorm" => layer_norm,
        "GroupNorm" => group_norm,
        "Embedding" => embedding,
        "Flatten" => flatten,
        "Softmax" | "LogSoftmax" => softmax,
        _ => return None,
    })
}

fn parameter(call: &mut Call, name: &str) -> Result<Value, Stop> {
    match call.node.attribute(name) {
        Some(argument) => call.pass.argument(argument),
        None => Ok(Value::None),
    }
}

fn linear(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let (inputs, outputs) = (
        parameter(call, "in_features")?,
        parameter(call, "out_features")?,
    );
    let (Some(inputs), Some(outputs)) = (call.term(&inputs), call.term(&outputs)) else {
        return call.any();
    };
    let shape = super::super::linear::linear(call.pass, &shape, inputs, Some(outputs))?;
    call.single(shape, &tensor)
}

fn axes_of(call: &Call) -> usize {
    let class = call.node.operator.name.as_str();
    class
        .chars()
        .rev()
        .find_map(|letter| letter.to_digit(10))
        .and_then(|axes| usize::try_from(axes).ok())
        .unwrap_or(2)
}

fn convolution(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let axes = axes_of(call);
    let taps = parameter(call, "kernel_size")?;
    let (inputs, outputs) = (
        parameter(call, "in_channels")?,
        parameter(call, "out_channels")?,
    );
    let groups = parameter(call, "groups")?;
    let divisor = call.number(&groups).unwrap_or(1).max(1);
    let (Some(inputs), Some(outputs), Some(taps)) = (
        call.number(&inputs),
        call.number(&outputs),
        call.per_axis(&taps, axes),
    ) else {
        return call.any();
    };
    let is_transposed = call.node.operator.name.contains("Transpose");
    if !is_transposed && outputs < divisor {
        return call
            .pass
            .refuse("each group of a convolution has an output channel");
    }
    let (first, second) = if is_transposed {
        (inputs, outputs / divisor)
    } else {
        (outputs, inputs / divisor)
    };
    let mut kernel = vec![first, second];
    kernel.extend(&taps);
    let kernel = Shape::new(
        kernel
            .into_iter()
            .map(|size: Int| call.pass.terms.number(size))
            .collect::<Vec<_>>(),
    );
    let extra = if is_transposed {
        Some(parameter(call, "output_padding")?)
    } else {
        None
    };
    let given = Parameters {
        taps,
        axes,
        stride: parameter(call, "stride")?,
        padding: parameter(call, "padding")?,
        dilation: parameter(call, "dilation")?,
        groups,
        extra,
    };
    layers::convolve(call, &tensor, &shape, &kernel, given)
}

/// Computes `Conv2D` of the gradual tensor calculus: PyTorch's, of tensors of rank 4 alone.
pub(super) fn convolution_of_batches(call: &mut Call) -> Result<Vec<Value>, Stop> {
    if let Some((_, shape)) = call.own_shape()? {
        require_rank(call.pass, &shape, &[4], "the input of conv2d")?;
    }
    convolution(call)
}

fn pool(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let given = [
        parameter(call, "kernel_size")?,
        parameter(call, "stride")?,
        parameter(call, "padding")?,
        parameter(call, "dilation")?,
    ];
    let is_up = match parameter(call, "ceil_mode")? {
        Value::Truth(formula) => call.pass.terms.decided(formula).unwrap_or(false),
        _ => false,
    };
    let axes = axes_of(call);
    layers::pooled(call, &tensor, &shape, axes, given, is_up)
}

fn adaptive_pool(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let sizes = parameter(call, "output_size")?;
    let axes = axes_of(call);
    layers::adaptive(call, &tensor, &shape, axes, &sizes)
}

/// Computes a normalisation by channel whose rank the class fixes.
fn batch_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let axes = axes_of(call);
    let ranks: &[usize] = if axes == 1 { &[2, 3] } else { &[axes + 2] };
    super::super::require_rank(call.pass, &shape, ranks, "the input of the normalisation")?;
    let channels = parameter(call, "num_features")?;
    if let Some(channels) = call.term(&channels) {
        normalise::by_channel(call.pass, &shape, channels)?;
    }
    Ok(vec![unknown(tensor)])
}

/// Returns the shape of a normalisation of each channel of each tensor of a batch, which may be missing.
///
/// Preconditions: the rank is that of the class; the channels are those of the module if it has weights or statistics
/// of its own, and else are not asked; a channel has more than one value where it is normalised by its own statistics.
/// Size 0: as PyTorch's function, which asks no more.
fn instance_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let axes = axes_of(call);
    let ranks = [axes + 1, axes + 2];
    let rank = require_rank(call.pass, &shape, &ranks, "the input of the normalisation")?;
    let channel = rank - axes - 1;
    let has = |call: &mut Call, name: &str| match parameter(call, name)? {
        Value::Truth(formula) => Ok(call.pass.terms.decided(formula) == Some(true)),
        _ => Ok::<bool, Stop>(false),
    };
    let has_statistics = has(call, "track_running_stats")?;
    let channels = parameter(call, "num_features")?;
    if (has(call, "affine")? || has_statistics)
        && let Some(channels) = call.term(&channels)
    {
        let words = "the channels of the input and those of the layer differ";
        super::super::require_equal(call.pass, shape.axes[channel], channels, words)?;
    }
    if !has_statistics {
        let one = call.pass.terms.number(1);
        let sizes = shape.axes[channel + 1..].iter().map(|size| (*size, one));
        normalise::require_several(call.pass, &sizes.collect::<Vec<_>>())?;
    }
    Ok(vec![unknown(tensor)])
}

fn layer_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let sizes = match parameter(call, "normalized_shape")? {
        Value::List(list) => call.terms_of(&list),
        value => call.term(&value).map(|size| vec![size]),
    };
    let Some(sizes) = sizes else {
        return call.any();
    };
    normalise::by_last_axes(call.pass, &shape, &sizes)?;
    Ok(vec![unknown(tensor)])
}

fn group_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let (groups, channels) = (
        parameter(call, "num_groups")?,
        parameter(call, "num_channels")?,
    );
    if let Some(channels) = call.term(&channels) {
        normalise::by_channel(call.pass, &shape, channels)?;
    }
    if let Some(groups) = call.number(&groups) {
        layers::grouped_by_channel(call, &shape, groups)?;
    }
    Ok(vec![unknown(tensor)])
}

fn embedding(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(indices) = call.own_tensor()? else {
        return call.any();
    };
    let (rows, columns) = (
        parameter(call, "num_embeddings")?,
        parameter(call, "embedding_dim")?,
    );
    let (Some(rows), Some(columns)) = (call.term(&rows), call.term(&columns)) else {
        return call.any();
    };
    layers::embedded(call, &indices, rows, columns)
}

fn flatten(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let (start, end) = (call.int_or("start_dim", 1), call.int_or("end_dim", -1));
    let shape = super::super::layout::flatten(call.pass, &shape, start, end)?;
    call.single(shape, &tensor)
}

fn softmax(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    if call
        .node
        .attribute("dim")
        .and_then(|axis| axis.as_int())
        .is_some()
    {
        let axis = call.int_or("dim", -1);
        super::super::known_axis(call.pass, axis, &shape)?;
    }
    Ok(vec![unknown(tensor)])
}
