//! Indices and slices of PyTorch.

use super::super::slice::bounds;
use super::super::{Call, Stop, index as picking, known_axis, pointwise, rank_of};
use crate::limit::Limit;
use crate::term::{Int, Term};
use crate::value::{Block, Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::ElementType;

pub(super) fn slice(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let (start, end) = (call.given(2, &["start"])?, call.given(3, &["end"])?);
    let Some(step) = call.given_int(4, &["step"], 1)? else {
        return call.any();
    };
    let place = known_axis(call.pass, axis, &shape)?;
    let Some((start, end)) = ends(call, &start, &end) else {
        return call.any();
    };
    let (start, length) = bounds(call.pass, shape.axes[place], start, end, step)?;
    let mut axes = shape.axes.to_vec();
    axes[place] = length;
    let result = shape.with_axes(axes);
    let content = super::super::slice::elements(call.pass, &tensor, &result, place, start, step);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

type Ends = (Option<Term>, Option<Term>);

/// Returns both ends of a slice, where they are integers or left out.
fn ends(call: &Call, start: &Value, end: &Value) -> Option<Ends> {
    let end_of = |value: &Value| {
        if *value == Value::None {
            Some(None)
        } else {
            call.term(value).map(Some)
        }
    };
    Some((end_of(start)?, end_of(end)?))
}

/// Computes one entry of an axis, which disappears.
///
/// Preconditions: the axis exists; the index lies in it. Size 0: no index does.
pub(super) fn select(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let index = call.given(2, &["index"])?;
    let place = known_axis(call.pass, axis, &shape)?;
    if let Some(index) = call.term(&index) {
        require_index(call, index, shape.axes[place])?;
    } else {
        let node = call.pass.node;
        call.pass
            .granted
            .insert(("the index lies in the axis".to_owned(), node));
    }
    call.single(without(&shape, place), &tensor)
}

fn without(shape: &Shape, place: usize) -> Shape {
    let mut axes = shape.axes.to_vec();
    axes.remove(place);
    let block = shape.block.map(|block| Block {
        at: block.at - usize::from(place < block.at),
        ..block
    });
    Shape {
        axes: axes.into(),
        block,
    }
}

fn require_index(call: &mut Call, index: Term, size: Term) -> Result<(), Stop> {
    let below = call.pass.terms.less(index, size);
    let from_end = call.pass.terms.add(index, size);
    let above = call.pass.terms.at_least(from_end, 0);
    let inside = call.pass.terms.all(&[below, above]);
    call.pass.require(inside, |terms| {
        format!(
            "the index {} lies outside of the size {}",
            terms.text(index),
            terms.text(size)
        )
    })
}

/// Computes an entry, or a part, of a list or a tensor.
pub(super) fn item(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (own, key) = (call.own()?, call.given(1, &["b", "index"])?);
    match (own, key) {
        (Value::List(list), key) => entry(call, &list, &key),
        (Value::Sizes(shape), key) => entry_of_block(call, &shape, &key),
        (Value::Tensor(tensor), Value::List(keys)) => indexed(call, &tensor, &keys),
        (Value::Tensor(tensor), key) => indexed(call, &tensor, &[key]),
        _ => call.any(),
    }
}

fn entry(call: &mut Call, list: &[Value], key: &Value) -> Result<Vec<Value>, Stop> {
    let length = Int::try_from(list.len()).unwrap_or(0);
    if let Value::Slice(parts) = key {
        let [start, end, step] = &**parts;
        let number = |value: &Value| {
            if *value == Value::None {
                Some(None)
            } else {
                call.number(value).map(Some)
            }
        };
        let (Some(start), Some(end), Some(step)) = (number(start), number(end), number(step))
        else {
            return call.any();
        };
        let step = step.unwrap_or(1);
        if step == 0 {
            return call.pass.refuse("the step of a slice is 0");
        }
        let (low, high) = if step > 0 {
            (0, length)
        } else {
            (-1, length - 1)
        };
        let place = |place: Option<Int>, default: Int| {
            place.map_or(default, |place| {
                (if place < 0 { place + length } else { place }).clamp(low, high)
            })
        };
        let (mut at, end) = if step > 0 {
            (place(start, 0), place(end, length))
        } else {
            (place(start, length - 1), place(end, -1))
        };
        let mut part = Vec::new();
        while if step > 0 { at < end } else { at > end } {
            part.extend(
                usize::try_from(at)
                    .ok()
                    .and_then(|at| list.get(at))
                    .cloned(),
            );
            at += step;
        }
        return Ok(vec![Value::List(part.into())]);
    }
    let Some(number) = call.number(key) else {
        return call.any();
    };
    let place = if number < 0 { number + length } else { number };
    match usize::try_from(place)
        .ok()
        .and_then(|place| list.get(place))
    {
        Some(value) => Ok(vec![value.clone()]),
        None => call.pass.refuse(format!(
            "the index {number} lies outside of a list of {length}"
        )),
    }
}

/// Computes an entry, or all but the last entries, of the sizes of a tensor with a block.
fn entry_of_block(call: &mut Call, shape: &Shape, key: &Value) -> Result<Vec<Value>, Stop> {
    if let Some(number) = call.number(key) {
        let place = known_axis(call.pass, number, shape)?;
        return Ok(vec![Value::Integer(shape.axes[place])]);
    }
    if let Value::Slice(parts) = key
        && let [Value::None, end, Value::None] = &**parts
        && let Some(end) = call.number(end)
    {
        let block = shape.block.map_or(0, |block| block.at);
        let after = shape.axes.len() - block;
        if end < 0 && usize::try_from(-end).is_ok_and(|count| count <= after) {
            let kept = shape.axes.len() - usize::try_from(-end).unwrap_or(0);
            return Ok(vec![Value::Sizes(
                shape.with_axes(shape.axes[..kept].to_vec()),
            )]);
        }
        if let Some(end) = usize::try_from(end).ok().filter(|end| *end <= block) {
            return Ok(vec![Value::List(
                shape.axes[..end]
                    .iter()
                    .map(|size| Value::Integer(*size))
                    .collect(),
            )]);
        }
    }
    Err(Limit::Ranks.into())
}

/// Computes a tensor at keys: slices, integers, new axes, an ellipsis, tensors of indices.
///
/// Preconditions: not more keys than axes; integers lie in their axes; tensors of indices are broadcast together. Size
/// 0: slices are empty.
fn indexed(call: &mut Call, tensor: &Tensor, keys: &[Value]) -> Result<Vec<Value>, Stop> {
    let Some(shape) = tensor.shape.clone() else {
        return call.any();
    };
    let used = keys
        .iter()
        .filter(|key| !matches!(key, Value::None | Value::Ellipsis))
        .count();
    let is_mask = |key: &Value| matches!(key, Value::Tensor(tensor) if tensor.element == Some(ElementType::Bool) || tensor.element == Some(ElementType::Uint8));
    if keys
        .iter()
        .any(|key| is_mask(key) || matches!(key, Value::Any | Value::Other | Value::List(_)))
    {
        return call.any();
    }
    // With a block only the axes before it can be named from the left; the rest stays.
    let known = shape.block.map_or(shape.axes.len(), |block| block.at);
    if used > known || shape.block.is_some() && keys.contains(&Value::Ellipsis) {
        if shape.block.is_some() {
            let front = if used > known { used } else { 0 };
            return Err(call.pass.inputs.want(&shape, front, 0).into());
        }
        return call
            .pass
            .refuse(format!("{used} indices are given for {known} axes"));
    }
    let mut axes: Vec<Term> = Vec::new();
    let mut place = 0;
    let mut picked: Vec<Shape> = Vec::new();
    let mut picked_at: Vec<usize> = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        match key {
            Value::None => axes.push(call.pass.terms.number(1)),
            Value::Ellipsis => {
                let after = keys[at + 1..]
                    .iter()
                    .filter(|key| !matches!(key, Value::None | Value::Ellipsis))
                    .count();
                let end = shape.axes.len() - after;
                axes.extend(&shape.axes[place..end.max(place)]);
                place = end.max(place);
            }
            Value::Slice(parts) => {
                let [start, end, step] = &**parts;
                let step = if *step == Value::None {
                    Some(1)
                } else {
                    call.number(step)
                };
                let (Some((start, end)), Some(step)) = (ends(call, start, end), step) else {
                    return call.any();
                };
                if step < 1 {
                    return call
                        .pass
                        .refuse("the step of a slice of a tensor is positive");
                }
                axes.push(bounds(call.pass, shape.axes[place], start, end, step)?.1);
                place += 1;
            }
            Value::Tensor(indices)
                if indices
                    .shape
                    .as_ref()
                    .is_some_and(|shape| !shape.axes.is_empty()) =>
            {
                picking::require_indices(call.pass, indices, shape.axes[place], true)?;
                picked.extend(indices.shape.clone());
                picked_at.push(axes.len());
                place += 1;
            }
            key => {
                match call.term(key) {
                    Some(index) => require_index(call, index, shape.axes[place])?,
                    None => {
                        let node = call.pass.node;
                        call.pass
                            .granted
                            .insert(("the index lies in the axis".to_owned(), node));
                    }
                }
                place += 1;
            }
        }
    }
    let front = axes.len();
    axes.extend(&shape.axes[place..]);
    if !picked.is_empty() {
        let together = pointwise::shapes_together(call.pass, &picked)?;
        let is_adjacent = picked_at.iter().all(|at| *at == picked_at[0]);
        let at = if is_adjacent { picked_at[0] } else { 0 };
        axes.splice(at..at, together.axes.iter().copied());
    }
    let block = shape.block.map(|block| Block {
        at: front + (block.at - place),
        ..block
    });
    let result = Shape {
        axes: axes.into(),
        block,
    };
    let content = match &tensor.content {
        Content::Numbers(_) if keys.len() == 1 && shape.axes.len() == 1 => {
            sliced_content(call, tensor, &shape, &keys[0])?
        }
        _ => Content::Unknown,
    };
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

fn sliced_content(
    call: &mut Call,
    tensor: &Tensor,
    shape: &Shape,
    key: &Value,
) -> Result<Content, Stop> {
    if let Value::Slice(parts) = key {
        let [start, end, step] = &**parts;
        let step = if *step == Value::None {
            1
        } else {
            call.number(step).unwrap_or(1)
        };
        if let Some((start, end)) = ends(call, start, end) {
            let (start, length) = bounds(call.pass, shape.axes[0], start, end, step)?;
            return Ok(super::super::slice::elements(
                call.pass,
                tensor,
                &Shape::new([length]),
                0,
                start,
                step,
            ));
        }
    }
    if let (Some(number), Content::Numbers(numbers)) = (call.number(key), &tensor.content) {
        let length = Int::try_from(numbers.len()).unwrap_or(0);
        let place = usize::try_from(if number < 0 { number + length } else { number })
            .unwrap_or(usize::MAX);
        if let Some(number) = numbers.get(place) {
            return Ok(Content::Numbers([*number].into()));
        }
    }
    Ok(Content::Unknown)
}

/// Computes the operator of ATen for tensors of indices, with `None` for the axes between.
pub(super) fn index(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.own_tensor()? else {
        return call.any();
    };
    let Value::List(keys) = call.given(1, &["indices"])? else {
        return call.any();
    };
    let all = Value::Slice([Value::None, Value::None, Value::None].into());
    let keys: Vec<Value> = keys
        .iter()
        .map(|key| {
            if *key == Value::None {
                all.clone()
            } else {
                key.clone()
            }
        })
        .collect();
    indexed(call, &tensor, &keys)
}

/// Entries of one axis.
///
/// Preconditions: the axis exists; the indices have rank 0 or 1 and lie in it. Size 0: no index, no entry.
pub(super) fn index_select(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let Value::Tensor(indices) = call.given(2, &["index"])? else {
        return call.any();
    };
    let Some(index) = &indices.shape else {
        return call.any();
    };
    super::super::require_rank(call.pass, index, &[0, 1], "the list of indices")?;
    if shape.block.is_none() && shape.axes.is_empty() {
        super::super::axis_of(call.pass, axis, 1)?;
        if let Some(count) = index.axes.first() {
            let is_one = call.pass.terms.is(*count, 1);
            call.pass
                .require(is_one, |_| "a number has one entry".to_owned())?;
        }
        return call.single(shape, &tensor);
    }
    let place = known_axis(call.pass, axis, &shape)?;
    picking::require_indices(call.pass, &indices, shape.axes[place], false)?;
    let mut axes = shape.axes.to_vec();
    axes[place] = match index.axes.first() {
        Some(count) => *count,
        None => call.pass.terms.number(1),
    };
    call.single(shape.with_axes(axes), &tensor)
}

/// Computes one element for each index.
///
/// Preconditions: equal ranks; the indices are not longer but along the axis. Size 0: no index, no element.
pub(super) fn gather(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let Some(axis) = call.given_int(1, &["dim"], 0)? else {
        return call.any();
    };
    let Value::Tensor(indices) = call.given(2, &["index"])? else {
        return call.any();
    };
    let Some(index) = indices.shape.clone() else {
        return call.any();
    };
    let (rank, index_rank) = (rank_of(&shape)?, rank_of(&index)?);
    if rank.max(1) != index_rank.max(1) {
        // Of indices without elements only the shape is used.
        let count = super::super::count(call.pass.terms, &index);
        let is_nothing = call.pass.terms.is(count, 0);
        call.pass.require(is_nothing, |_| {
            "data and indices have different ranks".to_owned()
        })?;
        return call.single(index, &tensor);
    }
    if rank == 0 || index_rank == 0 {
        super::super::axis_of(call.pass, axis, 1)?;
        return call.single(index, &tensor);
    }
    let place = known_axis(call.pass, axis, &shape)?;
    for at in 0..shape.axes.len() {
        if at != place {
            let fits = call.pass.terms.at_most(index.axes[at], shape.axes[at]);
            call.pass.require(fits, |_| {
                format!("there are more indices along axis {at} than data")
            })?;
        }
    }
    picking::require_indices(call.pass, &indices, shape.axes[place], false)?;
    call.single(index, &tensor)
}

pub(super) fn top_k(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    let k = call.given(1, &["k"])?;
    let (Some(k), Some(axis)) = (call.term(&k), call.given_int(2, &["dim"], -1)?) else {
        return call.any();
    };
    if shape.block.is_none() && shape.axes.is_empty() {
        super::super::axis_of(call.pass, axis, 1)?;
        let one = call.pass.terms.number(1);
        let fits = call.pass.terms.at_most(k, one);
        call.pass
            .require(fits, |_| "a number has one entry".to_owned())?;
        return Ok(both(shape, &tensor));
    }
    let place = known_axis(call.pass, axis, &shape)?;
    let fits = call.pass.terms.at_most(k, shape.axes[place]);
    call.pass.require(fits, |_| {
        "more entries are wanted than there are".to_owned()
    })?;
    let mut axes = shape.axes.to_vec();
    axes[place] = k;
    let shape = shape.with_axes(axes);
    Ok(both(shape, &tensor))
}

pub(super) fn sort(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some((tensor, shape)) = call.own_shape()? else {
        return call.any();
    };
    Ok(both(shape, &tensor))
}

/// Values and their places, as a pair where the front end has one output.
pub(super) fn both(shape: Shape, tensor: &Tensor) -> Vec<Value> {
    let values = Value::tensor(shape.clone(), tensor.element);
    let places = Value::tensor(shape, Some(ElementType::Int64));
    vec![Value::List([values, places].into())]
}
