//! Recurrent layers: `LSTM`, `GRU` and `RNN`, which differ in the number of gates.

use super::{Call, Stop, require_equal, require_rank};
use crate::term::{Int, Term};
use crate::value::{Shape, Value};

/// Computes a recurrent layer of ONNX.
///
/// Preconditions: the input is a sequence of batches of vectors; kernels have an entry for each direction and as many
/// rows as gates times hidden size; biases, weights of peepholes, state and lengths fit. Size 0: the length may be 0; a
/// batch of 0 ends the process of onnxruntime. Versions: `layout` since 14.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(input), Some(kernel), Some(recurrence)) =
        (call.tensor(0), call.shape(0), call.shape(1), call.shape(2))
    else {
        return call.any();
    };
    let gates: Int = match call.node.operator.name.as_str() {
        "LSTM" => 4,
        "GRU" => 3,
        _ => 1,
    };
    let directions = if call.text("direction") == Some("bidirectional") {
        2
    } else {
        1
    };
    require_rank(call.pass, &input, &[3], "the input")?;
    require_rank(call.pass, &kernel, &[3], "the kernel")?;
    require_rank(call.pass, &recurrence, &[3], "the kernel of the recurrence")?;
    let is_batch_first = call.int_or("layout", 0) != 0;
    let (length, batch) = if is_batch_first {
        (input.axes[1], input.axes[0])
    } else {
        (input.axes[0], input.axes[1])
    };
    let is_some = call.terms().at_least(batch, 1);
    call.pass
        .require_specified(is_some, |_| "a batch of 0".to_owned())?;
    let hidden = match call.node.attribute("hidden_size") {
        Some(_) => {
            let hidden = call.int_or("hidden_size", 0);
            call.terms().number(hidden)
        }
        None => recurrence.axes[2],
    };
    let directions = call.terms().number(directions);
    let rows = call.terms().scale(hidden, gates);
    let wanted = [
        (
            kernel.axes[0],
            directions,
            "the directions of the kernel differ",
        ),
        (
            recurrence.axes[0],
            directions,
            "the directions of the recurrence differ",
        ),
        (
            kernel.axes[1],
            rows,
            "the rows of the kernel and the gates differ",
        ),
        (
            recurrence.axes[1],
            rows,
            "the rows of the recurrence and the gates differ",
        ),
        (
            recurrence.axes[2],
            hidden,
            "the columns of the recurrence and the hidden size differ",
        ),
        (
            input.axes[2],
            kernel.axes[2],
            "the vectors of the input and the columns of the kernel differ",
        ),
    ];
    for (left, right, what) in wanted {
        require_equal(call.pass, left, right, what)?;
    }
    let is_lstm = gates == 4;
    let two = call.terms().scale(rows, 2);
    let three = call.terms().scale(hidden, 3);
    if let Some(bias) = call.shape(3) {
        fits(call, &bias, &[directions, two], "the bias")?;
    }
    if let Some(peepholes) = call.shape(7).filter(|_| is_lstm) {
        fits(
            call,
            &peepholes,
            &[directions, three],
            "the weights of peepholes",
        )?;
    }
    if let Some(lengths) = call.shape(4) {
        fits(call, &lengths, &[batch], "the lengths")?;
    }
    let state: Vec<Term> = if is_batch_first {
        vec![batch, directions, hidden]
    } else {
        vec![directions, batch, hidden]
    };
    for place in [5, 6] {
        if let Some(initial) = call.shape(place) {
            fits(call, &initial, &state, "the initial state")?;
        }
    }
    let all = if is_batch_first {
        vec![batch, length, directions, hidden]
    } else {
        vec![length, directions, batch, hidden]
    };
    let (all, last) = (call.pass.shape(all)?, call.pass.shape(state)?);
    let last = Value::tensor(last, tensor.element);
    Ok(vec![Value::tensor(all, tensor.element), last.clone(), last])
}

fn fits(call: &mut Call, shape: &Shape, wanted: &[Term], who: &str) -> Result<(), Stop> {
    require_rank(call.pass, shape, &[wanted.len()], who)?;
    for (at, (own, wanted)) in shape.axes.iter().zip(wanted).enumerate() {
        require_equal(
            call.pass,
            *own,
            *wanted,
            &format!("axis {at} of {who} does not fit"),
        )?;
    }
    Ok(())
}
