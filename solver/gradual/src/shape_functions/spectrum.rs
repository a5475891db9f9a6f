//! Fourier transforms.

use super::{Call, Stop, axis_of, rank_of};
use crate::term::{Int, Term};
use crate::value::Value;

/// Computes `DFT`: the frequencies along one axis; the last axis holds real and imaginary parts.
///
/// Preconditions: the last axis has size 1 or 2, and is not the transformed one. Versions: the axis became an
/// input at 20. The inverse of half a spectrum is not followed.
pub(super) fn fourier(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = rank_of(&shape)?;
    let axis = match (call.version() < 20, call.has(2)) {
        (true, _) => Some(call.int_or("axis", 1)),
        (false, false) => Some(-2),
        (false, true) => call.numbers(2).and_then(|axis| axis.first().copied()),
    };
    let is_half = call.int_or("onesided", 0) != 0;
    let is_inverse = call.int_or("inverse", 0) != 0;
    let (Some(axis), false) = (axis, is_half && is_inverse) else {
        return call.any();
    };
    let place = axis_of(call.pass, axis, rank)?;
    if place + 1 == rank {
        return call.pass.refuse("the last axis holds the parts of numbers");
    }
    require_parts(call, shape.axes[rank - 1])?;
    let length = match call.has(1) {
        false => Some(shape.axes[place]),
        true => call.integers(1).and_then(|length| length.first().copied()),
    };
    let Some(length) = length else {
        return call.any();
    };
    let is_some = call.terms().at_least(length, 1);
    call.pass
        .require_specified(is_some, |_| "there is no signal".to_owned())?;
    let mut axes = shape.axes.to_vec();
    axes[place] = bins(call, length, is_half);
    axes[rank - 1] = call.terms().number(2);
    let result = call.pass.shape(axes)?;
    call.one(result, &tensor)
}

/// Demands that an axis holds real parts, or real and imaginary ones.
fn require_parts(call: &mut Call, size: Term) -> Result<(), Stop> {
    let each = [call.terms().is(size, 1), call.terms().is(size, 2)];
    let fine = call.terms().any(&each);
    call.pass.require(fine, |terms| {
        format!(
            "a number has 1 or 2 parts, and the last axis the size {}",
            terms.text(size)
        )
    })
}

/// Returns the number of frequencies of a signal.
fn bins(call: &mut Call, length: Term, is_half: bool) -> Term {
    if !is_half {
        return length;
    }
    let half = call.terms().floor_divide(length, 2);
    call.terms().shift(half, 1)
}

/// Computes `STFT`: the frequencies of the parts of a signal.
///
/// Preconditions: a batch of signals, whose last axis, if there is a third, has size 1 or 2; the step is at least 1; a
/// part fits into the signal.
pub(super) fn frames(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = super::require_rank(call.pass, &shape, &[2, 3], "the signal")?;
    if rank == 3 {
        require_parts(call, shape.axes[2])?;
    }
    let step = call.numbers(1).and_then(|step| step.first().copied());
    let length = match (call.has(3), call.shape(2)) {
        (true, _) => call.integers(3).and_then(|length| length.first().copied()),
        (false, Some(window)) => window.axes.first().copied(),
        (false, None) => None,
    };
    let (Some(step), Some(length)) = (step, length) else {
        return call.any();
    };
    let step: Int = step;
    if step < 1 {
        return call.pass.refuse("the step is at least 1");
    }
    let room = call.terms().subtract(shape.axes[1], length);
    let each = [
        call.terms().at_least(room, 0),
        call.terms().at_least(length, 1),
    ];
    let fits = call.terms().all(&each);
    call.pass.require_specified(fits, |terms| {
        format!(
            "a part of {} does not fit into the signal of {}",
            terms.text(length),
            terms.text(shape.axes[1])
        )
    })?;
    let steps = call.terms().floor_divide(room, step);
    let count = call.terms().shift(steps, 1);
    let is_half = call.int_or("onesided", 1) != 0;
    let bins = bins(call, length, is_half);
    let two = call.terms().number(2);
    let result = call.pass.shape(vec![shape.axes[0], count, bins, two])?;
    call.one(result, &tensor)
}
