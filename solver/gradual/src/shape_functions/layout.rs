//! Operators that arrange elements anew: reshapes, permutations, and axes of size 1.

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
    Ok(vec![with_content(call.pass.terms, shape, &tensor)])
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
    let content = match tensor.content {
        Content::Range(low, high) => Content::Range(low, high),
        _ => rows::rearranged(call.pass.terms, &tensor, &result, |index| {
            let mut from = vec![0; index.len()];
            places
                .iter()
                .zip(index)
                .for_each(|(place, at)| from[*place] = *at);
            Some(from)
        }),
    };
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
    let axes = match shape.block {
        Some(_) => call.ints_at(1, "axes"),
        None => call.axes_at(1, "axes", shape.axes.len())?,
    };
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
    let count = call.integers(1).map_or(0, |axes| axes.len());
    let axes = match shape.block {
        Some(_) => call.ints_at(1, "axes"),
        None => call.axes_at(1, "axes", shape.axes.len() + count)?,
    };
    let Some(axes) = axes else {
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
