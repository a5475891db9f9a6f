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

/// Computes `Slice`: see [`bounds`]; negative steps go backwards.
///
/// Preconditions: no axis is given twice. Versions: the numbers became inputs at 10, with steps.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape)) = (call.tensor(0), call.shape(0)) else {
        return call.any();
    };
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
            if call.has(3) {
                Some(call.numbers(3))
            } else {
                None
            }
            .flatten(),
            if call.has(4) {
                Some(call.numbers(4))
            } else {
                None
            }
            .flatten(),
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
    let steps = steps.unwrap_or_else(|| vec![1; starts.len()]);
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
        // Backwards, ONNX moves a start before the axis to its first entry, where Python takes nothing.
        let start = if steps[at] < 0 {
            let least = call.terms().scale(sizes[place], -1);
            call.terms().max(starts[at], least)
        } else {
            starts[at]
        };
        let (start, length) = bounds(
            call.pass,
            sizes[place],
            Some(start),
            Some(ends[at]),
            steps[at],
        )?;
        sizes[place] = length;
        let result = shape.with_axes(sizes.clone());
        let content = elements(call.pass, &tensor, &result, place, start, steps[at]);
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
