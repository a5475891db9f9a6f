//! Tensors whose sizes a list states, and images that are put together.

use super::{Call, Stop, axis_of, rank_of, require_equal, require_rank};
use crate::term::{Int, Term};
use crate::value::Value;
use lozenge_graph_vocabulary::ElementType;

/// Computes `RandomNormal`, `RandomUniform`: the sizes that the attribute states.
pub(super) fn random(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(sizes) = call.ints("shape") else {
        return call.pass.refuse("the attribute `shape` is missing");
    };
    let sizes = sizes.into_iter().map(|size| call.terms().number(size));
    let sizes = sizes.collect();
    let element = Some(ElementType::Float32);
    Ok(vec![super::sizes::filled(call.pass, sizes, None, element)?])
}

/// Computes `Multinomial`: so many draws for each entry of a batch.
///
/// Preconditions: rank 2.
pub(super) fn drawn(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some(shape) = call.shape(0) else {
        return call.any();
    };
    require_rank(call.pass, &shape, &[2], "the input")?;
    let number = call.int_or("sample_size", 1);
    let number = call.terms().number(number);
    let result = call.pass.shape(vec![shape.axes[0], number])?;
    Ok(vec![Value::tensor(result, Some(ElementType::Int32))])
}

/// Computes `HannWindow` and its kin: as many numbers as are asked for.
///
/// Preconditions: the number is not negative.
pub(super) fn window(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let Some([size]) = call
        .integers(0)
        .as_deref()
        .and_then(|sizes| <[Term; 1]>::try_from(sizes).ok())
    else {
        return call.any();
    };
    let element = Some(ElementType::Float32);
    Ok(vec![super::sizes::filled(
        call.pass,
        vec![size],
        None,
        element,
    )?])
}

/// Computes `AffineGrid`: a place for each cell of an image of stated sizes.
///
/// Preconditions: a matrix of 2 by 3 for each of the batch, or of 3 by 4 where the image has a depth.
pub(super) fn affine_grid(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(matrices), Some(sizes)) =
        (call.tensor(0), call.shape(0), call.integers(1))
    else {
        return call.any();
    };
    require_rank(call.pass, &matrices, &[3], "the stack of matrices")?;
    let space = match sizes.len() {
        4 => 2,
        5 => 3,
        _ => return call.pass.refuse("4 or 5 sizes are wanted"),
    };
    let (rows, columns) = (call.terms().number(space), call.terms().number(space + 1));
    let pairs = [
        (matrices.axes[0], sizes[0], "the batches differ"),
        (matrices.axes[1], rows, "the matrices have other rows"),
        (matrices.axes[2], columns, "the matrices have other columns"),
    ];
    for (left, right, words) in pairs {
        require_equal(call.pass, left, right, words)?;
    }
    let mut axes = vec![sizes[0]];
    axes.extend(&sizes[2..]);
    axes.push(rows);
    let result = call.pass.shape(axes)?;
    call.one(result, &tensor)
}

/// Computes `CenterCropPad`: axes get stated sizes.
///
/// Preconditions: a size for each axis.
pub(super) fn cropped(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(sizes)) =
        (call.tensor(0), call.shape(0), call.integers(1))
    else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let axes = call
        .ints("axes")
        .unwrap_or_else(|| (0..).take(rank).collect());
    if axes.len() != sizes.len() {
        return call.pass.refuse(format!(
            "{} sizes are given for {} axes",
            sizes.len(),
            axes.len()
        ));
    }
    let mut result = shape.axes.to_vec();
    for (axis, size) in axes.into_iter().zip(sizes) {
        let place = axis_of(call.pass, axis, rank)?;
        // Of a negative size the body of the function, which defines the operator, makes none.
        let zero = call.terms().number(0);
        result[place] = call.terms().max(size, zero);
    }
    let result = call.pass.shape(result)?;
    call.one(result, &tensor)
}

/// Computes `Col2Im`: blocks are added up to an image.
///
/// Preconditions: rank 3; the second axis holds the cells of a block for each channel, and the third the places of the
/// block on the image.
pub(super) fn image(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(image), Some(block)) = (
        call.tensor(0),
        call.shape(0),
        call.integers(1),
        call.numbers(2),
    ) else {
        return call.any();
    };
    require_rank(call.pass, &shape, &[3], "the input")?;
    let axes = image.len();
    let list = |call: &Call, name: &str, default: Int, count: usize| {
        call.ints(name).unwrap_or_else(|| vec![default; count])
    };
    let (strides, dilations, pads) = (
        list(call, "strides", 1, axes),
        list(call, "dilations", 1, axes),
        list(call, "pads", 0, 2 * axes),
    );
    let is_odd = block.len() != axes
        || strides.len() != axes
        || dilations.len() != axes
        || pads.len() != 2 * axes
        || block
            .iter()
            .chain(&strides)
            .chain(&dilations)
            .any(|number| *number < 1);
    if is_odd {
        return call.pass.refuse(format!(
            "blocks, strides and pads are wanted for {axes} axes"
        ));
    }
    let mut places = call.terms().number(1);
    for at in 0..axes {
        let reach = dilations[at]
            .saturating_mul(block[at] - 1)
            .saturating_add(1);
        let around = pads[at].saturating_add(pads[axes + at]);
        let room = call.terms().shift(image[at], around.saturating_sub(reach));
        let fits = call.terms().at_least(room, 0);
        call.pass
            .require(fits, |_| "a block does not fit into the image".to_owned())?;
        let steps = call.terms().floor_divide(room, strides[at]);
        let count = call.terms().shift(steps, 1);
        places = call.terms().multiply(places, count);
    }
    let words = "the blocks and their places on the image differ in number";
    require_equal(call.pass, shape.axes[2], places, words)?;
    let Some(cells) = block
        .iter()
        .try_fold(1, |all: Int, size| all.checked_mul(*size))
    else {
        return call.any();
    };
    let (held, divides) = (shape.axes[1], call.terms().divides(cells, shape.axes[1]));
    call.pass.require(divides, |terms| {
        format!(
            "blocks of {cells} cells do not divide the size {}",
            terms.text(held)
        )
    })?;
    let mut result = vec![shape.axes[0], call.terms().floor_divide(held, cells)];
    result.extend(image);
    let result = call.pass.shape(result)?;
    call.one(result, &tensor)
}

/// Computes `Det`: a number for each matrix.
///
/// Preconditions: rank at least 2, and the matrices are square.
pub(super) fn determinant(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    if rank < 2 {
        return call.pass.refuse("a matrix has rank at least 2");
    }
    let words = "the matrices are not square";
    require_equal(call.pass, shape.axes[rank - 2], shape.axes[rank - 1], words)?;
    let result = call.pass.shape(shape.axes[..rank - 2].to_vec())?;
    call.one(result, &tensor)
}
