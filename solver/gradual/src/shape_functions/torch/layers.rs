//! Layers of PyTorch whose parameters are arguments.

use super::super::window::{self, Padding, Window};
use super::super::{
    Call, Stop, index, known_axis, linear as products, normalise, pointwise, rank_of,
    require_equal, require_rank, unknown,
};
use crate::term::{Int, Term};
use crate::value::{Shape, Tensor, Value};

pub(super) fn linear(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(weight) = call.given_shape(1, &["weight"])? else {
        return call.any();
    };
    let (outputs, inputs) = match *weight.axes {
        [inputs] => (None, inputs),
        [outputs, inputs] => (Some(outputs), inputs),
        _ => return call.pass.refuse("the weight has rank 1 or 2"),
    };
    let shape = products::linear(call.pass, &shape, inputs, outputs)?;
    call.single(shape, &tensor)
}

type Product = fn(&mut crate::pass::Pass, &Shape, &Shape) -> Result<Shape, Stop>;

fn product(call: &mut Call, of: Product) -> Result<Vec<Value>, Stop> {
    let Some((tensor, left)) = call.own_shape()? else {
        return call.any();
    };
    let Some(right) = call.given_shape(1, &["other", "mat2"])? else {
        return call.any();
    };
    let shape = of(call.pass, &left, &right)?;
    call.single(shape, &tensor)
}

pub(super) fn matmul(call: &mut Call) -> Result<Vec<Value>, Stop> {
    product(call, products::matmul)
}

pub(super) fn matrices(call: &mut Call) -> Result<Vec<Value>, Stop> {
    product(call, |pass, left, right| {
        products::gemm(pass, left, right, [false; 2], None)
    })
}

pub(super) fn batched(call: &mut Call) -> Result<Vec<Value>, Stop> {
    product(call, products::batched)
}

fn added(call: &mut Call, of: Product) -> Result<Vec<Value>, Stop> {
    let Some((tensor, first)) = call.own_shape()? else {
        return call.any();
    };
    let Some(left) = call.given_shape(1, &["mat1", "batch1"])? else {
        return call.any();
    };
    let Some(right) = call.given_shape(2, &["mat2", "batch2"])? else {
        return call.any();
    };
    let shape = of(call.pass, &left, &right)?;
    pointwise::one_way(call.pass, &first, &shape)?;
    call.single(shape, &tensor)
}

pub(super) fn added_matrices(call: &mut Call) -> Result<Vec<Value>, Stop> {
    added(call, |pass, left, right| {
        products::gemm(pass, left, right, [false; 2], None)
    })
}

pub(super) fn added_batched(call: &mut Call) -> Result<Vec<Value>, Stop> {
    added(call, products::batched)
}

pub(super) fn einsum(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Value::Text(equation) = call.given(0, &["equation"])? else {
        return call.any();
    };
    let operands = match call.given(1, &["tensors", "operands"])? {
        Value::List(list) => list.to_vec(),
        _ => call.arguments.get(1..).unwrap_or(&[]).to_vec(),
    };
    let shapes: Option<Vec<Shape>> = operands
        .iter()
        .map(|value| {
            if let Value::Tensor(tensor) = value {
                tensor.shape.clone()
            } else {
                None
            }
        })
        .collect();
    let Some(shapes) = shapes else {
        return call.any();
    };
    let shape = products::einsum(call.pass, &equation, &shapes, false)?;
    Ok(vec![Value::tensor(shape, None)])
}

/// Computes attention: queries against keys, weights times values.
///
/// Preconditions: queries and keys have equal last axes; keys and values are equally many; the axes in front are
/// broadcast; a mask is broadcast to queries by keys. Size 0: allowed.
pub(super) fn attention(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Value::Tensor(query) = call.given(0, &["query"])? else {
        return call.any();
    };
    let (Some(queries), Some(mut keys), Some(mut values)) = (
        query.shape.clone(),
        call.given_shape(1, &["key"])?,
        call.given_shape(2, &["value"])?,
    ) else {
        return call.any();
    };
    for shape in [&queries, &keys, &values] {
        if rank_of(shape)? < 2 {
            return call
                .pass
                .refuse("queries, keys and values have rank 2 or more");
        }
    }
    if call.given_truth(7, &["enable_gqa"], false)? {
        let [repeated_keys, repeated_values] =
            [&keys, &values].map(|shape| grouped(call, &queries, shape));
        (keys, values) = (repeated_keys?, repeated_values?);
    }
    let turned = super::super::layout::exchange(call.pass, &keys, -2, -1)?;
    let weights = products::matmul(call.pass, &queries, &turned)?;
    if let Some(mask) = call.given_shape(3, &["attn_mask"])? {
        pointwise::one_way(call.pass, &mask, &weights)?;
    }
    let shape = products::matmul(call.pass, &weights, &values)?;
    call.single(shape, &query)
}

