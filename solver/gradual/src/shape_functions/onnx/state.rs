//! Layers that carry a state from one part of a sequence to the next, in place of a cache of keys: linear attention and
//! causal convolutions.

use crate::pass::Pass;
use crate::shape_functions::{Call, Stop, require_equal, require_rank};
use crate::term::{Int, Term};
use crate::value::{Shape, Value};

/// Returns a stated number of heads, which is at least 1.
fn heads(call: &Call, name: &str) -> Result<Int, Stop> {
    match call.int_or(name, 0) {
        number if number >= 1 => Ok(number),
        _ => call.pass.refuse(format!("`{name}` is at least 1")),
    }
}

/// Demands that heads divide the last axis of a tensor, and returns the size of each.
fn head_size(pass: &mut Pass, all: Term, heads: Int) -> Result<Term, Stop> {
    let divides = pass.terms.divides(heads, all);
    pass.require(divides, |terms| {
        format!("{heads} heads do not divide the size {}", terms.text(all))
    })?;
    Ok(pass.terms.floor_divide(all, heads))
}

/// Computes `LinearAttention`: queries meet a state that keys and values change token by token.
///
/// Preconditions: rank 3, with equal batches and lengths; the heads divide the last axes, and those of keys divide
/// those of queries; heads of queries and keys have one size; the state has rank 4, with batch, heads and the sizes of
/// a key and a value; the decay has a number for each key or each head, `beta` for each head or one. Size 0: kept.
pub(super) fn linear_attention(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(query), Some(key), Some(value)) =
        (call.tensor(0), call.shape(0), call.shape(1), call.shape(2))
    else {
        return call.any();
    };
    let (own, shared) = (heads(call, "q_num_heads")?, heads(call, "kv_num_heads")?);
    if own % shared != 0 {
        return call.pass.refuse(format!(
            "{shared} heads of keys do not divide the {own} of the queries"
        ));
    }
    for (shape, who) in [
        (&query, "the tensor of queries"),
        (&key, "the tensor of keys"),
        (&value, "the tensor of values"),
    ] {
        require_rank(call.pass, shape, &[3], who)?;
        same_tokens(call.pass, &query, shape)?;
    }
    let size = head_size(call.pass, query.axes[2], own)?;
    let key_size = head_size(call.pass, key.axes[2], shared)?;
    let value_size = head_size(call.pass, value.axes[2], shared)?;
    let words = "the heads of queries and keys differ in size";
    require_equal(call.pass, size, key_size, words)?;
    let number = call.terms().number(shared);
    let state = call
        .pass
        .shape(vec![query.axes[0], number, key_size, value_size])?;
    if let Some(past) = call.shape(3) {
        same_state(call.pass, &past, &state)?;
    }
    let one = call.terms().number(1);
    for (place, other, who) in [(4, key.axes[2], "the decay"), (5, one, "`beta`")] {
        let Some(shape) = call.shape(place) else {
            continue;
        };
        require_rank(call.pass, &shape, &[3], who)?;
        same_tokens(call.pass, &query, &shape)?;
        let last = shape.axes[2];
        let each = [
            call.terms().equal(last, number),
            call.terms().equal(last, other),
        ];
        let fits = call.terms().any(&each);
        call.pass.require(fits, |terms| {
            format!(
                "the last axis of {who} is {}, where {} or {} is wanted",
                terms.text(last),
                terms.text(number),
                terms.text(other)
            )
        })?;
    }
    let all = call.terms().scale(value_size, own);
    let result = call.pass.shape(vec![query.axes[0], query.axes[1], all])?;
    Ok(vec![
        Value::tensor(result, tensor.element),
        Value::tensor(state, tensor.element),
    ])
}

/// Demands that batches and lengths are those of the queries.
fn same_tokens(pass: &mut Pass, query: &Shape, shape: &Shape) -> Result<(), Stop> {
    for (at, words) in [
        "the batches of queries and of what meets them differ",
        "the numbers of queries and of what meets them differ",
    ]
    .into_iter()
    .enumerate()
    {
        require_equal(pass, query.axes[at], shape.axes[at], words)?;
    }
    Ok(())
}

/// Demands that a state from before has the shape of the one that is made.
fn same_state(pass: &mut Pass, past: &Shape, state: &Shape) -> Result<(), Stop> {
    require_rank(pass, past, &[state.axes.len()], "the state")?;
    for (at, (past, now)) in past.axes.iter().zip(state.axes.iter()).enumerate() {
        let words = format!("axis {at} of the state differs from what is wanted");
        require_equal(pass, *past, *now, &words)?;
    }
    Ok(())
}

/// Computes `CausalConvWithState`: a convolution of each channel by itself, which looks back only.
///
/// Preconditions: rank 3; the kernel has the channels of the input, 1 and the taps; the bias has the channels; the
/// state has batch, channels and one place less than the taps. Size 0: kept, but a kernel has a tap.
pub(super) fn causal(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(kernel)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    require_rank(call.pass, &shape, &[3], "the input")?;
    require_rank(call.pass, &kernel, &[3], "the kernel")?;
    let (channels, taps) = (shape.axes[1], kernel.axes[2]);
    let words = "the channels of the input and those of the kernel differ";
    require_equal(call.pass, channels, kernel.axes[0], words)?;
    let one = call.terms().number(1);
    let words = "the kernel has other than one channel for each of the input";
    require_equal(call.pass, kernel.axes[1], one, words)?;
    let is_some = call.terms().at_least(taps, 1);
    call.pass
        .require(is_some, |_| "the kernel has no taps".to_owned())?;
    if let Some(bias) = call.shape(2) {
        require_rank(call.pass, &bias, &[1], "the bias")?;
        let words = "the bias and the channels differ";
        require_equal(call.pass, bias.axes[0], channels, words)?;
    }
    let before = call.terms().shift(taps, -1);
    let state = call.pass.shape(vec![shape.axes[0], channels, before])?;
    if let Some(past) = call.shape(3) {
        same_state(call.pass, &past, &state)?;
    }
    Ok(vec![
        Value::tensor(shape, tensor.element),
        Value::tensor(state, tensor.element),
    ])
}
