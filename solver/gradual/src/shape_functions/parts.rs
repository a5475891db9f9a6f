//! Operators that join, cut, repeat and pad.

use super::{Call, Stop, axis_of, content, known_axis, rank_of, require_equal, rows};
use crate::limit::Limit;
use crate::pass::Pass;
use crate::term::{Int, Term, Terms};
use crate::value::{Content, Ratio, Shape, Tensor, Value};

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
    let content = content::repeated(call.pass.terms, &tensor, &shape);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(shape),
        element: tensor.element,
        content,
    })])
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
pub(super) fn cut(
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
        true => match call.axes_at(3, "axes", rank)? {
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
    let mut before = vec![call.terms().number(0); rank];
    for (at, axis) in axes.iter().enumerate() {
        let place = axis_of(call.pass, *axis, rank)?;
        before[place] = pads[at];
        sizes[place] = padded(
            call.pass,
            sizes[place],
            (pads[at], pads[at + axes.len()]),
            &mode,
        )?;
    }
    let result = call.pass.shape(sizes)?;
    let fill = fill(call).filter(|_| mode == "constant");
    let content = content::padded(call.pass.terms, &tensor, (&result, &before), fill);
    Ok(vec![Value::Tensor(Tensor {
        shape: Some(result),
        element: tensor.element,
        content,
    })])
}

/// Returns the number with which a constant pad fills, if it is known.
fn fill(call: &mut Call) -> Option<Ratio> {
    match (call.has(2), call.node.attribute("value")) {
        (true, _) => match call.tensor(2)?.content {
            Content::Numbers(numbers) => numbers.first().copied(),
            _ => None,
        },
        (false, None) => Some(Ratio {
            term: call.terms().number(0),
            over: 1,
        }),
        (false, Some(_)) => None,
    }
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
