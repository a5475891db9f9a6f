//! Sequences of ONNX: lists of tensors, and tensors that may be missing.
//!
//! A sequence whose length is a number is a list of its tensors. A tensor that is cut along an axis of open size gives
//! as many pieces as that size says, of one shape but for the last. A sequence that comes into a model is not followed.

use crate::limit::MAX_RANK;
use crate::pass::{MAX_TRIPS, Pass};
use crate::shape_functions::{
    Call, Stop, axis_of, control, known_axis, parts, rank_of, require_equal, require_rank, unknown,
};
use crate::term::{Int, Term};
use crate::value::{Content, Pieces, Ratio, Shape, Tensor, Value};
use lozenge_graph_vocabulary::{Argument, ElementType};
use std::sync::Arc;

/// Computes `SequenceConstruct`: the tensors in order.
///
/// Preconditions: none on shapes. Size 0: kept.
pub(super) fn constructed(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let tensors = std::mem::take(&mut call.arguments);
    Ok(vec![call.pass.sequence(tensors)])
}

/// Computes `SequenceEmpty`.
pub(super) fn empty(_: &mut Call) -> Result<Vec<Value>, Stop> {
    Ok(vec![Value::List(Arc::from([]))])
}

/// Computes `SequenceLength`.
pub(super) fn length(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let length = match call.at(0) {
        Value::List(list) => call.terms().number(int(list.len())),
        Value::Pieces(pieces) => pieces.length,
        _ => return call.any(),
    };
    Ok(vec![Value::scalar(length)])
}

/// Computes `SequenceInsert`: the tensor at a place from `-n` to `n`, at the end without one.
///
/// Preconditions: the place exists. Where it is not known, nothing is known of the result.
pub(super) fn inserted(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Value::List(list) = call.at(0) else {
        return call.any();
    };
    let (mut list, tensor) = (list.to_vec(), call.at(1));
    let end = int(list.len());
    let place = match call.has(2) {
        true => match call.numbers(2).as_deref() {
            Some([place]) if *place < 0 => place.saturating_add(end),
            Some([place]) => *place,
            _ => return call.any(),
        },
        false => end,
    };
    if list.len() >= MAX_RANK {
        return call.any();
    }
    match usize::try_from(place) {
        Ok(place) if place <= list.len() => list.insert(place, tensor),
        _ => return call.pass.refuse(missing(place, list.len())),
    }
    Ok(vec![call.pass.sequence(list)])
}

/// Computes `SequenceErase`: the sequence without the tensor at a place, without the last one where none is given.
///
/// Preconditions: the place exists.
pub(super) fn erased(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Value::List(list) = call.at(0) else {
        return call.any();
    };
    let mut list = list.to_vec();
    let place = match call.has(1) {
        true => match call.numbers(1).as_deref() {
            Some([place]) => *place,
            _ => return call.any(),
        },
        false => -1,
    };
    let at = place_in(call.pass, place, list.len())?;
    list.remove(at);
    Ok(vec![call.pass.sequence(list)])
}

/// Computes `SequenceAt`: the tensor at a place, which may be counted from the end.
///
/// Preconditions: the place exists. Where the place is not known, the tensors have to be of one shape, or else nothing
/// is known of the result.
pub(super) fn element(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let place = match call.integers(1).as_deref() {
        Some([place]) => Some(*place),
        _ => None,
    };
    match call.at(0) {
        Value::List(list) => match place {
            Some(place) if list.len() <= MAX_RANK => {
                let known = call.terms().as_number(place);
                let place = match known {
                    Some(place) => place,
                    None => call.axis_among(place, int(list.len()))?,
                };
                let at = place_in(call.pass, place, list.len())?;
                Ok(vec![list[at].clone()])
            }
            _ => some_of(call, &list),
        },
        Value::Pieces(pieces) => piece(call, &pieces, place),
        _ => call.any(),
    }
}

