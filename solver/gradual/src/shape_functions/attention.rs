//! Attention, the rotation of what it gets, and the cache that it keeps.

use super::{Call, Stop, axis_of, control, pointwise, rank_of, require_equal, require_rank};
use crate::pass::Pass;
use crate::term::{Int, Term};
use crate::value::{Shape, Tensor, Value};
use lozenge_graph_vocabulary::Argument;

/// Queries, keys or values: batch, heads, length, and the size of a head.
type Heads = [Term; 4];

/// Finds the heads of a tensor of rank 4, or of one of rank 3 whose last axis holds all of them.
fn heads(call: &mut Call, shape: &Shape, attribute: &str) -> Result<Heads, Stop> {
    let rank = require_rank(call.pass, shape, &[3, 4], "an input of the attention")?;
    if rank == 4 {
        return Ok([shape.axes[0], shape.axes[1], shape.axes[2], shape.axes[3]]);
    }
    let number = call.int_or(attribute, 0);
    if number < 1 {
        return call
            .pass
            .refuse(format!("`{attribute}` is wanted for a tensor of rank 3"));
    }
    let all = shape.axes[2];
    let divides = call.terms().divides(number, all);
    call.pass.require(divides, |terms| {
        format!("{number} heads do not divide the size {}", terms.text(all))
    })?;
    let each = call.terms().floor_divide(all, number);
    let number = call.terms().number(number);
    Ok([shape.axes[0], number, shape.axes[1], each])
}

/// Computes `Attention`: values weighted by how queries meet keys.
///
/// Preconditions: equal batches; keys and values are equally many, with equally many heads, which divide those of the
/// queries; heads of queries and keys have one size; the mask is broadcast to the weights, and may be shorter at its
/// end; a past of keys comes with one of values. Size 0: as for products of matrices. Versions: the lengths of
/// sequences since 24.
pub(super) fn onnx(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(query), Some(key), Some(value)) =
        (call.tensor(0), call.shape(0), call.shape(1), call.shape(2))
    else {
        return call.any();
    };
    let is_flat = rank_of(&query)? == 3;
    let [batch, own, length, size] = heads(call, &query, "q_num_heads")?;
    let keys = heads(call, &key, "kv_num_heads")?;
    let values = heads(call, &value, "kv_num_heads")?;
    let pairs = [
        (batch, keys[0], "the batches of queries and keys differ"),
        (batch, values[0], "the batches of queries and values differ"),
        (
            size,
            keys[3],
            "the heads of queries and keys differ in size",
        ),
        (
            keys[1],
            values[1],
            "the numbers of heads of keys and values differ",
        ),
        (keys[2], values[2], "the numbers of keys and values differ"),
    ];
    for (left, right, words) in pairs {
        require_equal(call.pass, left, right, words)?;
    }
    require_groups(call.pass, own, keys[1])?;
    let Some(total) = with_past(call, keys, values)? else {
        return call.any();
    };
    let weights = call.pass.shape(vec![batch, own, length, total])?;
    if let Some(mask) = call.shape(3) {
        require_mask(call.pass, &mask, &weights)?;
    }
    let result = match is_flat {
        true => {
            let all = call.terms().multiply(own, values[3]);
            call.pass.shape(vec![batch, length, all])?
        }
        false => call.pass.shape(vec![batch, own, length, values[3]])?,
    };
    let cache = |of: Heads| Shape::new([of[0], of[1], total, of[3]]);
    let shapes = [result, cache(keys), cache(values), weights];
    Ok(shapes
        .into_iter()
        .map(|shape| Value::tensor(shape, tensor.element))
        .collect())
}

/// Computes `FlexAttention`: attention of which bodies change scores and weights.
///
/// Preconditions: rank 4, and those of [`onnx`]; a body keeps the shape of the scores.
pub(super) fn modified(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let shapes: Vec<Shape> = (0..3).filter_map(|place| call.shape(place)).collect();
    for shape in &shapes {
        require_rank(call.pass, shape, &[4], "an input of the attention")?;
    }
    let mut results = onnx(call)?;
    let Some(Value::Tensor(weights)) = results.get(3).cloned() else {
        return call.any();
    };
    for name in ["score_mod", "prob_mod"] {
        let Some(Argument::Body(body)) = call.node.attribute(name) else {
            continue;
        };
        control::enter(call.pass, *body, vec![Value::Tensor(weights.clone())]);
        let changed = call.pass.body(*body, call.level + 1)?;
        if let (Some(Value::Tensor(changed)), Some(wanted)) = (changed.first(), &weights.shape)
            && let Some(own) = &changed.shape
        {
            control::require_same(
                call.pass,
                own,
                wanted,
                "a body changes the shape of the scores",
            )?;
        }
    }
    results.truncate(1);
    Ok(results)
}

/// Demands that each head of keys serves equally many heads of queries.
fn require_groups(pass: &mut Pass, queries: Term, keys: Term) -> Result<(), Stop> {
    let each = pass.terms.divide(queries, keys);
    let all = pass.terms.multiply(each, keys);
    let whole = pass.terms.equal(all, queries);
    pass.require(whole, |terms| {
        format!(
            "{} heads of keys do not divide the {} of the queries",
            terms.text(keys),
            terms.text(queries)
        )
    })
}

