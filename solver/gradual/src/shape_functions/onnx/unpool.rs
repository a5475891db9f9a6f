//! The inverse of a pool, and windows whose taps data move.

use crate::pass::Pass;
use crate::shape_functions::{Call, Stop, require_equal, require_rank, window};
use crate::term::{Int, Term};
use crate::value::{Shape, Value};

/// Computes `MaxUnpool`: the entries that a pool kept, put back to where they were.
///
/// Preconditions: rank at least 3; the places have the shape of the input; a stated shape has as many axes, the same
/// batch and channels and, as onnxruntime has it, no fewer places than the sizes `stride·(size - 1) + window - pads`.
/// Size 0: an axis of windows without entries is not specified.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(places)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let Some(taps) = call.ints("kernel_shape") else {
        return call.pass.refuse("the attribute `kernel_shape` is missing");
    };
    let axes = taps.len();
    let strides = call.ints("strides").unwrap_or_else(|| vec![1; axes]);
    let pads = call.ints("pads").unwrap_or_else(|| vec![0; 2 * axes]);
    if axes == 0 || strides.len() != axes || pads.len() != 2 * axes {
        return call.pass.refuse(format!(
            "strides and pads are wanted for the {axes} axes of the window"
        ));
    }
    require_rank(call.pass, &shape, &[axes + 2], "the input")?;
    require_rank(call.pass, &places, &[axes + 2], "the tensor of places")?;
    for (own, place) in shape.axes.iter().zip(places.axes.iter()) {
        let words = "the sizes of the input and of its places differ";
        require_equal(call.pass, *own, *place, words)?;
    }
    let mut least = shape.axes.to_vec();
    for (at, size) in least.iter_mut().skip(2).enumerate() {
        let is_some = call.terms().at_least(*size, 1);
        call.pass
            .require_specified(is_some, |_| "an axis without entries".to_owned())?;
        let before = call.terms().shift(*size, -1);
        let before = call.terms().scale(before, strides[at]);
        let more = taps[at]
            .saturating_sub(pads[at])
            .saturating_sub(pads[axes + at]);
        *size = call.terms().shift(before, more);
    }
    let result = match call.has(2) {
        true => match call.integers(2) {
            Some(stated) => reaching(call.pass, &least, stated)?,
            None => return call.any(),
        },
        false => least,
    };
    for size in &result {
        let is_natural = call.terms().at_least(*size, 0);
        call.pass.require(is_natural, |terms| {
            format!("a size of the result is {}", terms.text(*size))
        })?;
    }
    call.pass.grant("the places lie in the result");
    let result = call.pass.shape(result)?;
    call.one(result, &tensor)
}

/// Returns a stated shape, which has room for what the windows take.
fn reaching(pass: &mut Pass, least: &[Term], stated: Vec<Term>) -> Result<Vec<Term>, Stop> {
    if stated.len() != least.len() {
        return pass.refuse(format!(
            "{} sizes are stated for {} axes",
            stated.len(),
            least.len()
        ));
    }
    for at in 0..2 {
        let words = "batch and channels of the stated shape and of the input differ";
        require_equal(pass, stated[at], least[at], words)?;
    }
    let mut each = Vec::new();
    for (least, stated) in least.iter().zip(&stated) {
        each.push(pass.terms.at_most(*least, *stated));
    }
    let (all, room) = (pass.terms.product(least), pass.terms.product(&stated));
    let fits = [pass.terms.all(&each), pass.terms.at_most(all, room)];
    let fits = pass.terms.any(&fits);
    pass.require(fits, |terms| {
        format!(
            "the stated shape has {} places, and the windows take {}",
            terms.text(room),
            terms.text(all)
        )
    })?;
    Ok(stated)
}

/// Computes `DeformConv`: a convolution each of whose taps is moved by an offset, and may be weighted by a mask.
///
/// Preconditions: those of the convolution; offsets and mask have a number for each group of offsets, tap and, for
/// offsets, axis, at each place of the result. Size 0: as for the convolution.
pub(super) fn deformed(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(kernel), Some(offsets)) = (call.shape(1), call.shape(2)) else {
        return call.any();
    };
    // The bias stands behind the offsets, and not in their place as in `Conv`.
    let results = window::convolved(call, 1, Some(3))?;
    let Some(Value::Tensor(result)) = results.first() else {
        return Ok(results);
    };
    let Some(result) = result.shape.clone() else {
        return Ok(results);
    };
    let groups = call.int_or("offset_group", 1).max(1);
    let channels = call.shape(0).and_then(|shape| shape.axes.get(1).copied());
    if let Some(channels) = channels {
        let divides = call.terms().divides(groups, channels);
        call.pass.require(divides, |terms| {
            format!(
                "{groups} groups of offsets do not divide the {} channels",
                terms.text(channels)
            )
        })?;
    }
    let taps = call.terms().product(&kernel.axes[2..]);
    let taps = call.terms().scale(taps, groups);
    let axes = Int::try_from(kernel.axes.len().saturating_sub(2)).unwrap_or(Int::MAX);
    let moved = call.terms().scale(taps, axes);
    require_places(call.pass, &offsets, moved, &result, "offsets")?;
    if let Some(mask) = call.shape(4) {
        require_places(call.pass, &mask, taps, &result, "mask")?;
    }
    Ok(results)
}

/// Demands so many channels at each place of a result.
fn require_places(
    pass: &mut Pass,
    shape: &Shape,
    channels: Term,
    result: &Shape,
    who: &str,
) -> Result<(), Stop> {
    require_rank(
        pass,
        shape,
        &[result.axes.len()],
        &format!("the tensor `{who}`"),
    )?;
    let wanted = result.axes.iter().copied().enumerate();
    for (at, wanted) in wanted {
        let wanted = if at == 1 { channels } else { wanted };
        let words = format!("axis {at} of the {who} differs from what is wanted");
        require_equal(pass, shape.axes[at], wanted, &words)?;
    }
    Ok(())
}
