//! Operators whose results are as long as data say. The length is a letter of the answer.

use super::{Call, Stop, count, known_axis, rank_of, require_equal, require_rank};
use crate::term::{Int, Term};
use crate::value::{Content, Shape, Tensor, Value};
use lozenge_graph_vocabulary::ElementType;

/// Returns a length that data decide, between 0 and a most. Nothing where there are too many of them.
fn length(call: &mut Call, most: Term) -> Option<Term> {
    let output = call.node.outputs.iter().flatten().next();
    let name = match output {
        Some(output) => call.pass.graph[*output].name.clone(),
        None => call.node.name().to_owned(),
    };
    let length = call.pass.data_number(&format!("{name}.length"), None)?;
    let fits = call.terms().at_most(length, most);
    call.pass.assume(fits);
    let own = call.pass.terms.text(length);
    call.pass
        .grant(format!("data decide {own}, the number of what is found"));
    Some(length)
}

/// Computes `NonZero`: the places of the elements that are not 0, a column each.
///
/// Preconditions: none. Size 0: no place. At rank 0 there is no row. Where elements are known that are all 0, or all
/// others, their number is known, as exporters of old made ranges; a list of them has all its places.
pub(super) fn places(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    let rank = Int::try_from(rank_of(&shape)?).unwrap_or(0);
    let most = count(call.terms(), &shape);
    let rows = call.terms().number(rank);
    if let Some(is_some) = call.tensor(0).and_then(|tensor| alike(call, &tensor)) {
        let (zero, last) = (call.terms().number(0), call.terms().shift(most, -1));
        let length = if is_some { most } else { zero };
        let result = call.pass.shape(vec![rows, length])?;
        return Ok(vec![Value::Tensor(Tensor {
            shape: Some(result),
            element: Some(ElementType::Int64),
            content: match is_some && rank == 1 {
                true => Content::Range(zero, last),
                false => Content::Unknown,
            },
        })]);
    }
    let Some(length) = length(call, most) else {
        return call.any();
    };
    let result = call.pass.shape(vec![rows, length])?;
    Ok(vec![Value::tensor(result, Some(ElementType::Int64))])
}

/// Says whether the elements of a tensor, which are known, are all others than 0, or all 0.
fn alike(call: &mut Call, tensor: &Tensor) -> Option<bool> {
    let ends: Vec<Term> = match &tensor.content {
        Content::Numbers(numbers) => numbers.iter().map(|number| number.term).collect(),
        Content::Range(low, high) if low == high => vec![*low],
        Content::Range(..) | Content::Unknown => return None,
    };
    let zero = |number: Term| {
        let formula = call.pass.terms.is(number, 0);
        call.pass.terms.decided(formula)
    };
    let mut all = ends.into_iter().map(zero);
    let first = all.next()??;
    all.all(|next| next == Some(first)).then_some(!first)
}

/// Computes `Compress`: the entries of an axis, or of all elements in order, for which a condition holds.
///
/// Preconditions: the condition has rank 1; it may be shorter or longer than the axis. Size 0: nothing is taken.
pub(super) fn compressed(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(condition)) =
        (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    require_rank(call.pass, &condition, &[1], "the condition")?;
    let axis = call.node.attribute("axis").map(|_| call.int_or("axis", 0));
    let (mut axes, place, size) = match axis {
        Some(axis) => {
            rank_of(&shape)?;
            let place = known_axis(call.pass, axis, &shape)?;
            (shape.axes.to_vec(), place, shape.axes[place])
        }
        None => {
            let all = count(call.terms(), &shape);
            (vec![all], 0, all)
        }
    };
    let taken = match call.numbers(1) {
        Some(condition) => Some(stated(call, &condition, size)),
        None => {
            let most = call.terms().min(condition.axes[0], size);
            length(call, most)
        }
    };
    let Some(taken) = taken else {
        return call.any();
    };
    axes[place] = taken;
    let result = call.pass.shape(axes)?;
    call.one(result, &tensor)
}

/// Returns the number of entries of a size for which a stated condition holds.
fn stated(call: &mut Call, condition: &[Int], size: Term) -> Term {
    let mut taken = call.terms().number(0);
    for (at, _) in (0..).zip(condition).filter(|(_, holds)| **holds != 0) {
        let is_there = call.terms().at_least(size, at + 1);
        let one = call.terms().indicator(is_there);
        taken = call.terms().add(taken, one);
    }
    taken
}