/// Returns one of several values of one shape, at a place that data decide.
fn some_of(call: &mut Call, list: &[Value]) -> Result<Vec<Value>, Stop> {
    let Some(first) = list.first() else {
        return call.pass.refuse("the sequence has no tensor");
    };
    let alike = match first {
        Value::Tensor(first) => list.iter().all(|other| match other {
            Value::Tensor(other) => other.shape == first.shape,
            _ => false,
        }),
        _ => false,
    };
    call.pass.grant("the place exists in the sequence");
    match first {
        Value::Tensor(tensor) if alike => Ok(vec![unknown(tensor.clone())]),
        _ => call.any(),
    }
}

/// Returns a piece of a tensor that was cut.
fn piece(call: &mut Call, pieces: &Pieces, place: Option<Term>) -> Result<Vec<Value>, Stop> {
    let known = place.and_then(|place| call.pass.terms.as_number(place));
    let Some(place) = known else {
        let is_some = call.terms().at_least(pieces.length, 1);
        call.pass
            .require(is_some, |_| "the sequence has no tensor".to_owned())?;
        call.pass.grant("the place exists in the sequence");
        return match pieces.cut {
            None => Ok(vec![Value::tensor(pieces.each.clone(), pieces.element)]),
            Some(_) => call.any(),
        };
    };
    let least = match place < 0 {
        true => place.saturating_neg(),
        false => place.saturating_add(1),
    };
    let exists = call.terms().at_least(pieces.length, least);
    call.pass.require(exists, |terms| {
        let length = terms.text(pieces.length);
        format!("place {place} does not exist in a sequence of {length}")
    })?;
    let mut axes = pieces.each.axes.to_vec();
    if let Some((axis, total)) = pieces.cut {
        let terms = call.terms();
        let each = axes[axis];
        let number = terms.number(place);
        let at = match place < 0 {
            true => terms.add(pieces.length, number),
            false => number,
        };
        let before = terms.multiply(at, each);
        let rest = terms.subtract(total, before);
        axes[axis] = terms.min(each, rest);
    }
    let shape = pieces.each.with_axes(axes);
    Ok(vec![Value::tensor(shape, pieces.element)])
}

/// Computes `SplitToSequence`: an axis cut into pieces of one size of which the last may be smaller, of given sizes, or
/// of size 1, whose axis then is left out unless `keepdims`.
///
/// Preconditions: the axis exists; one size is at least 1, as onnxruntime has it; several add up to the axis. Size 0:
/// an axis of size 0 gives no piece.
pub(super) fn split(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let place = known_axis(call.pass, call.int_or("axis", 0), &shape)?;
    let size = shape.axes[place];
    if !call.has(1) {
        let one = call.terms().number(1);
        let keeps = call.int_or("keepdims", 1) != 0;
        return Ok(vec![equal_pieces(
            call,
            (&tensor, &shape),
            place,
            one,
            keeps,
        )]);
    }
    let (Some(sizes), Some(given)) = (call.integers(1), call.shape(1)) else {
        return call.any();
    };
    if rank_of(&given)? == 0 {
        let each = sizes[0];
        let is_some = call.terms().at_least(each, 1);
        call.pass.require(is_some, |terms| {
            format!("an axis is cut into pieces of {}", terms.text(each))
        })?;
        return Ok(vec![equal_pieces(
            call,
            (&tensor, &shape),
            place,
            each,
            true,
        )]);
    }
    require_rank(call.pass, &given, &[1], "the list of sizes")?;
    let mut sum = call.terms().number(0);
    for part in &sizes {
        let is_natural = call.terms().at_least(*part, 0);
        call.pass.require(is_natural, |terms| {
            format!("a piece has the size {}", terms.text(*part))
        })?;
        sum = call.terms().add(sum, *part);
    }
    require_equal(call.pass, sum, size, "the pieces do not add up to the axis")?;
    let pieces = parts::cut(call.pass.terms, &tensor, &shape, place, sizes);
    Ok(vec![call.pass.sequence(pieces)])
}

