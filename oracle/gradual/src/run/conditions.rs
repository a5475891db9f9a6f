//! Demands of a program on its inputs, as formulas.

use std::collections::BTreeMap;

use lozenge_gradual_vocabulary::{Condition, Quantity, Restriction, Sum};
use z3::ast::{Bool, Int};

use super::{Shape, related};

/// Returns the axis of a shape, counted from the end if the place is negative.
pub(super) fn axis(shape: &Shape, place: i64) -> Option<&Int> {
    let from_the_end = usize::try_from(place.unsigned_abs()).ok()?;
    let at = match usize::try_from(place) {
        Ok(at) => at,
        Err(_) => shape.len().checked_sub(from_the_end)?,
    };
    shape.get(at)
}

/// Returns the formula that a demand is fulfilled. One that speaks of an axis that is not there is not.
pub(super) fn restriction(restriction: &Restriction, inputs: &BTreeMap<String, Shape>) -> Bool {
    let fulfilled = match restriction {
        Restriction::Holds(condition) => holds(condition, inputs),
        // In a run every size is a number, so the axis has to be there and nothing else.
        Restriction::Static { of, axis: place } => inputs.get(of).and_then(|shape| {
            place
                .is_none_or(|place| axis(shape, place).is_some())
                .then(|| Bool::from_bool(true))
        }),
    };
    fulfilled.unwrap_or_else(|| Bool::from_bool(false))
}

fn holds(condition: &Condition, inputs: &BTreeMap<String, Shape>) -> Option<Bool> {
    let left = sum(&condition.left, inputs)?;
    let right = sum(&condition.right, inputs)?;
    Some(related(condition.relation, &left, &right))
}

/// Returns the value of a sum. The reader limits how deep remainders nest.
fn sum(sum: &Sum, inputs: &BTreeMap<String, Shape>) -> Option<Int> {
    let mut value = number(sum.number)?;
    for (quantity, times) in &sum.parts {
        let part = match quantity {
            Quantity::Axis { of, at } => axis(inputs.get(of)?, *at)?.clone(),
            Quantity::Rank(of) => Int::from_u64(inputs.get(of)?.len() as u64),
            Quantity::Named(_) => return None,
            Quantity::Remainder(inner, by) => self::sum(inner, inputs)?.modulo(number(*by)?),
        };
        value = Int::add(&[value, Int::mul(&[part, number(*times)?])]);
    }
    Some(value)
}

fn number(number: i128) -> Option<Int> {
    i64::try_from(number).ok().map(Int::from_i64)
}