/// Keys or values of which each serves several heads of the queries: their heads divide those of the queries.
fn grouped(call: &mut Call, queries: &Shape, shape: &Shape) -> Result<Shape, Stop> {
    let (rank, own_rank) = (rank_of(queries)?, rank_of(shape)?);
    if rank < 3 || own_rank < 3 {
        return call
            .pass
            .refuse("heads that are shared are an axis before the last two");
    }
    let (heads, own) = (queries.axes[rank - 3], shape.axes[own_rank - 3]);
    let terms = &mut *call.pass.terms;
    let quotient = terms.divide(heads, own);
    let whole = terms.multiply(quotient, own);
    let divides = terms.equal(whole, heads);
    call.pass.require(divides, |terms| {
        format!(
            "{} heads do not serve {}",
            terms.text(own),
            terms.text(heads)
        )
    })?;
    let mut axes = shape.axes.to_vec();
    axes[own_rank - 3] = heads;
    call.pass.shape(axes)
}

/// Computes a convolution of any number of axes, or its transpose.
pub(super) fn convolution(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(kernel) = call.given_shape(1, &["weight"])? else {
        return call.any();
    };
    let name = super::short_name(&call.node.operator);
    let is_general = name == "convolution" || name == "_convolution";
    let is_named_transpose = name.starts_with("conv_transpose");
    let axes = rank_of(&kernel)?.saturating_sub(2);
    let Some(taps) = kernel.axes.get(2..).and_then(|sizes| {
        sizes
            .iter()
            .map(|size| call.pass.terms.as_number(*size))
            .collect::<Option<Vec<Int>>>()
    }) else {
        return call.any();
    };
    let stride = call.given(3, &["stride"])?;
    let padding = call.given(4, &["padding"])?;
    // The transpose takes the dilation last.
    let dilation = call.given(if is_named_transpose { 7 } else { 5 }, &["dilation"])?;
    let groups = call.given(if is_general { 8 } else { 6 }, &["groups"])?;
    let is_transposed =
        is_named_transpose || is_general && call.given_truth(6, &["transposed"], false)?;
    let extra = if is_transposed {
        call.given(if is_general { 7 } else { 5 }, &["output_padding"])?
    } else {
        Value::None
    };
    convolve(
        call,
        &tensor,
        &shape,
        &kernel,
        Parameters {
            taps,
            axes,
            stride,
            padding,
            dilation,
            groups,
            extra: is_transposed.then_some(extra),
        },
    )
}

/// The parameters of a convolution as they are given.
pub(super) struct Parameters {
    pub(super) taps: Vec<Int>,
    pub(super) axes: usize,
    pub(super) stride: Value,
    pub(super) padding: Value,
    pub(super) dilation: Value,
    pub(super) groups: Value,
    /// The padding of the result, if it is the transpose of a convolution.
    pub(super) extra: Option<Value>,
}

fn axes_or(call: &mut Call, value: &Value, axes: usize, default: Int) -> Option<Vec<Int>> {
    if *value == Value::None {
        Some(vec![default; axes])
    } else {
        call.per_axis(value, axes)
    }
    .filter(|numbers| numbers.len() == axes)
}

