//! Operators that pick elements by index.

use super::{Call, Stop, content, known_axis, rank_of, require_equal, rows};
use crate::pass::Pass;
use crate::term::{Int, Term};
use crate::value::{Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::ElementType;

/// Demands that indices lie in an axis, if their values are known; otherwise that is taken for granted. `is_signed`
/// allows indices that count from the end.
pub(super) fn require_indices(
    pass: &mut Pass,
    indices: &Tensor,
    size: Term,
    is_signed: bool,
) -> Result<(), Stop> {
    let ends: Vec<(Term, Term)> = match &indices.content {
        Content::Numbers(numbers) => numbers
            .iter()
            .map(|number| (number.term, number.term))
            .collect(),
        Content::Range(low, high) => vec![(*low, *high)],
        Content::Unknown => {
            grant_indices(pass);
            return Ok(());
        }
    };
    for (low, high) in ends {
        let below = pass.terms.less(high, size);
        let least = if is_signed {
            pass.terms.add(low, size)
        } else {
            low
        };
        let above = pass.terms.at_least(least, 0);
        let inside = pass.terms.all(&[below, above]);
        // Of a range over nothing no index is outside.
        let is_empty = pass.terms.less(high, low);
        let fine = pass.terms.any(&[inside, is_empty]);
        pass.require(fine, |terms| {
            let from = if low == high {
                String::new()
            } else {
                format!("{} to ", terms.text(low))
            };
            format!(
                "the index {from}{} lies outside of the size {}",
                terms.text(high),
                terms.text(size)
            )
        })?;
    }
    Ok(())
}

fn grant_indices(pass: &mut Pass) {
    let node = pass.node;
    pass.granted
        .insert(("the values of the indices lie in the axis".to_owned(), node));
}

/// Computes `Gather`: one axis is replaced by the axes of the indices.
///
/// Preconditions: the axis exists; indices lie in -size..size. Size 0: allowed where no index is taken. Versions:
/// negative indices since 11.
pub(super) fn gather(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(indices)) = (call.tensor(0), call.tensor(1)) else {
        return call.any();
    };
    let (Some(shape), Some(index)) = (&tensor.shape, &indices.shape) else {
        return call.any();
    };
    let axis = call.int_or("axis", 0);
    let result = taken(call.pass, shape, index, axis)?;
    let place = known_axis(call.pass, axis, shape)?;
    require_indices(call.pass, &indices, shape.axes[place], true)?;
    let content = match shape.axes.len() {
        1 => content::of_list(call.pass.terms, &tensor, &indices),
        _ => picked(call.pass, &tensor, &indices, &result, place),
    };
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

/// Returns the shape in which one axis is replaced by others.
pub(super) fn taken(
    pass: &mut Pass,
    shape: &Shape,
    index: &Shape,
    axis: Int,
) -> Result<Shape, Stop> {
    let place = known_axis(pass, axis, shape)?;
    if shape.block.is_some() && index.block.is_some() {
        return Err(crate::limit::Limit::Ranks.into());
    }
    let mut axes = shape.axes[..place].to_vec();
    axes.extend(index.axes.iter());
    axes.extend(&shape.axes[place + 1..]);
    let block = match (shape.block, index.block) {
        (Some(block), _) if place < block.at => Some(crate::value::Block {
            at: block.at + index.axes.len() - 1,
            ..block
        }),
        (Some(block), _) => Some(block),
        (None, Some(block)) => Some(crate::value::Block {
            at: block.at + place,
            ..block
        }),
        (None, None) => None,
    };
    Ok(Shape {
        axes: axes.into(),
        block,
    })
}

/// Returns the elements at known indices.
fn picked(pass: &Pass, tensor: &Tensor, indices: &Tensor, result: &Shape, place: usize) -> Content {
    let (Some(shape), Some(index_shape)) = (&tensor.shape, &indices.shape) else {
        return Content::Unknown;
    };
    let (Some(sizes), used) = (rows::sizes(pass.terms, shape), index_shape.axes.len()) else {
        return Content::Unknown;
    };
    let Some(length) = sizes.get(place).and_then(|size| Int::try_from(*size).ok()) else {
        return Content::Unknown;
    };
    rows::rearranged(pass.terms, tensor, result, |index| {
        let at = rows::element(pass.terms, indices, &index[place..place + used])
            .filter(|at| at.over == 1)?;
        let at = pass.terms.as_number(at.term)?;
        let at = usize::try_from(if at < 0 { at + length } else { at }).ok()?;
        Some(
            index[..place]
                .iter()
                .copied()
                .chain([at])
                .chain(index[place + used..].iter().copied())
                .collect(),
        )
    })
}

/// Demands that there are no more indices than data, but along one axis.
fn require_no_more(
    pass: &mut Pass,
    index: &Shape,
    shape: &Shape,
    place: usize,
) -> Result<(), Stop> {
    for at in (0..shape.axes.len()).filter(|at| *at != place) {
        let fits = pass.terms.at_most(index.axes[at], shape.axes[at]);
        pass.require(fits, |_| {
            format!("there are more indices along axis {at} than data")
        })?;
    }
    Ok(())
}

/// Computes `GatherElements`: the shape of the indices.
///
/// Preconditions: equal ranks of at least 1; the indices are not longer than the data but along the axis. Size 0: no
/// index, no element.
pub(super) fn gather_elements(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(indices)) = (call.tensor(0), call.tensor(1)) else {
        return call.any();
    };
    let (Some(shape), Some(index)) = (&tensor.shape, &indices.shape) else {
        return call.any();
    };
    if rank_of(shape)? != rank_of(index)? {
        return call.pass.refuse("data and indices have different ranks");
    }
    let axis = call.int_or("axis", 0);
    let place = known_axis(call.pass, axis, shape)?;
    require_no_more(call.pass, index, shape, place)?;
    require_indices(call.pass, &indices, shape.axes[place], true)?;
    let content = content::of_list(call.pass.terms, &tensor, &indices);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(index.clone()),
        element: tensor.element,
        content,
    })])
}

