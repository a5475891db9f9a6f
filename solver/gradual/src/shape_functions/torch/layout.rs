//! Views and copies of PyTorch with other axes.

use super::super::layout::{self, Zero, with_content};
use super::super::parts;
use super::super::{Call, Stop, axis_of, known_axis, rank_of, unknown};
use crate::term::{Int, Term};
use crate::value::{Shape, Tensor, Value};

pub(super) fn reshape(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    // The sizes of a tensor with a block name the block.
    if let Value::Sizes(target) = call.given(1, &["size", "shape"])? {
        return reshape_with_block(call, &tensor, &shape, &target);
    }
    let Some(target) = call.given_list(1, &["size", "shape"])? else {
        return call.any();
    };
    let shape = layout::reshape(call.pass, &shape, &target, Zero::IsZero)?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

/// Computes a reshape to sizes of which some stay together in a block.
fn reshape_with_block(
    call: &mut Call,
    tensor: &Tensor,
    shape: &Shape,
    target: &Shape,
) -> Result<Vec<Value>, Stop> {
    if target
        .axes
        .iter()
        .any(|size| call.pass.terms.bounds(*size).low.is_none_or(|low| low < 0))
    {
        return Err(crate::limit::Limit::Ranks.into());
    }
    let (before, after) = (
        super::super::count(call.pass.terms, shape),
        super::super::count(call.pass.terms, target),
    );
    super::super::require_equal(
        call.pass,
        before,
        after,
        "the numbers of elements before and after differ",
    )?;
    call.single(target.clone(), tensor)
}

pub(super) fn reshape_as(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(target) = call.given_shape(1, &["other"])? else {
        return call.any();
    };
    reshape_with_block(call, &tensor, &shape, &target)
}

pub(super) fn flatten(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let (Some(start), Some(end)) = (
        call.given_int(1, &["start_dim"], 0)?,
        call.given_int(2, &["end_dim"], -1)?,
    ) else {
        return call.any();
    };
    let shape = layout::flatten(call.pass, &shape, start, end)?;
    call.single(shape, &tensor)
}

/// Cuts one axis into several.
///
/// Preconditions: as for a reshape of the axis. Size 0: as for a reshape.
pub(super) fn unflatten(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let Value::List(sizes) = call.given(2, &["sizes", "unflattened_size"])? else {
        return call.any();
    };
    let Some(sizes) = call.terms_of(&sizes) else {
        return call.any();
    };
    let place = axis_of(call.pass, axis, rank_of(&shape)?)?;
    let cut = layout::reshape(
        call.pass,
        &Shape::new([shape.axes[place]]),
        &sizes,
        Zero::IsZero,
    )?;
    let mut axes = shape.axes.to_vec();
    axes.splice(place..=place, cut.axes.iter().copied());
    let shape = call.pass.shape(axes)?;
    call.single(shape, &tensor)
}

pub(super) fn permute(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(order) = call.given_numbers(1, &["dims"])? else {
        return call.any();
    };
    let shape = layout::permute(call.pass, &shape, &order)?;
    call.single(shape, &tensor)
}

pub(super) fn transpose(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let (Some(one), Some(other)) = (
        call.given_int(1, &["dim0", "axis0"], 0)?,
        call.given_int(2, &["dim1", "axis1"], 0)?,
    ) else {
        return call.any();
    };
    let shape = layout::exchange(call.pass, &shape, one, other)?;
    call.single(shape, &tensor)
}

/// Computes the transpose of a matrix; a vector stays.
pub(super) fn turned(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    super::super::require_rank(call.pass, &shape, &[0, 1, 2], "the matrix")?;
    let axes = shape.axes.iter().rev().copied().collect();
    let shape = call.pass.shape(axes)?;
    call.single(shape, &tensor)
}

pub(super) fn unsqueeze(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let shape = layout::unsqueeze(call.pass, &shape, &[axis])?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

pub(super) fn squeeze(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let axes = if call.given(1, &["dim"])? == Value::None {
        None
    } else {
        match call.given_numbers(1, &["dim"])? {
            Some(axes) => Some(axes),
            None => return call.any(),
        }
    };
    let shape = layout::squeeze(call.pass, &shape, axes.as_deref(), false)?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

pub(super) fn expand(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(target) = call.given_list(1, &["size"])? else {
        return call.any();
    };
    let shape = layout::expand(call.pass, &shape, &target)?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

pub(super) fn expand_as(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(target) = call.given_shape(1, &["other"])? else {
        return call.any();
    };
    super::super::pointwise::one_way(call.pass, &shape, &target)?;
    Ok(vec![with_content(call.pass.terms, target, &tensor)])
}

/// Repeats each axis; numbers beyond the rank make axes in front.
///
/// Preconditions: at least as many numbers as axes (`repeat`); none is negative. Size 0: kept, and made by 0
/// repetitions.
pub(super) fn repeat(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(mut times) = call.given_list(1, &["repeats", "dims"])? else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let one = call.pass.terms.number(1);
    if times.len() < rank {
        if super::short_name(&call.node.operator) == "repeat" {
            return call
                .pass
                .refuse(format!("{} numbers are given for {rank} axes", times.len()));
        }
        times.splice(0..0, vec![one; rank - times.len()]);
    }
    let new = times.len() - rank;
    let mut axes = Vec::with_capacity(times.len());
    for (at, times) in times.iter().enumerate() {
        let is_natural = call.pass.terms.at_least(*times, 0);
        call.pass.require(is_natural, |_| {
            "a number of repetitions is negative".to_owned()
        })?;
        let own = at.checked_sub(new).map_or(one, |place| shape.axes[place]);
        axes.push(call.pass.terms.multiply(own, *times));
    }
    let shape = call.pass.shape(axes)?;
    call.single(shape, &tensor)
}

fn tensors(call: &mut Call) -> Result<Option<Vec<Tensor>>, Stop> {
    let Value::List(list) = call.given(0, &["tensors"])? else {
        return Ok(None);
    };
    Ok(list
        .iter()
        .map(|value| {
            if let Value::Tensor(tensor) = value {
                Some(tensor.clone())
            } else {
                None
            }
        })
        .collect())
}

/// Tensors joined. One of shape `[0]` is left out, as PyTorch does.
pub(super) fn join(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensors) = tensors(call)? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim", "axis"], 0)? else {
        return call.any();
    };
    let shapes: Option<Vec<Shape>> = tensors.iter().map(|tensor| tensor.shape.clone()).collect();
    let Some(shapes) = shapes else {
        return call.any();
    };
    let vector = |shape: &Shape| match *shape.axes {
        [size] if shape.block.is_none() => Some(size),
        _ => None,
    };
    // Among vectors one without elements adds nothing, left out or not.
    let are_vectors = matches!(axis, 0 | -1) && shapes.iter().all(|shape| vector(shape).is_some());
    let mut kept = Vec::new();
    for shape in shapes {
        let is_nothing = match vector(&shape).filter(|_| !are_vectors) {
            Some(size) => {
                let is_zero = call.pass.terms.is(size, 0);
                call.pass.decide(is_zero)?
            }
            None => false,
        };
        if !is_nothing {
            kept.push(shape);
        }
    }
    let Some(first) = tensors.first() else {
        return call.pass.refuse("there is nothing to join");
    };
    if kept.is_empty() {
        return Ok(vec![unknown(first.clone())]);
    }
    let shape = parts::join(call.pass, &kept, axis)?;
    let place = known_axis(call.pass, axis, &shape)?;
    let content = parts::joined_content(call.pass.terms, &tensors, &shape, place);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(shape),
        element: first.element,
        content,
    })])
}