/// Computes a convolution of PyTorch: one axis may be missing in front.
pub(super) fn convolve(
    call: &mut Call,
    tensor: &Tensor,
    shape: &Shape,
    kernel: &Shape,
    given: Parameters,
) -> Result<Vec<Value>, Stop> {
    let axes = given.axes;
    let is_same = matches!(&given.padding, Value::Text(text) if &**text == "same");
    let padding = if matches!(given.padding, Value::Text(_)) {
        Value::None
    } else {
        given.padding
    };
    let (stride, padding) = (
        axes_or(call, &given.stride, axes, 1),
        axes_or(call, &padding, axes, 0),
    );
    let (dilation, groups) = (
        axes_or(call, &given.dilation, axes, 1),
        axes_or(call, &given.groups, 1, 1),
    );
    let (Some(stride), Some(padding), Some(dilation), Some(groups)) =
        (stride, padding, dilation, groups)
    else {
        return call.any();
    };
    if is_same && stride.iter().any(|stride| *stride != 1) {
        return call.pass.refuse("padding 'same' wants a stride of 1");
    }
    let windows = (0..axes).map(|at| {
        let window = Window {
            taps: given.taps[at],
            open: None,
            stride: stride[at],
            dilation: dilation[at],
            before: padding[at],
            after: padding[at],
        };
        (
            window,
            if is_same {
                Padding::Same
            } else {
                Padding::Given
            },
        )
    });
    let windows: Vec<(Window, Padding)> = windows.collect();
    let Some(extra) = given.extra else {
        let channels = (kernel.axes[1], groups[0], kernel.axes[0]);
        let result = window::convolution(call.pass, shape, channels, &windows, true)?;
        return call.single(result, tensor);
    };
    let Some(extra) = axes_or(call, &extra, axes, 0) else {
        return call.any();
    };
    let rank = require_rank(
        call.pass,
        shape,
        &[axes + 1, axes + 2],
        "the input of the convolution",
    )?;
    let channel = rank - axes - 1;
    require_equal(
        call.pass,
        shape.axes[channel],
        kernel.axes[0],
        "the channels of the input and those of the kernel differ",
    )?;
    let mut result = shape.axes.to_vec();
    result[channel] = call.pass.terms.scale(kernel.axes[1], groups[0]);
    for (at, (window, padding)) in windows.iter().enumerate() {
        result[channel + 1 + at] = window::transposed_places(
            call.pass,
            shape.axes[channel + 1 + at],
            *window,
            *padding,
            extra[at],
        )?;
    }
    let result = call.pass.shape(result)?;
    call.single(result, tensor)
}

fn axes_in(name: &str) -> usize {
    name.chars()
        .find_map(|letter| letter.to_digit(10))
        .and_then(|axes| usize::try_from(axes).ok())
        .unwrap_or(2)
}

pub(super) fn pool(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let name = super::short_name(&call.node.operator);
    let axes = axes_in(name);
    let is_max = name.starts_with("max");
    let (taps, stride, padding) = (
        call.given(1, &["kernel_size"])?,
        call.given(2, &["stride"])?,
        call.given(3, &["padding"])?,
    );
    let dilation = if is_max {
        call.given(4, &["dilation"])?
    } else {
        Value::None
    };
    let is_up = call.given_truth(if is_max { 5 } else { 4 }, &["ceil_mode"], false)?;
    let has_places = is_max && call.given_truth(6, &["return_indices"], false)?;
    if !is_max {
        let divisor = call.given(6, &["divisor_override"])?;
        if call.number(&divisor) == Some(0) {
            return call.pass.refuse("the divisor of a mean is 0");
        }
    }
    let values = pooled(
        call,
        &tensor,
        &shape,
        axes,
        [taps, stride, padding, dilation],
        is_up,
    )?;
    Ok(with_places(values, has_places))
}

/// Returns the values of a pool of largest elements, with their places if the function is asked for both.
fn with_places(values: Vec<Value>, has_places: bool) -> Vec<Value> {
    match values.first() {
        Some(value) if has_places => vec![Value::List([value.clone(), value.clone()].into())],
        _ => values,
    }
}

/// Computes a pool whose stride is the window if none is given.
pub(super) fn pooled(
    call: &mut Call,
    tensor: &Tensor,
    shape: &Shape,
    axes: usize,
    given: [Value; 4],
    is_up: bool,
) -> Result<Vec<Value>, Stop> {
    let [taps, stride, padding, dilation] = given;
    let Some(taps) = axes_or(call, &taps, axes, 1) else {
        return call.any();
    };
    let has_stride =
        !matches!(&stride, Value::None) && !matches!(&stride, Value::List(list) if list.is_empty());
    let stride = if has_stride {
        axes_or(call, &stride, axes, 1)
    } else {
        Some(taps.clone())
    };
    let (padding, dilation) = (
        axes_or(call, &padding, axes, 0),
        axes_or(call, &dilation, axes, 1),
    );
    let (Some(stride), Some(padding), Some(dilation)) = (stride, padding, dilation) else {
        return call.any();
    };
    let windows: Vec<Window> = (0..axes)
        .map(|at| Window {
            taps: taps[at],
            open: None,
            stride: stride[at],
            dilation: dilation[at],
            before: padding[at],
            after: padding[at],
        })
        .collect();
    let value = window::torch_pool(call.pass, tensor, shape, &windows, is_up)?;
    Ok(vec![value.clone(), value])
}

