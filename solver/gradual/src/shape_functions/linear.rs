//! Products of matrices.

use super::{Call, Stop, known_axis, require_equal, require_rank};
use crate::limit::Limit;
use crate::pass::Pass;
use crate::term::Term;
use crate::value::{Shape, Value};
use std::collections::BTreeMap;

/// Returns the product of stacks of matrices, as NumPy's `matmul`.
///
/// Preconditions: no rank is 0; the last axis of the first is the last but one of the second (the last, at rank 1); the
/// axes before are broadcast. Size 0: allowed everywhere. Versions: none that changed shapes.
pub(super) fn matmul(pass: &mut Pass, left: &Shape, right: &Shape) -> Result<Shape, Stop> {
    if left == right && left.block.is_some() {
        // Both stacks are the same; only the inner sizes have to agree.
        return stacked(pass, left, right);
    }
    for (shape, who) in [(left, "the first matrix"), (right, "the second matrix")] {
        if shape.block.is_none() && shape.axes.is_empty() {
            return pass.refuse(format!("{who} has rank 0"));
        }
    }
    if left.block.is_none() && left.axes.len() == 1
        || right.block.is_none() && right.axes.len() == 1
    {
        return with_vector(pass, left, right);
    }
    stacked(pass, left, right)
}

fn stacked(pass: &mut Pass, left: &Shape, right: &Shape) -> Result<Shape, Stop> {
    let (m, n) = (left.axes.len(), right.axes.len());
    let has_two = |shape: &Shape| shape.axes.len() - shape.block.map_or(0, |block| block.at) >= 2;
    if !has_two(left) || !has_two(right) {
        return Err(Limit::Ranks.into());
    }
    require_equal(
        pass,
        left.axes[m - 1],
        right.axes[n - 2],
        "the inner sizes of the matrices differ",
    )?;
    let stack = |shape: &Shape| Shape {
        axes: shape.axes[..shape.axes.len() - 2].into(),
        block: shape.block,
    };
    let stacks = super::pointwise::shapes_together(pass, &[stack(left), stack(right)])?;
    let mut axes = stacks.axes.to_vec();
    axes.extend([left.axes[m - 2], right.axes[n - 1]]);
    Ok(Shape {
        axes: axes.into(),
        block: stacks.block,
    })
}

fn with_vector(pass: &mut Pass, left: &Shape, right: &Shape) -> Result<Shape, Stop> {
    let is_vector = |shape: &Shape| shape.block.is_none() && shape.axes.len() == 1;
    if left.block.is_some() || right.block.is_some() {
        return Err(Limit::Ranks.into());
    }
    let inner = right.axes[right.axes.len().saturating_sub(2)];
    require_equal(
        pass,
        left.axes[left.axes.len() - 1],
        inner,
        "the inner sizes of the matrices differ",
    )?;
    let mut axes = left.axes[..left.axes.len() - 1].to_vec();
    if !is_vector(right) {
        axes = if is_vector(left) {
            right.axes[..right.axes.len() - 2].to_vec()
        } else {
            axes
        };
        axes.push(right.axes[right.axes.len() - 1]);
    }
    pass.shape(axes)
}

/// Returns the shape after a linear layer: the last axis is replaced.
///
/// Preconditions: rank at least 1, and the last axis is the number of inputs. Size 0: allowed in the other axes.
pub(super) fn linear(
    pass: &mut Pass,
    shape: &Shape,
    inputs: Term,
    outputs: Option<Term>,
) -> Result<Shape, Stop> {
    if shape.block.is_none() && shape.axes.is_empty() {
        return pass.refuse("a tensor of rank 0 has no last axis");
    }
    let last = known_axis(pass, -1, shape)?;
    require_equal(
        pass,
        shape.axes[last],
        inputs,
        "the last axis and the inputs of the layer differ",
    )?;
    let mut axes = shape.axes.to_vec();
    match outputs {
        Some(outputs) => axes[last] = outputs,
        None => drop(axes.pop()),
    }
    Ok(shape.with_axes(axes))
}

/// Returns the product of two stacks of matrices of equal depth.
///
/// Preconditions: both ranks are 3, the first axes are equal, the inner sizes are equal. Size 0: allowed.
pub(super) fn batched(pass: &mut Pass, left: &Shape, right: &Shape) -> Result<Shape, Stop> {
    require_rank(pass, left, &[3], "the first stack of matrices")?;
    require_rank(pass, right, &[3], "the second stack of matrices")?;
    require_equal(
        pass,
        left.axes[0],
        right.axes[0],
        "the numbers of matrices differ",
    )?;
    require_equal(
        pass,
        left.axes[2],
        right.axes[1],
        "the inner sizes of the matrices differ",
    )?;
    pass.shape(vec![left.axes[0], left.axes[1], right.axes[2]])
}