/// Demands that places lie in the axes that they name, if their values are known; otherwise that is taken for granted.
fn require_places(pass: &mut Pass, indices: &Tensor, axes: &[Term]) -> Result<(), Stop> {
    let numbers = match &indices.content {
        Content::Numbers(numbers) => numbers.clone(),
        Content::Range(..) | Content::Unknown => {
            grant_indices(pass);
            return Ok(());
        }
    };
    for (at, size) in axes.iter().enumerate() {
        let column: Vec<_> = numbers
            .iter()
            .skip(at)
            .step_by(axes.len())
            .copied()
            .collect();
        let column = Tensor {
            content: Content::Numbers(column.into()),
            ..indices.clone()
        };
        require_indices(pass, &column, *size, true)?;
    }
    Ok(())
}

/// Computes `GatherND`: the last axis of the indices names places in the first axes of the data.
///
/// Preconditions: ranks at least 1; the batch axes are equal; the places are not longer than the data has axes, and lie
/// in them. Versions: `batch_dims` since 12.
pub(super) fn gather_nd(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(indices)) = (call.tensor(0), call.tensor(1)) else {
        return call.any();
    };
    let (Some(shape), Some(index)) = (&tensor.shape, &indices.shape) else {
        return call.any();
    };
    let (rank, index_rank) = (rank_of(shape)?, rank_of(index)?);
    let batch = usize::try_from(call.int_or("batch_dims", 0)).unwrap_or(usize::MAX);
    if rank == 0 || index_rank == 0 || batch >= rank.min(index_rank) {
        return call
            .pass
            .refuse("data and indices have more axes than batch axes");
    }
    let used = index_length(call.pass, index.axes[index_rank - 1], rank - batch)?;
    for at in 0..batch {
        require_equal(
            call.pass,
            shape.axes[at],
            index.axes[at],
            "the batches of data and indices differ",
        )?;
    }
    require_places(call.pass, &indices, &shape.axes[batch..batch + used])?;
    let mut axes = index.axes[..index_rank - 1].to_vec();
    axes.extend(&shape.axes[batch + used..]);
    let result = call.pass.shape(axes)?;
    // The places of a list are those of its elements.
    let content = content::of_list(call.pass.terms, &tensor, &indices);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

/// Counts the axes that an index names: each number that is possible is a case of its own.
fn index_length(pass: &mut Pass, length: Term, most: usize) -> Result<usize, Stop> {
    let is_some = pass.terms.at_least(length, 1);
    pass.require_specified(is_some, |_| "an index names no axis".to_owned())?;
    for number in 1..=most {
        let is_so = pass
            .terms
            .is(length, Int::try_from(number).unwrap_or(Int::MAX));
        if pass.decide(is_so)? {
            return Ok(number);
        }
    }
    pass.refuse(format!(
        "an index names {} of {most} axes",
        pass.terms.text(length)
    ))
}