pub(super) fn adaptive_pool(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let axes = axes_in(super::short_name(&call.node.operator));
    let sizes = call.given(1, &["output_size"])?;
    let has_places = call.given_truth(2, &["return_indices"], false)?;
    let values = adaptive(call, &tensor, &shape, axes, &sizes)?;
    Ok(with_places(values, has_places))
}

pub(super) fn adaptive(
    call: &mut Call,
    tensor: &Tensor,
    shape: &Shape,
    axes: usize,
    sizes: &Value,
) -> Result<Vec<Value>, Stop> {
    let sizes: Vec<Value> = match sizes {
        Value::List(list) => list.to_vec(),
        value => vec![value.clone(); axes],
    };
    let sizes: Option<Vec<Option<Term>>> = sizes
        .iter()
        .map(|size| {
            if *size == Value::None {
                Some(None)
            } else {
                call.term(size).map(Some)
            }
        })
        .collect();
    let Some(sizes) = sizes else {
        return call.any();
    };
    if sizes.len() != axes {
        return call
            .pass
            .refuse(format!("{} sizes are stated for {axes} axes", sizes.len()));
    }
    for size in sizes.iter().flatten() {
        let is_natural = call.pass.terms.at_least(*size, 0);
        call.pass.require(is_natural, |terms| {
            format!("the stated size {} is negative", terms.text(*size))
        })?;
    }
    Ok(vec![window::adaptive(call.pass, tensor, shape, &sizes)?])
}

pub(super) fn layer_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Value::List(sizes) = call.given(1, &["normalized_shape"])? else {
        return call.any();
    };
    let Some(sizes) = call.terms_of(&sizes) else {
        return call.any();
    };
    normalise::by_last_axes(call.pass, &shape, &sizes)?;
    Ok(vec![unknown(tensor), Value::Any, Value::Any])
}

pub(super) fn batch_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    for (place, names) in [
        (1, ["weight"]),
        (2, ["bias"]),
        (3, ["running_mean"]),
        (4, ["running_var"]),
    ] {
        if let Some(parameter) = call.given_shape(place, &names)?
            && let [channels] = *parameter.axes
        {
            normalise::by_channel(call.pass, &shape, channels)?;
        }
    }
    // The functions of Python ask for that, the operators of ATen do not.
    if call.node.operator.domain == "fx" {
        let of_instance = super::short_name(&call.node.operator) == "instance_norm";
        let by_own = call.given_truth(5, &["training", "use_input_stats"], of_instance)?;
        if by_own {
            let batch = if of_instance { &[][..] } else { &[0][..] };
            several_values(call, &shape, batch)?;
        }
    }
    Ok(vec![unknown(tensor), Value::Any, Value::Any])
}

/// Demands more than one value along the axes behind the channels and some in front.
fn several_values(call: &mut Call, shape: &Shape, others: &[usize]) -> Result<(), Stop> {
    if shape.block.is_some() {
        return Err(crate::limit::Limit::Ranks.into());
    }
    let one = call.pass.terms.number(1);
    let places = others.iter().copied().chain(2..shape.axes.len());
    let sizes: Vec<(Term, Term)> = places
        .filter_map(|place| shape.axes.get(place).map(|size| (*size, one)))
        .collect();
    normalise::require_several(call.pass, &sizes)
}

/// Checks a normalisation by groups of channels as the function of Python asks for it.
///
/// Preconditions: the groups divide the channels, which are not none; a group has more than one value. Size 0: a batch
/// of 0 is allowed.
pub(super) fn grouped_by_channel(call: &mut Call, shape: &Shape, groups: Int) -> Result<(), Stop> {
    normalise::by_group(call.pass, shape, groups)?;
    let channel = known_axis(call.pass, 1, shape)?;
    if shape.block.is_some() {
        return Err(crate::limit::Limit::Ranks.into());
    }
    for size in &shape.axes[channel..] {
        let is_some = call.pass.terms.at_least(*size, 1);
        call.pass
            .require(is_some, |_| "there are no values to normalise".to_owned())?;
    }
    if call.node.operator.domain == "aten" {
        return Ok(());
    }
    let (one, groups) = (call.pass.terms.number(1), call.pass.terms.number(groups));
    let mut sizes: Vec<(Term, Term)> = shape.axes.iter().map(|size| (*size, one)).collect();
    sizes[channel].1 = groups;
    normalise::require_several(call.pass, &sizes)
}