/// Computes `Unique`: the different entries of an axis, or of all elements, their first places, the places of all
/// entries among them, and how often each occurs.
///
/// Preconditions: the axis exists. Size 0: nothing is found; otherwise at least one entry is.
pub(super) fn different(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let axis = call.node.attribute("axis").map(|_| call.int_or("axis", 0));
    let (mut axes, place, size) = match axis {
        Some(axis) => {
            rank_of(&shape)?;
            let place = known_axis(call.pass, axis, &shape)?;
            (shape.axes.to_vec(), place, shape.axes[place])
        }
        None => {
            let all = count(call.terms(), &shape);
            (vec![all], 0, all)
        }
    };
    let Some(found) = length(call, size) else {
        return call.any();
    };
    let some = [call.terms().at_least(found, 1), call.terms().is(size, 0)];
    let some = call.terms().any(&some);
    call.pass.assume(some);
    axes[place] = found;
    let integers = Some(ElementType::Int64);
    let (result, each, all) = (
        call.pass.shape(axes)?,
        call.pass.shape(vec![found])?,
        call.pass.shape(vec![size])?,
    );
    Ok(vec![
        Value::tensor(result, tensor.element),
        Value::tensor(each.clone(), integers),
        Value::tensor(all, integers),
        Value::tensor(each, integers),
    ])
}

/// Computes `NonMaxSuppression`: the boxes that are kept, each with its batch and class.
///
/// Preconditions: boxes [b, n, 4] and scores [b, classes, n]. Size 0: no box.
pub(super) fn suppressed(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(boxes), Some(scores)) = (call.shape(0), call.shape(1)) else {
        return call.any();
    };
    require_rank(call.pass, &boxes, &[3], "the tensor of boxes")?;
    require_rank(call.pass, &scores, &[3], "the tensor of scores")?;
    let (batch, number) = (boxes.axes[0], boxes.axes[1]);
    let four = call.terms().number(4);
    let pairs = [
        (
            batch,
            scores.axes[0],
            "the batches of boxes and scores differ",
        ),
        (
            number,
            scores.axes[2],
            "the numbers of boxes and scores differ",
        ),
        (boxes.axes[2], four, "a box has other than 4 numbers"),
    ];
    for (left, right, words) in pairs {
        require_equal(call.pass, left, right, words)?;
    }
    let stated = match call.has(2) {
        true => call.integers(2).and_then(|most| most.first().copied()),
        false => Some(call.terms().number(0)),
    };
    let each = match stated {
        Some(most) => call.terms().min(number, most),
        None => number,
    };
    let most = call.terms().product(&[batch, scores.axes[1], each]);
    let Some(length) = length(call, most) else {
        return call.any();
    };
    let three = call.terms().number(3);
    let result = call.pass.shape(vec![length, three])?;
    Ok(vec![Value::tensor(result, Some(ElementType::Int64))])
}

/// Computes `RoiAlign` and `MaxRoiPool`: a map of stated size for each region.
///
/// Preconditions: the input has rank 4; a region has 4 numbers, or 5 with that of its image. Size 0: a map without
/// cells is not specified.
pub(super) fn regions(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(regions)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let is_pool = call.node.operator.name == "MaxRoiPool";
    require_rank(call.pass, &shape, &[4], "the input")?;
    require_rank(call.pass, &regions, &[2], "the tensor of regions")?;
    let numbers = call.terms().number(if is_pool { 5 } else { 4 });
    let words = "the numbers of a region differ from what is wanted";
    require_equal(call.pass, regions.axes[1], numbers, words)?;
    if let Some(images) = call.shape(2).filter(|_| !is_pool) {
        require_rank(call.pass, &images, &[1], "the list of images")?;
        let words = "the numbers of regions and of their images differ";
        require_equal(call.pass, regions.axes[0], images.axes[0], words)?;
    }
    match call.tensor(2).filter(|_| !is_pool) {
        Some(images) => super::index::require_indices(call.pass, &images, shape.axes[0], false)?,
        None => call.pass.grant("the regions name images that there are"),
    }
    for size in &shape.axes[2..] {
        let is_some = call.terms().at_least(*size, 1);
        call.pass
            .require_specified(is_some, |_| "a map without cells".to_owned())?;
    }
    let stated = match is_pool {
        true => call.ints("pooled_shape"),
        false => Some(vec![
            call.int_or("output_height", 1),
            call.int_or("output_width", 1),
        ]),
    };
    let Some([height, width]) = stated.as_deref() else {
        return call
            .pass
            .refuse("the attribute `pooled_shape` has two sizes");
    };
    let sizes = [*height, *width].map(|size| call.terms().number(size));
    let axes = [regions.axes[0], shape.axes[1]].into_iter().chain(sizes);
    let result: Shape = call.pass.shape(axes.collect())?;
    call.one(result, &tensor)
}