/// Returns a product of two matrices, turned or not, to which a third is broadcast.
///
/// Preconditions: both ranks are 2, inner sizes are equal, the third fits into the result. Size 0: allowed. Versions:
/// before 7 the third was broadcast only on request; since 11 it may be left out.
pub(super) fn gemm(
    pass: &mut Pass,
    left: &Shape,
    right: &Shape,
    turned: [bool; 2],
    added: Option<&Shape>,
) -> Result<Shape, Stop> {
    require_rank(pass, left, &[2], "the first matrix")?;
    require_rank(pass, right, &[2], "the second matrix")?;
    let order = |shape: &Shape, turned: bool| {
        if turned {
            [shape.axes[1], shape.axes[0]]
        } else {
            [shape.axes[0], shape.axes[1]]
        }
    };
    let ([rows, inner], [other, columns]) = (order(left, turned[0]), order(right, turned[1]));
    require_equal(pass, inner, other, "the inner sizes of the matrices differ")?;
    let result = pass.shape(vec![rows, columns])?;
    if let Some(added) = added {
        super::pointwise::one_way(pass, added, &result)?;
    }
    Ok(result)
}

pub(super) fn onnx_matmul(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(left), Some(right)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let shape = matmul(call.pass, &left, &right)?;
    call.one(shape, &tensor)
}

pub(super) fn onnx_gemm(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(left), Some(right)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let turned = [call.int_or("transA", 0) != 0, call.int_or("transB", 0) != 0];
    let added = call.shape(2).filter(|_| call.version() >= 7);
    let shape = gemm(call.pass, &left, &right, turned, added.as_ref())?;
    call.one(shape, &tensor)
}

/// Returns the shape of Einstein's summation over named axes.
///
/// Preconditions: each term names as many axes as its operand has; axes of one name are equal, or 1 in another operand.
/// Size 0: allowed. An ellipsis stands for axes that are broadcast: in ONNX for equally many in each operand, in
/// PyTorch also for fewer.
pub(super) fn einsum(
    pass: &mut Pass,
    equation: &str,
    shapes: &[Shape],
    is_fixed: bool,
) -> Result<Shape, Stop> {
    let equation: String = equation
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs.to_owned(), Some(output.to_owned())),
        None => (equation, None),
    };
    let inputs: Vec<&str> = inputs.split(',').collect();
    if inputs.len() != shapes.len() {
        return pass.refuse(format!(
            "the equation names {} operands, and {} are given",
            inputs.len(),
            shapes.len()
        ));
    }
    let mut sizes: BTreeMap<char, Vec<Term>> = BTreeMap::new();
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    let mut free: Vec<Shape> = Vec::new();
    for (term, shape) in inputs.iter().zip(shapes) {
        let rank = super::rank_of(shape)?;
        let (before, after) = term.split_once("...").unwrap_or((term, ""));
        let named = before.chars().count() + after.chars().count();
        let has_free = term.contains("...");
        if named > rank || named < rank && !has_free {
            return pass.refuse(format!("`{term}` names {named} axes of {rank}"));
        }
        let middle = before.chars().count()..rank - after.chars().count();
        if has_free {
            free.push(Shape::new(&shape.axes[middle.clone()]));
        }
        let places = (0..middle.start).chain(middle.end..rank);
        let mut own: BTreeMap<char, Term> = BTreeMap::new();
        for (letter, place) in before.chars().chain(after.chars()).zip(places) {
            if let Some(first) = own.insert(letter, shape.axes[place]) {
                require_equal(
                    pass,
                    first,
                    shape.axes[place],
                    "the axes of a diagonal differ",
                )?;
            }
            sizes.entry(letter).or_default().push(shape.axes[place]);
            *counts.entry(letter).or_default() += 1;
        }
    }
    if is_fixed
        && free
            .windows(2)
            .any(|pair| pair[0].axes.len() != pair[1].axes.len())
    {
        return pass.refuse("the ellipsis stands for different numbers of axes");
    }
    let free = super::pointwise::shapes_together(pass, &free)?;
    let output = output.unwrap_or_else(|| {
        let once = counts
            .iter()
            .filter(|(_, count)| **count == 1)
            .map(|(letter, _)| *letter);
        "...".chars().chain(once).collect()
    });
    let (before, after) = output.split_once("...").unwrap_or((&output, ""));
    let mut resolved = BTreeMap::new();
    for (letter, sizes) in sizes {
        resolved.insert(letter, super::pointwise::axis_together(pass, &sizes, 1)?);
    }
    let mut axes = Vec::new();
    for letter in before.chars() {
        let Some(size) = resolved.get(&letter) else {
            return pass.refuse(format!("no operand has the axis `{letter}` of the result"));
        };
        axes.push(*size);
    }
    if output.contains("...") {
        axes.extend(free.axes.iter());
    }
    for letter in after.chars() {
        let Some(size) = resolved.get(&letter) else {
            return pass.refuse(format!("no operand has the axis `{letter}` of the result"));
        };
        axes.push(*size);
    }
    pass.shape(axes)
}

pub(super) fn onnx_einsum(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let shapes: Option<Vec<Shape>> = (0..call.arguments.len())
        .map(|place| call.shape(place))
        .collect();
    let (Some(shapes), Some(tensor)) = (shapes, call.tensor(0)) else {
        return call.any();
    };
    let equation = call.text("equation").unwrap_or("").to_owned();
    let shape = einsum(call.pass, &equation, &shapes, true)?;
    call.one(shape, &tensor)
}
