//! Operators that arrange elements anew: reshapes, permutations, joins and cuts.

use super::{Call, Stop, axis_of, count, known_axis, rank_of, require_equal, rows};
use crate::limit::Limit;
use crate::pass::Pass;
use crate::term::{Int, Term, Terms};
use crate::value::{Block, Content, Shape, Tensor, Value};

/// The meaning of a size 0 in the target of a reshape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// The size of the input at the same place.
    Copies,
    /// 0.
    IsZero,
}

/// Returns the shape after a reshape.
///
/// Preconditions: at most one -1; the products are equal; with -1 the product of the others is not 0 and divides. Size
/// 0: without -1 the products decide; with -1 and another size 0 there is no answer. Versions: the target became an
/// input of ONNX at 5; since 14 `allowzero` says that 0 means 0.
pub(super) fn reshape(
    pass: &mut Pass,
    shape: &Shape,
    target: &[Term],
    zero: Zero,
) -> Result<Shape, Stop> {
    let mut axes = Vec::with_capacity(target.len());
    let mut unknown = None;
    for (at, size) in target.iter().enumerate() {
        let low = pass.terms.bounds(*size).low;
        let can_be_negative = low.is_none_or(|low| low < 0);
        let is_minus_one = can_be_negative && {
            let formula = pass.terms.is(*size, -1);
            pass.decide(formula)?
        };
        if is_minus_one {
            if unknown.replace(at).is_some() {
                return pass.refuse("two sizes of the target are -1");
            }
            axes.push(*size);
            continue;
        }
        if can_be_negative {
            let is_natural = pass.terms.at_least(*size, 0);
            let size = *size;
            pass.require(is_natural, |terms| {
                format!("the size {} of the target is negative", terms.text(size))
            })?;
        }
        let is_zero = zero == Zero::Copies && low.is_none_or(|low| low < 1) && {
            let formula = pass.terms.is(*size, 0);
            pass.decide(formula)?
        };
        if !is_zero {
            axes.push(*size);
        } else if at < rank_of(shape)? {
            axes.push(shape.axes[at]);
        } else {
            return pass.refuse(format!(
                "the target takes over axis {at}, which the input does not have"
            ));
        }
    }
    let total = count(pass.terms, shape);
    let Some(unknown) = unknown else {
        let product = pass.terms.product(&axes);
        require_equal(
            pass,
            total,
            product,
            "the numbers of elements before and after differ",
        )?;
        return pass.shape(axes);
    };
    let others: Vec<Term> = axes
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != unknown)
        .map(|(_, size)| *size)
        .collect();
    let known = pass.terms.product(&others);
    axes[unknown] = exact_quotient(pass, total, known)?;
    pass.shape(axes)
}

/// Returns the quotient of two numbers of elements, which leaves no remainder.
fn exact_quotient(pass: &mut Pass, total: Term, known: Term) -> Result<Term, Stop> {
    let is_some = pass.terms.at_least(known, 1);
    pass.require(is_some, |_| {
        "with a size 0 the size -1 has no value".to_owned()
    })?;
    let words = |terms: &Terms| {
        format!(
            "{} elements are not a multiple of {}",
            terms.text(total),
            terms.text(known)
        )
    };
    if let Some(number) = pass.terms.as_number(known) {
        if number < 1 {
            return pass.refuse("with a size 0 the size -1 has no value");
        }
        let divides = pass.terms.divides(number, total);
        pass.require(divides, words)?;
        return Ok(pass.terms.floor_divide(total, number));
    }
    let quotient = pass.terms.divide(total, known);
    let back = pass.terms.multiply(quotient, known);
    let exact = pass.terms.equal(back, total);
    pass.require(exact, words)?;
    Ok(quotient)
}

