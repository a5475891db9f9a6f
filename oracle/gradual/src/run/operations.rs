//! The operations on shapes of known rank: the formula under which each succeeds, and what it gives.

use lozenge_gradual_vocabulary::{Dimension, ExpressionId, Type};
use z3::ast::{Bool, Int};

use super::{Guarded, Shape};

/// Returns the product of sizes; 1 where there are none.
fn product(sizes: &[Int]) -> Int {
    match sizes {
        [] => Int::from_u64(1),
        [one] => one.clone(),
        more => Int::mul(more),
    }
}

/// Returns a tensor with as many elements and the wanted shape. One size of it may be left open; what is left is a
/// number of its own, and the place makes its name.
pub(super) fn reshape(at: ExpressionId, shape: &Shape, target: &Type) -> Option<Guarded<Shape>> {
    let wanted = target.dimensions()?;
    let known: Vec<Int> = wanted
        .iter()
        .filter_map(|dimension| dimension.size())
        .map(Int::from_u64)
        .collect();
    let (elements, known) = (product(shape), product(&known));
    let is_open = |dimension: &&Dimension| dimension.size().is_none();
    match wanted.iter().filter(is_open).count() {
        0 => {
            let sizes = wanted.iter().filter_map(|dimension| dimension.size());
            Some((elements.eq(known), sizes.map(Int::from_u64).collect()))
        }
        1 => {
            let open = Int::new_const(format!("open{}_{}", at.0, shape.len()));
            let zero = Int::from_u64(0);
            let succeeds = Bool::and(&[
                known.gt(&zero),
                open.ge(&zero),
                Int::mul(&[&known, &open]).eq(elements),
            ]);
            let sizes = wanted.iter().map(|dimension| match dimension {
                Dimension::Size(size) => Int::from_u64(*size),
                Dimension::Dyn => open.clone(),
            });
            Some((succeeds, sizes.collect()))
        }
        _ => None,
    }
}

/// Returns a tensor of the wanted shape, whatever the number of elements is. What is left open is their number through
/// that of the others, rounded down.
pub(super) fn reshape_rounded(
    at: ExpressionId,
    shape: &Shape,
    target: &Type,
) -> Option<Guarded<Shape>> {
    let wanted = target.dimensions()?;
    let sizes = wanted.iter().filter_map(|dimension| dimension.size());
    let known: Vec<Int> = sizes.map(Int::from_u64).collect();
    let (elements, known) = (product(shape), product(&known));
    let is_open = |dimension: &&Dimension| dimension.size().is_none();
    let count = wanted.iter().filter(is_open).count();
    let is_nothing = wanted.iter().any(|dimension| dimension.size() == Some(0));
    if count > 1 || count == 1 && is_nothing {
        return None;
    }
    let open = Int::new_const(format!("open{}_{}", at.0, shape.len()));
    let below = Int::mul(&[&known, &open]);
    let is_rounded = Bool::and(&[
        open.ge(Int::from_u64(0)),
        below.le(&elements),
        Int::add(&[&below, &known]).gt(&elements),
    ]);
    let sizes = wanted.iter().map(|dimension| match dimension {
        Dimension::Size(size) => Int::from_u64(*size),
        Dimension::Dyn => open.clone(),
    });
    let formula = match count {
        0 => Bool::from_bool(true),
        _ => is_rounded,
    };
    Some((formula, sizes.collect()))
}

/// Returns a convolution of a batch of images, without padding, with stride 1.
pub(super) fn conv2d(
    shape: &Shape,
    (in_channels, out_channels): (u64, u64),
    kernel: &[u64],
) -> Option<Guarded<Shape>> {
    let [batch, channels, height, width] = &shape[..] else {
        return None;
    };
    let [down, across] = kernel else {
        return None;
    };
    let number = |number: u64| Int::from_u64(number);
    let fits = Bool::from_bool(out_channels > 0 && *down > 0 && *across > 0);
    let succeeds = Bool::and(&[
        fits,
        channels.eq(number(in_channels)),
        height.ge(number(*down)),
        width.ge(number(*across)),
    ]);
    let left = |size: &Int, kernel: u64| Int::sub(&[size, &number(kernel)]) + 1i64;
    let result = vec![
        batch.clone(),
        number(out_channels),
        left(height, *down),
        left(width, *across),
    ];
    Some((succeeds, result))
}

/// Returns the sum of two tensors, of which sizes 1 are stretched.
pub(super) fn add(left: &Shape, right: &Shape) -> Guarded<Shape> {
    let (long, short) = match left.len() >= right.len() {
        true => (left, right),
        false => (right, left),
    };
    let more = long.len() - short.len();
    let mut sum: Shape = long[..more].to_vec();
    let mut facts = vec![Bool::from_bool(true)];
    let one = Int::from_u64(1);
    for (left, right) in long[more..].iter().zip(short) {
        facts.push(Bool::or(&[left.eq(right), left.eq(&one), right.eq(&one)]));
        sum.push(left.eq(&one).ite(right, left));
    }
    (Bool::and(&facts), sum)
}