/// Returns the pieces of an axis of one size, of which the last may be smaller.
fn equal_pieces(
    call: &mut Call,
    (tensor, shape): (&Tensor, &Shape),
    place: usize,
    each: Term,
    keeps: bool,
) -> Value {
    let size = shape.axes[place];
    let Some(step) = call.terms().as_number(each) else {
        return call.pass.not_followed();
    };
    let length = call.terms().ceil_divide(size, step);
    let known = call.terms().as_number(length);
    let known = known.and_then(|length| usize::try_from(length).ok());
    let left_out = |shape: &Shape| {
        let mut axes = shape.axes.to_vec();
        axes.remove(place);
        let block = shape.block.map(|mut block| {
            block.at -= usize::from(place < block.at);
            block
        });
        Shape {
            axes: axes.into(),
            block,
        }
    };
    if let Some(length) = known.filter(|length| *length <= MAX_RANK) {
        let mut sizes = vec![each; length.saturating_sub(1)];
        if length > 0 {
            let before = call.terms().number(step.saturating_mul(int(length - 1)));
            sizes.push(call.terms().subtract(size, before));
        }
        let mut pieces = parts::cut(call.pass.terms, tensor, shape, place, sizes);
        for piece in &mut pieces {
            if let (false, Value::Tensor(piece)) = (keeps, piece) {
                piece.shape = piece.shape.as_ref().map(left_out);
            }
        }
        return call.pass.sequence(pieces);
    }
    let mut axes = shape.axes.to_vec();
    axes[place] = each;
    let whole = shape.with_axes(axes);
    Value::Pieces(Arc::new(Pieces {
        length,
        each: if keeps { whole } else { left_out(&whole) },
        element: tensor.element,
        cut: (step > 1).then_some((place, size)),
    }))
}

/// Computes `ConcatFromSequence`: the tensors joined along an axis, or beside each other along a new one.
///
/// Preconditions: there is a tensor; those of `Concat`, or all have one shape. Size 0: adds nothing.
pub(super) fn joined(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (axis, is_new) = (call.int_or("axis", 0), call.int_or("new_axis", 0) != 0);
    match call.at(0) {
        Value::List(list) => joined_list(call, &list, axis, is_new),
        Value::Pieces(pieces) => joined_pieces(call, &pieces, axis, is_new),
        _ => call.any(),
    }
}

fn joined_list(
    call: &mut Call,
    list: &[Value],
    axis: Int,
    is_new: bool,
) -> Result<Vec<Value>, Stop> {
    let mut tensors = Vec::new();
    for value in list {
        let Value::Tensor(Tensor {
            shape: Some(shape),
            element,
            content,
        }) = value
        else {
            return call.any();
        };
        let mut tensor = Tensor {
            shape: Some(shape.clone()),
            element: *element,
            content: content.clone(),
        };
        if is_new {
            let mut axes = shape.axes.to_vec();
            let place = axis_of(call.pass, axis, rank_of(shape)? + 1)?;
            axes.insert(place, call.terms().number(1));
            tensor.shape = Some(call.pass.shape(axes)?);
        }
        tensors.push(tensor);
    }
    let shapes = tensors.iter().filter_map(|tensor| tensor.shape.clone());
    let shapes: Vec<Shape> = shapes.collect();
    let shape = parts::join(call.pass, &shapes, axis)?;
    let place = known_axis(call.pass, axis, &shape)?;
    let content = parts::joined_content(call.pass.terms, &tensors, &shape, place);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(shape),
        element: tensors[0].element,
        content,
    })])
}

fn joined_pieces(
    call: &mut Call,
    pieces: &Pieces,
    axis: Int,
    is_new: bool,
) -> Result<Vec<Value>, Stop> {
    let is_some = call.terms().at_least(pieces.length, 1);
    call.pass
        .require(is_some, |_| "there is nothing to join".to_owned())?;
    let rank = rank_of(&pieces.each)?;
    let place = axis_of(call.pass, axis, rank + usize::from(is_new))?;
    let mut axes = pieces.each.axes.to_vec();
    match pieces.cut {
        Some((cut, total)) if cut == place && !is_new => axes[place] = total,
        cut => {
            if let Some((cut, total)) = cut {
                axes[cut] = whole_pieces(call, pieces, axes[cut], total)?;
            }
            match is_new {
                true => axes.insert(place, pieces.length),
                false => axes[place] = call.terms().multiply(axes[place], pieces.length),
            }
        }
    }
    let shape = call.pass.shape(axes)?;
    Ok(vec![Value::tensor(shape, pieces.element)])
}