pub(super) fn onnx_reshape(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let target = match call.has(1) {
        true => call.integers(1),
        false => call.ints("shape").map(|sizes| {
            sizes
                .into_iter()
                .map(|size| call.pass.terms.number(size))
                .collect()
        }),
    };
    let Some(target) = target else {
        return call.any();
    };
    let zero = if call.int_or("allowzero", 0) != 0 {
        Zero::IsZero
    } else {
        Zero::Copies
    };
    let shape = reshape(call.pass, &shape, &target, zero)?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

/// Returns the tensor in another shape with the same elements in the order of rows.
pub(super) fn with_content(terms: &Terms, shape: Shape, tensor: &Tensor) -> Value {
    let content = match &tensor.content {
        Content::Numbers(numbers)
            if rows::sizes(terms, &shape)
                .is_some_and(|sizes| sizes.iter().product::<usize>() == numbers.len()) =>
        {
            Content::Numbers(numbers.clone())
        }
        Content::Range(low, high) => Content::Range(*low, *high),
        _ => Content::Unknown,
    };
    Value::Tensor(Tensor {
        shape: Some(shape),
        element: tensor.element,
        content,
    })
}

/// Computes `Flatten` of ONNX: a matrix, cut at an axis.
///
/// Preconditions: the axis lies in -rank..=rank. Size 0: kept in the products. Versions: negative axes since 11.
pub(super) fn onnx_flatten(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let axis = call.int_or("axis", 1);
    let at = if Int::try_from(rank).is_ok_and(|rank| rank == axis) {
        rank
    } else {
        axis_of(call.pass, axis, rank)?
    };
    let axes = vec![
        call.terms().product(&shape.axes[..at]),
        call.terms().product(&shape.axes[at..]),
    ];
    let shape = call.pass.shape(axes)?;
    call.one(shape, &tensor)
}

/// Flattens axes of PyTorch from one to another.
///
/// Preconditions: the axes exist in this order; a tensor of rank 0 becomes one of a single element. Size 0: kept in the
/// product.
pub(super) fn flatten(pass: &mut Pass, shape: &Shape, start: Int, end: Int) -> Result<Shape, Stop> {
    if let Some(block) = shape.block {
        let (first, last) = (
            known_axis(pass, start, shape)?,
            known_axis(pass, end, shape)?,
        );
        if first < block.at && block.at <= last {
            let inner = pass.terms.product(&shape.axes[first..=last]);
            let product = pass.terms.multiply(inner, block.product);
            let mut axes = shape.axes[..first].to_vec();
            axes.push(product);
            axes.extend(&shape.axes[last + 1..]);
            return pass.shape(axes);
        }
        return Err(Limit::Ranks.into());
    }
    let rank = shape.axes.len().max(1);
    let (first, last) = (axis_of(pass, start, rank)?, axis_of(pass, end, rank)?);
    if first > last {
        return pass.refuse(format!("axis {start} comes after axis {end}"));
    }
    if shape.axes.is_empty() {
        let one = pass.terms.number(1);
        return pass.shape(vec![one]);
    }
    let mut axes = shape.axes[..first].to_vec();
    axes.push(pass.terms.product(&shape.axes[first..=last]));
    axes.extend(&shape.axes[last + 1..]);
    pass.shape(axes)
}

/// Returns the shape after a permutation of the axes.
///
/// Preconditions: each axis is named once. Size 0: kept.
pub(super) fn permute(pass: &mut Pass, shape: &Shape, order: &[Int]) -> Result<Shape, Stop> {
    if let Some(block) = shape.block {
        // As many axes are one of the large ranks, which is told apart from the others then.
        if let Some(more) = order.len().checked_sub(shape.axes.len() + 1) {
            return Err(pass.inputs.want(shape, block.at + more + 1, 0).into());
        }
        return pass.refuse(format!(
            "{} axes are permuted of {} or more",
            order.len(),
            shape.axes.len() + 1
        ));
    }
    let rank = shape.axes.len();
    if order.len() != rank {
        return pass.refuse(format!("{} axes are permuted of {rank}", order.len()));
    }
    let mut axes = Vec::with_capacity(rank);
    let mut seen = vec![false; rank];
    for axis in order {
        let place = axis_of(pass, *axis, rank)?;
        if std::mem::replace(&mut seen[place], true) {
            return pass.refuse(format!("axis {axis} is named twice"));
        }
        axes.push(shape.axes[place]);
    }
    pass.shape(axes)
}

pub(super) fn onnx_transpose(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let order = call.ints("perm").unwrap_or_else(|| {
        (0..rank)
            .rev()
            .map(|axis| Int::try_from(axis).unwrap_or(0))
            .collect()
    });
    let result = permute(call.pass, &shape, &order)?;
    let places: Vec<usize> = order
        .iter()
        .filter_map(|axis| axis_of(call.pass, *axis, rank).ok())
        .collect();
    let content = rows::rearranged(call.pass.terms, &tensor, &result, |index| {
        let mut from = vec![0; index.len()];
        places
            .iter()
            .zip(index)
            .for_each(|(place, at)| from[*place] = *at);
        Some(from)
    });
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

/// Returns the shape with two axes exchanged.
///
/// Preconditions: both exist; at rank 0 the axes 0 and -1 do. Size 0: kept.
pub(super) fn exchange(
    pass: &mut Pass,
    shape: &Shape,
    one: Int,
    other: Int,
) -> Result<Shape, Stop> {
    if shape.block.is_none() && shape.axes.is_empty() {
        axis_of(pass, one, 1)?;
        axis_of(pass, other, 1)?;
        return Ok(shape.clone());
    }
    let (one, other) = (
        known_axis(pass, one, shape)?,
        known_axis(pass, other, shape)?,
    );
    let mut axes = shape.axes.to_vec();
    axes.swap(one, other);
    Ok(shape.with_axes(axes))
}

/// Axes of size 1 left out.
///
/// Preconditions of ONNX: the named axes have size 1. PyTorch leaves others as they are. Without names all axes of size
/// 1 are left out. Size 0: kept. Versions: the axes became an input at 13.
pub(super) fn squeeze(
    pass: &mut Pass,
    shape: &Shape,
    axes: Option<&[Int]>,
    is_strict: bool,
) -> Result<Shape, Stop> {
    let mut is_dropped = vec![false; shape.axes.len()];
    match axes {
        Some(axes) => {
            for axis in axes {
                let at_rank_0 = !is_strict && shape.axes.is_empty() && shape.block.is_none();
                if at_rank_0 {
                    axis_of(pass, *axis, 1)?;
                    continue;
                }
                let place = known_axis(pass, *axis, shape)?;
                let size = shape.axes[place];
                let is_one = pass.terms.is(size, 1);
                if is_strict {
                    pass.require(is_one, |terms| {
                        format!(
                            "axis {axis} of size {} is left out, which is for size 1",
                            terms.text(size)
                        )
                    })?;
                    is_dropped[place] = true;
                } else {
                    is_dropped[place] = pass.decide(is_one)?;
                }
            }
        }
        None => {
            rank_of(shape)?;
            for (place, size) in shape.axes.iter().enumerate() {
                let is_one = pass.terms.is(*size, 1);
                is_dropped[place] = pass.decide(is_one)?;
            }
        }
    }
    let kept: Vec<Term> = shape
        .axes
        .iter()
        .zip(&is_dropped)
        .filter(|(_, dropped)| !**dropped)
        .map(|(size, _)| *size)
        .collect();
    let block = shape.block.map(|block| Block {
        at: block.at
            - is_dropped[..block.at]
                .iter()
                .filter(|dropped| **dropped)
                .count(),
        ..block
    });
    Ok(Shape {
        axes: kept.into(),
        block,
    })
}

pub(super) fn onnx_squeeze(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let is_given = call.has(1) || call.node.attribute("axes").is_some();
    let axes = call.ints_at(1, "axes");
    if is_given && axes.is_none() {
        return call.any();
    }
    let shape = squeeze(call.pass, &shape, axes.as_deref(), true)?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

/// Returns the shape with new axes of size 1, at places in the result.
///
/// Preconditions: the places exist in the result, each once. Size 0: kept. Versions: the axes became an input at 13.
pub(super) fn unsqueeze(pass: &mut Pass, shape: &Shape, axes: &[Int]) -> Result<Shape, Stop> {
    let one = pass.terms.number(1);
    if let (Some(block), [axis]) = (shape.block, axes) {
        let after = Int::try_from(shape.axes.len() - block.at).unwrap_or(0);
        let mut sizes = shape.axes.to_vec();
        let before = Int::try_from(block.at).unwrap_or(0);
        if (0..=before).contains(axis) {
            sizes.insert(usize::try_from(*axis).unwrap_or(0), one);
            return Ok(Shape {
                axes: sizes.into(),
                block: Some(Block {
                    at: block.at + 1,
                    ..block
                }),
            });
        }
        if (-after - 1..0).contains(axis) {
            sizes.insert(usize::try_from(before + after + 1 + axis).unwrap_or(0), one);
            return Ok(Shape {
                axes: sizes.into(),
                block: shape.block,
            });
        }
        return Err(Limit::Ranks.into());
    }
    let rank = rank_of(shape)? + axes.len();
    let mut is_new = vec![false; rank];
    for axis in axes {
        let place = axis_of(pass, *axis, rank)?;
        if std::mem::replace(&mut is_new[place], true) {
            return pass.refuse(format!("axis {axis} is made twice"));
        }
    }
    let mut old = shape.axes.iter();
    let sizes = is_new
        .iter()
        .map(|is_new| {
            if *is_new {
                one
            } else {
                old.next().copied().unwrap_or(one)
            }
        })
        .collect();
    pass.shape(sizes)
}

pub(super) fn onnx_unsqueeze(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let Some(axes) = call.ints_at(1, "axes") else {
        return call.any();
    };
    let shape = unsqueeze(call.pass, &shape, &axes)?;
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
}

/// Computes `Expand`: the input and the target are broadcast together.
///
/// Preconditions: as for a broadcast; no size of the target is negative. Size 0: 0 wins over 1.
pub(super) fn onnx_expand(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let Some(target) = call.integers(1) else {
        return call.any();
    };
    for size in &target {
        let is_natural = call.terms().at_least(*size, 0);
        call.pass.require(is_natural, |_| {
            "a size of the target is negative".to_owned()
        })?;
    }
    let target = call.pass.shape(target)?;
    let result = super::pointwise::shapes_together(call.pass, &[shape, target])?;
    let content = match tensor.content {
        Content::Range(low, high) => Content::Range(low, high),
        _ => super::elements::stretched(call.pass.terms, &tensor, &result),
    };
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

/// Expands to a target of PyTorch, where -1 keeps a size.
///
/// Preconditions: the target has at least as many axes; a kept size is 1 or equal; -1 stands for no new axis. Size 0:
/// as a number.
pub(super) fn expand(pass: &mut Pass, shape: &Shape, target: &[Term]) -> Result<Shape, Stop> {
    let rank = rank_of(shape)?;
    let Some(new) = target.len().checked_sub(rank) else {
        return pass.refuse(format!(
            "{} sizes are given for a tensor of rank {rank}",
            target.len()
        ));
    };
    let mut axes = Vec::with_capacity(target.len());
    for (at, size) in target.iter().enumerate() {
        let keeps = pass.terms.bounds(*size).low.is_none_or(|low| low < 0) && {
            let formula = pass.terms.is(*size, -1);
            pass.decide(formula)?
        };
        let own = at.checked_sub(new).map(|place| shape.axes[place]);
        match (keeps, own) {
            (true, Some(own)) => axes.push(own),
            (true, None) => return pass.refuse("-1 is given for a new axis"),
            (false, own) => {
                let size = *size;
                let is_natural = pass.terms.at_least(size, 0);
                pass.require(is_natural, |terms| {
                    format!("the size {} is negative", terms.text(size))
                })?;
                if let Some(own) = own {
                    let each = [pass.terms.equal(own, size), pass.terms.is(own, 1)];
                    let fits = pass.terms.any(&each);
                    pass.require(fits, |terms| {
                        format!(
                            "size {} is expanded to {}",
                            terms.text(own),
                            terms.text(size)
                        )
                    })?;
                }
                axes.push(size);
            }
        }
    }
    pass.shape(axes)
}

/// Computes `Tile`: each axis is repeated.
///
/// Preconditions: as many numbers as axes, none negative. Size 0: kept, and made by 0 repetitions.
pub(super) fn onnx_tile(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(times)) =
        (call.tensor(0), call.shape(0), call.integers(1))
    else {
        return call.any();
    };
    if rank_of(&shape)? != times.len() {
        return call.pass.refuse(format!(
            "{} numbers are given for {} axes",
            times.len(),
            shape.axes.len()
        ));
    }
    for times in &times {
        let is_natural = call.terms().at_least(*times, 0);
        call.pass.require(is_natural, |terms| {
            format!("an axis is repeated {} times", terms.text(*times))
        })?;
    }
    let axes = shape
        .axes
        .iter()
        .zip(&times)
        .map(|(size, times)| call.pass.terms.multiply(*size, *times))
        .collect();
    let shape = call.pass.shape(axes)?;
    call.one(shape, &tensor)
}

/// Tensors joined along an axis.
///
/// Preconditions: equal ranks of at least 1; equal sizes but along the axis. Size 0: adds nothing. Versions: the axis
/// has no default since 4.
pub(super) fn join(pass: &mut Pass, shapes: &[Shape], axis: Int) -> Result<Shape, Stop> {
    let Some(first) = shapes.first() else {
        return pass.refuse("there is nothing to join");
    };
    let place = known_axis(pass, axis, first)?;
    let mut axes = first.axes.to_vec();
    for shape in &shapes[1..] {
        if shape.axes.len() != axes.len() || shape.block != first.block {
            if shape.block.is_some() || first.block.is_some() {
                return Err(Limit::Ranks.into());
            }
            return pass.refuse(format!(
                "tensors of the ranks {} and {} are joined",
                axes.len(),
                shape.axes.len()
            ));
        }
        for (at, (axis, other)) in axes.iter_mut().zip(shape.axes.iter()).enumerate() {
            if at == place {
                *axis = pass.terms.add(*axis, *other);
            } else {
                require_equal(
                    pass,
                    *axis,
                    *other,
                    &format!("joined along axis {place}, sizes of axis {at} differ"),
                )?;
            }
        }
    }
    Ok(first.with_axes(axes))
}

pub(super) fn onnx_concat(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let tensors: Option<Vec<Tensor>> = (0..call.arguments.len())
        .map(|place| call.tensor(place))
        .collect();
    let Some(tensors) = tensors else {
        return call.any();
    };
    let Some(shapes) = tensors
        .iter()
        .map(|tensor| tensor.shape.clone())
        .collect::<Option<Vec<_>>>()
    else {
        return call.any();
    };
    let axis = call.int_or("axis", 1);
    let shape = join(call.pass, &shapes, axis)?;
    let place = known_axis(call.pass, axis, &shape)?;
    let content = joined_content(call.pass.terms, &tensors, &shape, place);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(shape),
        element: tensors[0].element,
        content,
    })])
}