pub(super) fn group_norm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let is_native = super::short_name(&call.node.operator) == "native_group_norm";
    let (groups, weight) = if is_native {
        (call.given(6, &["group"])?, 1)
    } else {
        (call.given(1, &["num_groups"])?, 2)
    };
    if let Some(groups) = call.number(&groups) {
        grouped_by_channel(call, &shape, groups)?;
    }
    if let Some(weight) = call.given_shape(weight, &["weight"])?
        && let [channels] = *weight.axes
    {
        normalise::by_channel(call.pass, &shape, channels)?;
    }
    Ok(vec![unknown(tensor), Value::Any, Value::Any])
}

/// Computes a table of vectors: the indices get one axis more.
///
/// Preconditions: indices lie in the table, from 0. Size 0: allowed.
pub(super) fn embedding(call: &mut Call) -> Result<Vec<Value>, Stop> {
    // The function takes the indices first, the operator of ATen the table.
    let is_aten = call.node.operator.domain == "aten";
    let (table, indices) = if is_aten {
        (call.given(0, &["weight"])?, call.given(1, &["indices"])?)
    } else {
        (call.given(1, &["weight"])?, call.given(0, &["input"])?)
    };
    let (Value::Tensor(table), Value::Tensor(indices)) = (table, indices) else {
        return call.any();
    };
    let Some(shape) = &table.shape else {
        return call.any();
    };
    require_rank(call.pass, shape, &[2], "the table")?;
    embedded(call, &indices, shape.axes[0], shape.axes[1])
}

pub(super) fn embedded(
    call: &mut Call,
    indices: &Tensor,
    rows: Term,
    columns: Term,
) -> Result<Vec<Value>, Stop> {
    let Some(shape) = &indices.shape else {
        return call.any();
    };
    index::require_indices(call.pass, indices, rows, false)?;
    let mut axes = shape.axes.to_vec();
    axes.push(columns);
    Ok(vec![Value::tensor(shape.with_axes(axes), None)])
}

/// Axes of space made longer or shorter, to stated sizes or by factors.
///
/// Preconditions: rank 2 more than there are sizes; sizes are at least 1. Size 0: a batch of 0 is allowed.
pub(super) fn upsample(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    if !(3..=5).contains(&rank) {
        return call
            .pass
            .refuse(format!("the input has rank {rank} where 3 to 5 is wanted"));
    }
    let mut axes = shape.axes.to_vec();
    let sizes = call.given(1, &["output_size", "size"])?;
    let is_function = super::short_name(&call.node.operator) == "interpolate";
    let factors = call.given(
        if is_function {
            2
        } else {
            call.arguments.len().saturating_sub(1).max(2)
        },
        &["scale_factors", "scale_factor"],
    )?;
    let sizes: Option<Vec<Term>> = match &sizes {
        Value::List(list) => call.terms_of(list),
        Value::Integer(term) => Some(vec![*term; rank - 2]),
        _ => None,
    };
    let factors: Vec<Value> = match factors {
        Value::List(list) => list.to_vec(),
        value => vec![value; rank - 2],
    };
    for at in 0..rank - 2 {
        axes[at + 2] = match (&sizes, factors.get(at)) {
            (Some(sizes), _) if sizes.len() == rank - 2 => sizes[at],
            (None, Some(factor)) => {
                let Some(crate::value::Content::Numbers(numbers)) =
                    call.operand(factor).map(|tensor| tensor.content)
                else {
                    return call.any();
                };
                let scaled = call.pass.terms.multiply(axes[at + 2], numbers[0].term);
                call.pass.terms.floor_divide(scaled, numbers[0].over)
            }
            _ => return call.any(),
        };
        let size = axes[at + 2];
        let is_some = call.pass.terms.at_least(size, 1);
        call.pass.require(is_some, |terms| {
            format!("the size {} of the result is below 1", terms.text(size))
        })?;
    }
    let shape = call.pass.shape(axes)?;
    call.single(shape, &tensor)
}