/// Demands that no piece is shorter than the others, and returns the size of each.
fn whole_pieces(call: &mut Call, pieces: &Pieces, each: Term, total: Term) -> Result<Term, Stop> {
    let terms = call.terms();
    let all = terms.multiply(pieces.length, each);
    let two = terms.number(2);
    let fits = [terms.equal(all, total), terms.less(pieces.length, two)];
    let fits = terms.any(&fits);
    call.pass.require(fits, |terms| {
        format!(
            "the last of the pieces of {} that the size {} is cut into is shorter",
            terms.text(each),
            terms.text(total)
        )
    })?;
    Ok(call.terms().min(each, total))
}

/// Computes `SequenceMap`: the body on each tensor of the first sequence, together with those of the others at the same
/// place, and with the tensors beside them.
///
/// Preconditions: the sequences have one length, and those of the body on each. Size 0: no sequence is followed into.
pub(super) fn mapped(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(Argument::Body(body)), Value::List(first)) =
        (call.node.attribute("body"), call.at(0))
    else {
        return call.any();
    };
    let (body, length) = (*body, first.len());
    if int(length) > MAX_TRIPS {
        return call.any();
    }
    let outputs = call.pass.graph[body].outputs.len();
    let mut results: Vec<Vec<Value>> = vec![Vec::new(); outputs];
    for at in 0..length {
        let mut inputs = Vec::new();
        for argument in &call.arguments {
            inputs.push(match argument {
                Value::List(list) => match list.get(at) {
                    Some(value) if list.len() == length => value.clone(),
                    _ => {
                        let words = format!(
                            "sequences of {length} and of {} are followed together",
                            list.len()
                        );
                        return call.pass.refuse(words);
                    }
                },
                Value::Pieces(_) => call.pass.not_followed(),
                value => value.clone(),
            });
        }
        control::enter(call.pass, body, inputs);
        let each = call.pass.body(body, call.level + 1)?;
        for (list, value) in results.iter_mut().zip(each) {
            list.push(value);
        }
    }
    let lists = results.into_iter();
    Ok(lists.map(|list| call.pass.sequence(list)).collect())
}

/// Computes `Optional`: the value, or none.
pub(super) fn optional(call: &mut Call) -> Result<Vec<Value>, Stop> {
    Ok(vec![call.at(0)])
}

/// Computes `OptionalHasElement`: true for a tensor or a sequence that is there.
pub(super) fn has_element(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let known = match call.at(0) {
        Value::None => Some(0),
        Value::Tensor(_) | Value::List(_) | Value::Pieces(_) => Some(1),
        _ => None,
    };
    let mut truth = Tensor::new(Shape::new([]), Some(ElementType::Bool));
    if let Some(known) = known {
        let term = call.terms().number(known);
        truth.content = Content::Numbers(Arc::from([Ratio { term, over: 1 }]));
    }
    Ok(vec![Value::Tensor(truth)])
}

/// Computes `OptionalGetElement`.
///
/// Preconditions: the value is there. Versions: since 18 a tensor or a sequence may stand for itself.
pub(super) fn taken(call: &mut Call) -> Result<Vec<Value>, Stop> {
    match call.at(0) {
        Value::None => call.pass.refuse("there is no element"),
        value @ (Value::Tensor(_) | Value::List(_) | Value::Pieces(_)) => Ok(vec![value]),
        _ => call.any(),
    }
}

/// Returns the place of a tensor in a sequence, counted from the end if it is negative.
fn place_in(pass: &Pass, place: Int, length: usize) -> Result<usize, Stop> {
    let counted = match place < 0 {
        true => place.saturating_add(int(length)),
        false => place,
    };
    match usize::try_from(counted) {
        Ok(at) if at < length => Ok(at),
        _ => pass.refuse(missing(place, length)),
    }
}

fn missing(place: Int, length: usize) -> String {
    format!("place {place} does not exist in a sequence of {length}")
}

fn int(number: usize) -> Int {
    Int::try_from(number).unwrap_or(Int::MAX)
}