/// Tensors of one shape joined along a new axis.
///
/// Preconditions: equal shapes. Size 0: kept.
pub(super) fn stack(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensors) = tensors(call)? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let mut shapes = Vec::new();
    for tensor in &tensors {
        let Some(shape) = &tensor.shape else {
            return call.any();
        };
        let rank = rank_of(shape)?;
        let place = axis_of(call.pass, axis, rank + 1)?;
        let place = Int::try_from(place).unwrap_or(0);
        shapes.push(layout::unsqueeze(call.pass, shape, &[place])?);
    }
    let Some(first) = tensors.first() else {
        return call.pass.refuse("there is nothing to stack");
    };
    let shape = parts::join(call.pass, &shapes, axis)?;
    call.single(shape, first)
}

/// Returns the parts of an axis as a list of tensors.
fn parts(shape: &Shape, tensor: &Tensor, place: usize, sizes: Vec<Term>) -> Vec<Value> {
    let parts = sizes.into_iter().map(|size| {
        let mut axes = shape.axes.to_vec();
        axes[place] = size;
        Value::tensor(shape.with_axes(axes), tensor.element)
    });
    vec![Value::List(parts.collect())]
}

/// Parts of a given size, of which the last may be smaller, or of given sizes.
///
/// Preconditions: given sizes add up to the axis; the number of parts has to be known. Size 0: one part of 0.
pub(super) fn split(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let sizes = call.given(1, &["split_size", "split_sizes", "split_size_or_sections"])?;
    let Some(axis) = call.given_int(2, &["dim"], 0)? else {
        return call.any();
    };
    let place = known_axis(call.pass, axis, &shape)?;
    let size = shape.axes[place];
    if let Value::List(list) = sizes {
        let Some(sizes) = call.terms_of(&list) else {
            return call.any();
        };
        let mut sum = call.pass.terms.number(0);
        for part in &sizes {
            let is_natural = call.pass.terms.at_least(*part, 0);
            call.pass.require(is_natural, |terms| {
                format!("a part has the size {}", terms.text(*part))
            })?;
            sum = call.pass.terms.add(sum, *part);
        }
        super::super::require_equal(call.pass, sum, size, "the parts do not add up to the axis")?;
        return Ok(parts(&shape, &tensor, place, sizes));
    }
    let (Some(part), Some(total)) = (
        call.number(&sizes).filter(|part| *part > 0),
        call.pass.terms.as_number(size),
    ) else {
        return call.any();
    };
    cut(call, &shape, &tensor, (place, total, part))
}