/// Returns the elements of tensors joined along an axis.
pub(super) fn joined_content(
    terms: &Terms,
    tensors: &[Tensor],
    shape: &Shape,
    place: usize,
) -> Content {
    let Some(sizes) = rows::sizes(terms, shape) else {
        return Content::Unknown;
    };
    let lengths: Option<Vec<usize>> = tensors
        .iter()
        .map(|tensor| {
            rows::sizes(terms, tensor.shape.as_ref()?)?
                .get(place)
                .copied()
        })
        .collect();
    let Some(lengths) = lengths else {
        return Content::Unknown;
    };
    let numbers: Option<Vec<_>> = rows::indices(&sizes)
        .map(|mut index| {
            let part = lengths.iter().position(|length| {
                let is_inside = index[place] < *length;
                index[place] -= if is_inside { 0 } else { *length };
                is_inside
            })?;
            rows::element(terms, &tensors[part], &index)
        })
        .collect();
    numbers.map_or(Content::Unknown, |numbers| Content::Numbers(numbers.into()))
}

/// Computes `Split`: an axis cut into parts of given sizes, or of nearly equal ones.
///
/// Preconditions: the axis exists; given sizes add up to it. Size 0: parts of 0 are allowed. Versions: the sizes became
/// an input at 13; before 18 an axis without sizes was cut into equal parts, since 18 the last part may be smaller.
pub(super) fn onnx_split(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let axis = call.int_or("axis", 0);
    let place = known_axis(call.pass, axis, &shape)?;
    let size = shape.axes[place];
    let is_given = call.has(1) || call.node.attribute("split").is_some();
    let parts: Vec<Term> = if is_given {
        let parts = match call.has(1) {
            true => call.integers(1),
            false => call.ints("split").map(|sizes| {
                sizes
                    .into_iter()
                    .map(|size| call.pass.terms.number(size))
                    .collect()
            }),
        };
        let Some(parts) = parts else {
            return call.any();
        };
        let mut sum = call.terms().number(0);
        for part in &parts {
            let is_natural = call.terms().at_least(*part, 0);
            call.pass.require(is_natural, |terms| {
                format!("a part has the size {}", terms.text(*part))
            })?;
            sum = call.terms().add(sum, *part);
        }
        require_equal(call.pass, sum, size, "the parts do not add up to the axis")?;
        parts
    } else {
        let count = call
            .int_or(
                "num_outputs",
                Int::try_from(call.node.outputs.len()).unwrap_or(1),
            )
            .max(1);
        if call.version() < 18 {
            let divides = call.terms().divides(count, size);
            call.pass.require(divides, |terms| {
                format!(
                    "the size {} is not cut into {count} equal parts",
                    terms.text(size)
                )
            })?;
        }
        let part = call.terms().ceil_divide(size, count);
        let before = call.terms().scale(part, count - 1);
        let last = call.terms().subtract(size, before);
        let is_natural = call.terms().at_least(last, 0);
        call.pass.require(is_natural, |terms| {
            format!(
                "the size {} is not enough for {count} parts of {}",
                terms.text(size),
                terms.text(part)
            )
        })?;
        let mut parts = vec![
            part;
            usize::try_from(count - 1)
                .unwrap_or(0)
                .min(crate::limit::MAX_RANK)
        ];
        parts.push(last);
        parts
    };
    Ok(cut(call.pass.terms, &tensor, &shape, place, parts))
}

