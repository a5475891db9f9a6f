//! Slices: parts of axes from a start to an end in steps.

use super::{Call, Stop, known_axis, rows};
use crate::pass::Pass;
use crate::term::{Int, Term};
use crate::value::{Content, Shape, Tensor, Value};

/// An end beyond which every end means the end of the axis.
const FAR: Int = i32::MAX as Int;

/// Returns a place on an axis, counted from the end if it is negative, and moved into the axis.
fn clamped(pass: &mut Pass, place: Term, size: Term, low: Int, high: Term) -> Result<Term, Stop> {
    let is_negative = {
        let natural = pass.terms.at_least(place, 0);
        !pass.decide(natural)?
    };
    let place = if is_negative {
        pass.terms.add(place, size)
    } else {
        place
    };
    let low = pass.terms.number(low);
    let place = pass.terms.max(place, low);
    Ok(pass.terms.min(place, high))
}

/// Returns start and length of a slice.
///
/// Preconditions: the step is not 0. Ends beyond the axis are moved into it. Size 0: the slice is empty.
pub(super) fn bounds(
    pass: &mut Pass,
    size: Term,
    start: Option<Term>,
    end: Option<Term>,
    step: Int,
) -> Result<(Term, Term), Stop> {
    if step == 0 {
        return pass.refuse("the step of a slice is 0");
    }
    let zero = pass.terms.number(0);
    let last = pass.terms.shift(size, -1);
    let is_far = |pass: &Pass, term: Term, sign: Int| {
        pass.terms
            .as_number(term)
            .is_some_and(|number| number * sign >= FAR)
    };
    if step > 0 {
        let start = match start {
            Some(start) if is_far(pass, start, 1) => size,
            Some(start) if is_far(pass, start, -1) => zero,
            Some(start) => clamped(pass, start, size, 0, size)?,
            None => zero,
        };
        let end = match end {
            Some(end) if is_far(pass, end, -1) => zero,
            Some(end) if !is_far(pass, end, 1) => clamped(pass, end, size, 0, size)?,
            _ => size,
        };
        let span = pass.terms.subtract(end, start);
        let length = pass.terms.ceil_divide(span, step);
        return Ok((start, pass.terms.max(length, zero)));
    }
    let start = match start {
        Some(start) if is_far(pass, start, 1) => last,
        Some(start) if is_far(pass, start, -1) => pass.terms.number(-1),
        Some(start) => clamped(pass, start, size, -1, last)?,
        None => last,
    };
    let end = match end {
        Some(end) if is_far(pass, end, 1) => last,
        Some(end) if !is_far(pass, end, -1) => clamped(pass, end, size, -1, last)?,
        _ => pass.terms.number(-1),
    };
    let span = pass.terms.subtract(start, end);
    let length = pass.terms.ceil_divide(span, -step);
    Ok((start, pass.terms.max(length, zero)))
}

/// Returns the sign of a step that is no number: both are cases.
fn signed(pass: &mut Pass, step: Term) -> Result<Int, Stop> {
    let is_forward = pass.terms.at_least(step, 1);
    if pass.decide(is_forward)? {
        return Ok(1);
    }
    let zero = pass.terms.number(0);
    let is_backward = pass.terms.less(step, zero);
    pass.require(is_backward, |terms| {
        format!("the step {} is 0", terms.text(step))
    })?;
    Ok(-1)
}

/// Returns how many steps a length takes, the last of which may be shorter. The size of a step is not negative.
fn steps(pass: &mut Pass, length: Term, step: Term, sign: Int) -> Term {
    let step = pass.terms.scale(step, sign);
    let before_next = pass.terms.shift(step, -1);
    let sum = pass.terms.add(length, before_next);
    pass.terms.divide(sum, step)
}

/// Computes `Slice`: see [`bounds`]; negative steps go backwards.
///
/// Preconditions: no axis is given twice. Versions: the numbers became inputs at 10, with steps.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
    let rank = shape.axes.len();
    let (starts, ends, axes, steps) = if call.version() < 10 {
        let terms = |call: &mut Call, name: &str| {
            call.ints(name).map(|numbers| {
                numbers
                    .into_iter()
                    .map(|number| call.pass.terms.number(number))
                    .collect::<Vec<_>>()
            })
        };
        (
            terms(call, "starts"),
            terms(call, "ends"),
            call.ints("axes"),
            None,
        )
    } else {
        (
            call.integers(1),
            call.integers(2),
            match (call.has(3), shape.block) {
                (false, _) => None,
                (true, None) => call.axes_at(3, "axes", rank)?,
                (true, Some(_)) => call.numbers(3),
            },
            call.integers(4),
        )
    };
    let is_missing =
        call.version() >= 10 && (call.has(3) && axes.is_none() || call.has(4) && steps.is_none());
    let (Some(starts), Some(ends), false) = (starts, ends, is_missing) else {
        return call.any();
    };
    let axes = axes.unwrap_or_else(|| {
        (0..starts.len())
            .map(|axis| Int::try_from(axis).unwrap_or(0))
            .collect()
    });
    let one = call.terms().number(1);
    let steps = steps.unwrap_or_else(|| vec![one; starts.len()]);
    if ends.len() != starts.len() || axes.len() != starts.len() || steps.len() != starts.len() {
        return call
            .pass
            .refuse("starts, ends, axes and steps are not equally many");
    }
    let mut tensor = tensor;
    let mut sizes = shape.axes.to_vec();
    let mut is_cut = vec![false; sizes.len()];
    for (at, axis) in axes.iter().enumerate() {
        let place = known_axis(call.pass, *axis, &shape)?;
        if std::mem::replace(&mut is_cut[place], true) {
            return call.pass.refuse(format!("axis {axis} is cut twice"));
        }
        let stated = call.pass.terms.as_number(steps[at]);
        let sign = match stated {
            Some(step) => step,
            None => signed(call.pass, steps[at])?,
        };
        // Backwards, ONNX moves a start before the axis to its first entry, where Python takes nothing.
        let start = if sign < 0 {
            let least = call.terms().scale(sizes[place], -1);
            call.terms().max(starts[at], least)
        } else {
            starts[at]
        };
        let (start, length) = bounds(call.pass, sizes[place], Some(start), Some(ends[at]), sign)?;
        let length = match stated {
            Some(_) => length,
            None => self::steps(call.pass, length, steps[at], sign),
        };
        sizes[place] = length;
        let result = shape.with_axes(sizes.clone());
        let content = match stated {
            Some(step) => elements(call.pass, &tensor, &result, place, start, step),
            None => Content::Unknown,
        };
        tensor = Tensor {
            shape: Some(result),
            element: tensor.element,
            content,
        };
    }
    Ok(vec![Value::Tensor(tensor)])
}

/// Returns the elements of a slice along an axis.
pub(super) fn elements(
    pass: &Pass,
    tensor: &Tensor,
    result: &Shape,
    place: usize,
    start: Term,
    step: Int,
) -> Content {
    let Some(start) = pass.terms.as_number(start) else {
        return Content::Unknown;
    };
    rows::rearranged(pass.terms, tensor, result, |index| {
        let mut from = index.to_vec();
        let at = Int::try_from(index[place]).ok()?;
        from[place] = usize::try_from(start + at * step).ok()?;
        Some(from)
    })
}