/// Computes `ScatterElements`, `ScatterND` and their kin: the shape of the data, whatever is written.
///
/// Preconditions: indices and updates of elements have one shape, which is not longer than the data but along the axis;
/// those of `ScatterND` continue the indices by the data's axes; indices lie in their axes. Size 0: no index writes
/// nothing.
pub(super) fn scatter(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(tensor) = call.tensor(0) else {
        return call.any();
    };
    if let (Some(shape), Some(indices), Some(updates)) =
        (call.shape(0), call.tensor(1), call.shape(2))
        && let Some(index) = indices.shape.clone()
    {
        let wanted = if call.node.operator.name == "ScatterND" {
            let (rank, index_rank) = (rank_of(&shape)?, rank_of(&index)?);
            let Some(length) = index.axes.last() else {
                return call.pass.refuse("the indices have rank 0");
            };
            let used = index_length(call.pass, *length, rank)?;
            require_places(call.pass, &indices, &shape.axes[..used])?;
            let mut axes = index.axes[..index_rank - 1].to_vec();
            axes.extend(&shape.axes[used..]);
            axes
        } else {
            if rank_of(&shape)? != rank_of(&index)? {
                return call.pass.refuse("data and indices have different ranks");
            }
            let place = known_axis(call.pass, call.int_or("axis", 0), &shape)?;
            require_no_more(call.pass, &index, &shape, place)?;
            require_indices(call.pass, &indices, shape.axes[place], true)?;
            index.axes.to_vec()
        };
        if rank_of(&updates)? != wanted.len() {
            return call.pass.refuse(format!(
                "updates of rank {} where {} is wanted",
                updates.axes.len(),
                wanted.len()
            ));
        }
        for (own, wanted) in updates.axes.iter().zip(wanted) {
            require_equal(
                call.pass,
                *own,
                wanted,
                "the updates do not fit the indices",
            )?;
        }
    }
    let content = match (call.tensor(1), call.tensor(2), call.text("reduction")) {
        (Some(indices), Some(updates), None | Some("none")) => {
            content::replaced(call.pass.terms, &tensor, &indices, &updates)
        }
        _ => Content::Unknown,
    };
    Ok(vec![Value::Tensor(Tensor { content, ..tensor })])
}

/// Computes `OneHot`: a new axis as long as the depth.
///
/// Preconditions: the indices have rank at least 1, and the axis exists in the result. Size 0: kept.
pub(super) fn one_hot(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    if rank == 0 {
        return call.pass.refuse("indices of rank 0");
    }
    let Some(depth) = call.integers(1) else {
        return call.any();
    };
    let [depth] = *depth else {
        return call.pass.refuse("the depth is not one number");
    };
    let is_natural = call.terms().at_least(depth, 0);
    call.pass.require(is_natural, |terms| {
        format!("the depth {} is negative", terms.text(depth))
    })?;
    let is_some = call.terms().at_least(depth, 1);
    call.pass
        .require_specified(is_some, |_| "the depth is 0".to_owned())?;
    if let Some(values) = call.shape(2) {
        super::require_rank(call.pass, &values, &[1], "the tensor of both values")?;
        let two = call.terms().number(2);
        require_equal(call.pass, values.axes[0], two, "two values are wanted")?;
    }
    let place = super::axis_of(call.pass, call.int_or("axis", -1), rank + 1)?;
    let mut axes = shape.axes.to_vec();
    axes.insert(place, depth);
    let shape = call.pass.shape(axes)?;
    let element = call.tensor(2).and_then(|tensor| tensor.element);
    Ok(vec![Value::tensor(shape, element)])
}

/// Computes `TopK`: an axis shortened to `k`.
///
/// Preconditions: the axis exists and has at least `k` entries. Size 0: with `k` = 0. Versions: `k` became an input
/// at 10.
pub(super) fn top_k(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let k = match call.has(1) {
        true => call.integers(1).and_then(|k| k.first().copied()),
        false => {
            let k = call.int_or("k", 0);
            Some(call.terms().number(k))
        }
    };
    let Some(k) = k else { return call.any() };
    let place = known_axis(call.pass, call.int_or("axis", -1), &shape)?;
    let size = shape.axes[place];
    let (fits, is_natural) = (call.terms().at_most(k, size), call.terms().at_least(k, 0));
    let fits = call.terms().all(&[fits, is_natural]);
    call.pass.require(fits, |terms| {
        format!(
            "{} of {} entries are wanted",
            terms.text(k),
            terms.text(size)
        )
    })?;
    let mut axes = shape.axes.to_vec();
    axes[place] = k;
    let shape = shape.with_axes(axes);
    Ok(vec![
        Value::tensor(shape.clone(), tensor.element),
        Value::tensor(shape, Some(ElementType::Int64)),
    ])
}