/// Returns the parts of a tensor along an axis, with their elements where those are known.
fn cut(
    terms: &Terms,
    tensor: &Tensor,
    shape: &Shape,
    place: usize,
    parts: Vec<Term>,
) -> Vec<Value> {
    let mut start = Some(0);
    let mut results = Vec::new();
    for part in parts {
        let mut axes = shape.axes.to_vec();
        axes[place] = part;
        let result = shape.with_axes(axes);
        let content = start.map_or(Content::Unknown, |start| {
            rows::rearranged(terms, tensor, &result, |index| {
                let mut index = index.to_vec();
                index[place] = index[place].saturating_add(start);
                Some(index)
            })
        });
        let length = terms.as_number(part);
        start = start
            .zip(length.and_then(|length| usize::try_from(length).ok()))
            .and_then(|(start, length)| start.checked_add(length));
        results.push(Value::Tensor(Tensor {
            shape: Some(result),
            element: tensor.element,
            content,
        }));
    }
    results
}

/// Computes `Pad`: entries added, or taken away by negative numbers, at both ends of axes.
///
/// Preconditions: two numbers an axis; no result is negative; a reflection is shorter than its axis. Size 0: padded by
/// constants only. Versions: the numbers became an input at 11; `axes` since 18; `wrap` since 19.
pub(super) fn onnx_pad(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let pads = match call.has(1) {
        true => call.integers(1),
        false => {
            let pads = call.ints("pads").or_else(|| call.ints("paddings"));
            pads.map(|pads| {
                pads.into_iter()
                    .map(|pad| call.pass.terms.number(pad))
                    .collect()
            })
        }
    };
    let Some(pads) = pads else { return call.any() };
    let axes = match call.has(3) {
        true => match call.numbers(3) {
            Some(axes) => axes,
            None => return call.any(),
        },
        false => (0..rank)
            .map(|axis| Int::try_from(axis).unwrap_or(0))
            .collect(),
    };
    if pads.len() != 2 * axes.len() {
        return call.pass.refuse(format!(
            "{} numbers are given for {} axes",
            pads.len(),
            axes.len()
        ));
    }
    let mode = call.text("mode").unwrap_or("constant").to_owned();
    let mut sizes = shape.axes.to_vec();
    for (at, axis) in axes.iter().enumerate() {
        let place = axis_of(call.pass, *axis, rank)?;
        sizes[place] = padded(
            call.pass,
            sizes[place],
            (pads[at], pads[at + axes.len()]),
            &mode,
        )?;
    }
    let shape = call.pass.shape(sizes)?;
    call.one(shape, &tensor)
}

