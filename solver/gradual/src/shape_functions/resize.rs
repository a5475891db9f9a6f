//! Axes made longer or shorter by a factor, or to a stated size.

use super::{Call, Stop, rank_of};
use crate::term::{Int, Term};
use crate::value::{Content, Ratio, Shape, Value};

/// Computes `Resize` and `Upsample`.
///
/// Preconditions: a factor, or a size, for each axis (or for each of `axes`); factors are positive. The size is the
/// factor times the size, rounded down. Size 0: kept by a factor. Versions: `Upsample` until 10; the region of interest
/// since 11; `axes` and policies that keep the ratio since 18.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let axes: Vec<Int> = call.ints("axes").unwrap_or_else(|| {
        (0..rank)
            .map(|axis| Int::try_from(axis).unwrap_or(0))
            .collect()
    });
    let mut places = Vec::new();
    for axis in &axes {
        places.push(super::axis_of(call.pass, *axis, rank)?);
    }
    let scales_at = if call.version() < 11 { 1 } else { 2 };
    let mut sizes = shape.axes.to_vec();
    let stated = if call.version() >= 11 && call.has(3) {
        Some(call.integers(3))
    } else {
        None
    };
    match stated {
        Some(None) => return call.any(),
        Some(Some(stated)) if !stated.is_empty() => {
            if stated.len() != places.len() {
                return call.pass.refuse(format!(
                    "{} sizes are given for {} axes",
                    stated.len(),
                    places.len()
                ));
            }
            for (place, size) in places.iter().zip(&stated) {
                require_factor(call, sizes[*place], *size)?;
            }
            let own: Vec<Term> = places.iter().map(|place| sizes[*place]).collect();
            let Some(resized) = in_ratio(call, &own, stated) else {
                return call.any();
            };
            for (place, size) in places.iter().zip(resized) {
                sizes[*place] = size;
            }
        }
        _ => {
            let Some(factors) = factors(call, scales_at)? else {
                return call.any();
            };
            if factors.len() != places.len() {
                return call.pass.refuse(format!(
                    "{} factors are given for {} axes",
                    factors.len(),
                    places.len()
                ));
            }
            for (place, factor) in places.iter().zip(factors) {
                if call
                    .pass
                    .terms
                    .as_number(factor.term)
                    .is_some_and(|factor| factor <= 0)
                {
                    return call.pass.refuse("a factor is not positive");
                }
                let scaled = call.pass.terms.multiply(sizes[*place], factor.term);
                sizes[*place] = call.pass.terms.floor_divide(scaled, factor.over);
            }
        }
    }
    let shape: Shape = call.pass.shape(sizes)?;
    call.one(shape, &tensor)
}

/// Returns the sizes that a policy makes of those that are stated: one factor for all axes, the smallest or the
/// largest. It is followed where sizes are numbers.
fn in_ratio(call: &mut Call, own: &[Term], stated: Vec<Term>) -> Option<Vec<Term>> {
    let is_smallest = match call.text("keep_aspect_ratio_policy") {
        Some("not_larger") => true,
        Some("not_smaller") => false,
        _ => return Some(stated),
    };
    let number = |term: &Term| call.pass.terms.as_number(*term);
    let own: Vec<Int> = own.iter().map(number).collect::<Option<_>>()?;
    let stated: Vec<Int> = stated.iter().map(number).collect::<Option<_>>()?;
    // The factor is a stated size over the own one.
    let mut factor = (*stated.first()?, *own.first()?);
    for (stated, own) in stated.iter().zip(&own).skip(1) {
        let is_smaller = stated.checked_mul(factor.1)? < own.checked_mul(factor.0)?;
        if is_smaller == is_smallest {
            factor = (*stated, *own);
        }
    }
    let (over, by) = factor;
    let rounded = |own: &Int| Some((own.checked_mul(2 * over)? + by).div_euclid(2 * by));
    let sizes: Vec<Int> = own.iter().map(rounded).collect::<Option<_>>()?;
    Some(
        sizes
            .into_iter()
            .map(|size| call.terms().number(size))
            .collect(),
    )
}

/// Demands that a stated size has a factor, which is positive.
fn require_factor(call: &mut Call, size: Term, stated: Term) -> Result<(), Stop> {
    let is_some = call.pass.terms.at_least(size, 1);
    call.pass
        .require_specified(is_some, |_| "an axis of size 0 has no factor".to_owned())?;
    let is_positive = call.pass.terms.at_least(stated, 1);
    call.pass.require(is_positive, |terms| {
        format!(
            "the stated size {} is below 1, and factors are positive",
            terms.text(stated)
        )
    })
}

fn factors(call: &mut Call, place: usize) -> Result<Option<Vec<Ratio>>, Stop> {
    if call.has(place) {
        return Ok(call.tensor(place).and_then(|tensor| match tensor.content {
            Content::Numbers(numbers) => Some(numbers.to_vec()),
            _ => None,
        }));
    }
    let Some(list) = call
        .node
        .attribute("scales")
        .and_then(|argument| argument.as_list())
    else {
        return Ok(None);
    };
    let mut factors = Vec::new();
    for factor in list {
        let factor = match call.pass.argument(factor)? {
            Value::Float(number) => crate::pass::ratio(call.pass.terms, number),
            Value::Integer(term) => Some(Ratio { term, over: 1 }),
            _ => None,
        };
        let Some(factor) = factor else {
            return Ok(None);
        };
        factors.push(factor);
    }
    Ok(Some(factors))
}

/// Computes `GridSample`: the places of a grid, with the channels of the input.
///
/// Preconditions: equal ranks of at least 3, before version 20 of 4; equal batches; the last axis of the grid has an
/// entry for each axis of space. Size 0: not specified along space.
pub(super) fn grid(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(grid)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let ranks = if call.version() < 20 {
        4..=4
    } else {
        3..=crate::limit::MAX_RANK
    };
    if !ranks.contains(&rank) || rank_of(&grid)? != rank {
        return call.pass.refuse(if call.version() < 20 {
            "input and grid have rank 4"
        } else {
            "input and grid have equal ranks of at least 3"
        });
    }
    super::require_equal(
        call.pass,
        shape.axes[0],
        grid.axes[0],
        "the batches of input and grid differ",
    )?;
    let space = call.terms().number(Int::try_from(rank - 2).unwrap_or(0));
    super::require_equal(
        call.pass,
        grid.axes[rank - 1],
        space,
        "the last axis of the grid and the axes of space differ",
    )?;
    for size in &shape.axes[2..] {
        let is_some = call.terms().at_least(*size, 1);
        call.pass
            .require_specified(is_some, |_| "there is nothing to sample".to_owned())?;
    }
    let mut axes = vec![shape.axes[0], shape.axes[1]];
    axes.extend(&grid.axes[1..rank - 1]);
    let shape = call.pass.shape(axes)?;
    call.one(shape, &tensor)
}