/// Splits into as many parts as asked for, if the axis is long enough.
pub(super) fn chunk(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let (Some(count), Some(axis)) = (
        call.given_int(1, &["chunks"], 1)?,
        call.given_int(2, &["dim"], 0)?,
    ) else {
        return call.any();
    };
    let place = known_axis(call.pass, axis, &shape)?;
    let Some(total) = call.pass.terms.as_number(shape.axes[place]) else {
        return call.any();
    };
    if count < 1 {
        return call.pass.refuse("the number of chunks is at least 1");
    }
    cut(
        call,
        &shape,
        &tensor,
        (place, total, (total + count - 1) / count),
    )
}

fn cut(
    call: &mut Call,
    shape: &Shape,
    tensor: &Tensor,
    (place, total, part): (usize, Int, Int),
) -> Result<Vec<Value>, Stop> {
    let part = part.max(1);
    let count = ((total + part - 1) / part).max(1);
    if count > 4096 {
        return call.any();
    }
    let sizes = (0..count)
        .map(|at| call.pass.terms.number(part.min(total - at * part)))
        .collect();
    Ok(parts(shape, tensor, place, sizes))
}

pub(super) fn unbind(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let place = known_axis(call.pass, axis, &shape)?;
    let Some(count) = call
        .pass
        .terms
        .as_number(shape.axes[place])
        .and_then(|count| usize::try_from(count).ok())
        .filter(|count| *count <= 4096)
    else {
        return call.any();
    };
    let mut axes = shape.axes.to_vec();
    axes.remove(place);
    let each = Value::tensor(call.pass.shape(axes)?, tensor.element);
    Ok(vec![Value::List(vec![each; count].into())])
}

/// Rolls and flips: the axes exist.
pub(super) fn kept_axes(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let place = if super::short_name(&call.node.operator) == "flip" {
        1
    } else {
        2
    };
    if place == 2 {
        let length = |value: &Value| match value {
            Value::List(list) => list.len(),
            Value::None => 0,
            _ => 1,
        };
        let (shifts, axes) = (call.given(1, &["shifts"])?, call.given(2, &["dims"])?);
        // One shift without an axis rolls all elements.
        if length(&shifts) == 0 || length(&shifts) != length(&axes).max(1) {
            return call.pass.refuse("a roll has a shift for each axis");
        }
    }
    if call.given(place, &["dims"])? != Value::None
        && let Some(axes) = call.given_numbers(place, &["dims"])?
    {
        for axis in axes {
            known_axis(call.pass, axis, &shape)?;
        }
    }
    Ok(vec![unknown(tensor)])
}

/// Pairs of numbers from the last axis on.
///
/// Preconditions: not more pairs than axes; no result is negative; a reflection is shorter than its axis. Size 0: by
/// constants only.
pub(super) fn pad(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Value::List(pads) = call.given(1, &["pad"])? else {
        return call.any();
    };
    let Some(pads) = call.terms_of(&pads) else {
        return call.any();
    };
    let mode = match call.given(2, &["mode"])? {
        Value::Text(mode) => mode,
        _ => "constant".into(),
    };
    let known = shape.axes.len() - shape.block.map_or(0, |block| block.at);
    if pads.len() % 2 != 0 || pads.len() / 2 > known {
        if shape.block.is_some() {
            return Err(call.pass.inputs.want(&shape, 0, pads.len() / 2).into());
        }
        return call
            .pass
            .refuse(format!("{} numbers are given for {known} axes", pads.len()));
    }
    let mut axes = shape.axes.to_vec();
    for (at, pair) in pads.chunks_exact(2).enumerate() {
        let place = axes.len() - 1 - at;
        axes[place] = parts::padded(call.pass, axes[place], (pair[0], pair[1]), &mode)?;
    }
    call.single(shape.with_axes(axes), &tensor)
}