/// Returns the size of an axis that is padded. Cells that negative numbers take away are taken away first, and a
/// reflection or an edge is one of the rest.
pub(super) fn padded(
    pass: &mut Pass,
    size: Term,
    (before, after): (Term, Term),
    mode: &str,
) -> Result<Term, Stop> {
    if mode != "constant" {
        let zero = pass.terms.number(0);
        let mut rest = size;
        for pad in [before, after] {
            let taken = pass.terms.min(pad, zero);
            rest = pass.terms.add(rest, taken);
        }
        // Where nothing is added nothing is repeated. Of no elements onnxruntime repeats not even none.
        let untouched = [before, after].map(|pad| pass.terms.is(pad, 0));
        let untouched = pass.terms.all(&untouched);
        let untouched = if mode == "wrap" {
            crate::term::Formula::FALSE
        } else {
            untouched
        };
        let is_some = pass.terms.at_least(rest, 1);
        let fine = pass.terms.any(&[is_some, untouched]);
        pass.require_specified(fine, |terms| {
            format!(
                "of the size {} nothing is left that can be repeated",
                terms.text(size)
            )
        })?;
        for pad in [before, after] {
            let fits = if mode == "reflect" {
                let is_shorter = pass.terms.less(pad, rest);
                pass.terms.any(&[is_shorter, untouched])
            } else {
                crate::term::Formula::TRUE
            };
            pass.require(fits, |terms| {
                format!(
                    "the size {} is padded by a reflection of {}, which is not shorter",
                    terms.text(size),
                    terms.text(pad)
                )
            })?;
        }
    }
    let sum = pass.terms.add(before, after);
    let result = pass.terms.add(size, sum);
    let is_natural = pass.terms.at_least(result, 0);
    pass.require(is_natural, |terms| {
        format!("more is taken away than the size {}", terms.text(size))
    })?;
    Ok(result)
}

/// Computes `DepthToSpace` and `SpaceToDepth`.
///
/// Preconditions: rank 4; the square of the block divides the channels, or the block the heights and widths. Size 0:
/// kept.
pub(super) fn onnx_blocks(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    super::require_rank(call.pass, &shape, &[4], "the input")?;
    let block = call.int_or("blocksize", 1);
    if !(1..1 << 20).contains(&block) {
        return call.pass.refuse("the block is at least 1");
    }
    let is_to_space = call.node.operator.name == "DepthToSpace";
    let mut axes = shape.axes.to_vec();
    for (place, factor) in [(1, block * block), (2, block), (3, block)] {
        let size = axes[place];
        if (place == 1) == is_to_space {
            let divides = call.terms().divides(factor, size);
            call.pass.require(divides, |terms| {
                format!("{factor} does not divide the size {}", terms.text(size))
            })?;
            axes[place] = call.terms().floor_divide(size, factor);
        } else {
            axes[place] = call.terms().scale(size, factor);
        }
    }
    let shape = call.pass.shape(axes)?;
    call.one(shape, &tensor)
}