/// Returns the number of keys with those of the past. Nothing where the shape of the past is not known.
fn with_past(call: &mut Call, keys: Heads, values: Heads) -> Result<Option<Term>, Stop> {
    if call.has(4) != call.has(5) {
        return call.pass.refuse("a past of keys comes with one of values");
    }
    if !call.has(4) {
        return Ok(Some(keys[2]));
    }
    let (Some(past), Some(other)) = (call.shape(4), call.shape(5)) else {
        return Ok(None);
    };
    for (past, now) in [(&past, keys), (&other, values)] {
        require_rank(call.pass, past, &[4], "the past")?;
        for at in [0, 1, 3] {
            let words = "the past and what is added to it differ beside the length";
            require_equal(call.pass, past.axes[at], now[at], words)?;
        }
    }
    let words = "the pasts of keys and values differ in length";
    require_equal(call.pass, past.axes[2], other.axes[2], words)?;
    Ok(Some(call.terms().add(past.axes[2], keys[2])))
}

/// Demands that a mask is broadcast to the weights. Its last axis may be shorter: behind it nothing is looked at.
fn require_mask(pass: &mut Pass, mask: &Shape, weights: &Shape) -> Result<(), Stop> {
    let rank = rank_of(mask)?;
    let (Some(last), Some(total)) = (mask.axes.last(), weights.axes.last()) else {
        return pass.refuse("the mask has rank 0");
    };
    let (last, total) = (*last, *total);
    let fits = pass.terms.at_most(last, total);
    pass.require(fits, |terms| {
        format!(
            "the mask is for {} keys, and there are {}",
            terms.text(last),
            terms.text(total)
        )
    })?;
    let before = |shape: &Shape, rank: usize| Shape::new(&shape.axes[..rank - 1]);
    pointwise::one_way(pass, &before(mask, rank), &before(weights, 4))
}

/// Computes `RotaryEmbedding`: the shape is kept.
///
/// Preconditions: rank 3 or 4; the tables of cosines and sines have one shape: with places of tokens rank 2, else rank
/// 3 with batch and length.
pub(super) fn rotary(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(shape), Some(cosines), Some(sines)) =
        (call.tensor(0), call.shape(0), call.shape(1), call.shape(2))
    else {
        return call.any();
    };
    let rank = require_rank(call.pass, &shape, &[3, 4], "the input")?;
    let wanted = if call.has(3) { 2 } else { 3 };
    // The tokens are axis 1 of rank 3, and axis 2 of rank 4, behind the heads.
    let (batch, length) = (shape.axes[0], shape.axes[rank - 2]);
    require_rank(call.pass, &cosines, &[wanted], "the table of cosines")?;
    require_rank(call.pass, &sines, &[wanted], "the table of sines")?;
    for (left, right) in cosines.axes.iter().zip(sines.axes.iter()) {
        require_equal(call.pass, *left, *right, "the tables differ")?;
    }
    let of_tokens = match call.shape(3) {
        Some(places) => {
            require_rank(call.pass, &places, &[2], "the places of tokens")?;
            Some(places)
        }
        None if wanted == 3 => Some(cosines),
        None => None,
    };
    if let Some(tokens) = of_tokens {
        let words = "the batches of tokens and of their places differ";
        require_equal(call.pass, tokens.axes[0], batch, words)?;
        let words = "the numbers of tokens and of their places differ";
        require_equal(call.pass, tokens.axes[1], length, words)?;
    }
    Ok(vec![super::unknown(tensor)])
}

/// Computes `TensorScatter`: a part of a cache is replaced, and its shape is kept.
///
/// Preconditions: equal ranks of at least 2; the update is no longer than the cache along the axis, and as large beside
/// it; a place for each of the batch.
pub(super) fn updated(call: &mut Call) -> Result<Vec<Value>, Stop> {
    let (Some(tensor), Some(cache), Some(update)) = (call.tensor(0), call.shape(0), call.shape(1))
    else {
        return call.any();
    };
    let rank = rank_of(&cache)?;
    if rank < 2 || rank_of(&update)? != rank {
        return call
            .pass
            .refuse("cache and update have equal ranks of at least 2");
    }
    let axis: Int = call.int_or("axis", -2);
    let place = axis_of(call.pass, axis, rank)?;
    for (at, (own, new)) in cache.axes.iter().zip(update.axes.iter()).enumerate() {
        let fits = match at == place {
            true => call.pass.terms.at_most(*new, *own),
            false => call.pass.terms.equal(*new, *own),
        };
        call.pass.require(fits, |terms| {
            format!(
                "axis {at} of the update has the size {}, and that of the cache {}",
                terms.text(*new),
                terms.text(*own)
            )
        })?;
    }
    if let Some(places) = call.shape(2) {
        require_rank(call.pass, &places, &[1], "the list of places")?;
        let words = "the numbers of places and of the batch differ";
        require_equal(call.pass, places.axes[0], cache.axes[0], words)?;
    }
    let Tensor { shape, element, .. } = tensor;
    Ok(shape.map_or_else(Vec::new, |shape| vec![Value::tensor(shape, element)]))
}
