//! Products: the linear constraints that follow from the bounds of the factors, and the branches of a search.
//!
//! The linear constraints are those of G. P. McCormick, *Computability of global solutions to factorable nonconvex
//! programs* I, Mathematical Programming 10 (1976): `(x - l)·(y - m) ≥ 0` and its three companions, multiplied out. If
//! a factor has only one value, the product is linear. If the product has only one value, its factors are divisors of
//! it. Otherwise the smallest interval of a factor is halved, so the search ends if factors are bounded.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::bands::End;
use crate::constraint::{Derived, Linear, Product};
use crate::factors::divisors_of;
use crate::form::{Form, Variable, sum};
use crate::interval::{Interval, Intervals};
use crate::limit::{Limit, Meter};
use crate::number::{Int, Overflow, multiply};
use crate::origin::{Origin, Origins};

/// The branches of a search.
#[derive(Debug)]
pub(crate) struct Choice {
    /// The alternatives, of which at least one holds.
    pub(crate) branches: Vec<Vec<Linear>>,
    /// The reason for which the branches are exhaustive.
    pub(crate) because: Origin,
    /// True if the last branch is unbounded, so that it is refuted or left open, but not searched.
    pub(crate) last_is_open: bool,
}

/// Returns the linear constraints that follow from products and the bounds of their variables.
pub(crate) fn consequences(
    products: &[Product],
    intervals: &Intervals,
    origins: &mut Origins,
) -> Result<Vec<Derived>, Overflow> {
    let mut derived = Vec::new();
    for product in products {
        let [left, right] = product.factors;
        for variable in [product.whole, left, right] {
            bounds(variable, intervals.of(variable), &mut derived)?;
        }
        for (factor, other) in [(left, right), (right, left)] {
            if let Some((low, high)) = intervals.of(factor).fixed() {
                let form =
                    Form::variable(product.whole).plus(-low.value, &Form::variable(other))?;
                derived.push(Derived {
                    linear: Linear::Zero(form),
                    origin: origins.join(low.origin, high.origin),
                });
            }
        }
        let (a, b) = (intervals.of(left), intervals.of(right));
        for (sign, x, y) in [
            (1, a.low, b.low),
            (1, a.high, b.high),
            (-1, a.high, b.low),
            (-1, a.low, b.high),
        ] {
            if let (Some(x), Some(y)) = (x, y) {
                derived.push(corner(product, sign, x, y, origins)?);
            }
        }
    }
    Ok(derived)
}

/// Adds the bounds as constraints to `derived`.
fn bounds(
    variable: Variable,
    interval: Interval,
    derived: &mut Vec<Derived>,
) -> Result<(), Overflow> {
    let form = Form::variable(variable);
    if let Some(End { value, origin }) = interval.low {
        let linear = Linear::NonNegative(form.clone().shifted(-value)?);
        derived.push(Derived { linear, origin });
    }
    if let Some(End { value, origin }) = interval.high {
        let linear = Linear::NonNegative(form.scaled(-1)?.shifted(value)?);
        derived.push(Derived { linear, origin });
    }
    Ok(())
}

/// Returns `sign · (left - x) · (right - y) ≥ 0`, with the whole in place of the product of the factors.
fn corner(
    product: &Product,
    sign: Int,
    x: End,
    y: End,
    origins: &mut Origins,
) -> Result<Derived, Overflow> {
    let [left, right] = product.factors.map(Form::variable);
    let whole = Form::variable(product.whole);
    let constant = Form::constant(multiply(x.value, y.value)?);
    let form = sum([
        (sign, &whole),
        (-sign * y.value, &left),
        (-sign * x.value, &right),
        (sign, &constant),
    ])?;
    Ok(Derived {
        linear: Linear::NonNegative(form),
        origin: origins.join(x.origin, y.origin),
    })
}

/// Chooses the branches for one of the products that the values of a relaxation violate.
pub(crate) fn branch(
    violated: &[Product],
    intervals: &Intervals,
    origins: &mut Origins,
    meter: &mut Meter,
) -> Result<Option<Choice>, Limit> {
    let wholes = violated.iter().filter_map(|product| {
        let (low, high) = intervals.of(product.whole).fixed()?;
        Some((low.value.abs(), low, high, product))
    });
    if let Some((_, low, high, product)) = wholes.min_by_key(|(size, ..)| *size) {
        let because = origins.join(low.origin, high.origin);
        return divisors(product, low.value, because, intervals, origins, meter).map(Some);
    }
    let factors = || violated.iter().flat_map(|product| product.factors);
    let all: Vec<Variable> = factors().collect();
    if let Some(choice) = narrowest(&all, intervals)? {
        return Ok(Some(choice));
    }
    // A factor that may be 0 gives no bound of the other one.
    let signless = factors().find(|factor| {
        let interval = intervals.of(*factor);
        !interval.is_at_least(1) && interval.high.is_none_or(|high| high.value >= 0)
    });
    if let Some(factor) = signless {
        return Ok(Some(signs(factor)?));
    }
    let unbounded = factors().find_map(|factor| Some((factor, intervals.of(factor).low?)));
    match unbounded {
        Some((factor, low)) => Ok(Some(boxes(factor, low.value)?)),
        None => Ok(None),
    }
}

fn equals(variable: Variable, value: Int) -> Result<Linear, Overflow> {
    Ok(Linear::Zero(Form::variable(variable).shifted(-value)?))
}

fn at_least(variable: Variable, value: Int) -> Result<Linear, Overflow> {
    let form = Form::variable(variable).shifted(-value)?;
    Ok(Linear::NonNegative(form))
}

fn at_most(variable: Variable, value: Int) -> Result<Linear, Overflow> {
    let form = Form::variable(variable).scaled(-1)?.shifted(value)?;
    Ok(Linear::NonNegative(form))
}

/// Returns the branches for the factorisations of a product with one value.
fn divisors(
    product: &Product,
    whole: Int,
    because: Origin,
    intervals: &Intervals,
    origins: &mut Origins,
    meter: &mut Meter,
) -> Result<Choice, Limit> {
    let [left, right] = product.factors;
    let mut choice = Choice {
        branches: Vec::new(),
        because,
        last_is_open: false,
    };
    if whole == 0 {
        choice.branches = vec![vec![equals(left, 0)?], vec![equals(right, 0)?]];
        return Ok(choice);
    }
    if left == right {
        let root = Int::from(whole.unsigned_abs().isqrt() as u64);
        if multiply(root, root)? == whole {
            choice.branches = vec![vec![equals(left, root)?], vec![equals(left, -root)?]];
        }
        return Ok(choice);
    }
    let positive = intervals.of(left).low.filter(|low| low.value >= 0);
    if let Some(low) = positive {
        choice.because = origins.join(because, low.origin);
    }
    for divisor in divisors_of(whole, meter)? {
        let (signs, count): ([Int; 2], usize) = match positive {
            Some(_) => ([1, 1], 1),
            None => ([1, -1], 2),
        };
        for sign in &signs[..count] {
            let factor = sign * divisor;
            let branch = vec![equals(left, factor)?, equals(right, whole / factor)?];
            choice.branches.push(branch);
        }
    }
    Ok(choice)
}

/// Returns the two halves of the narrowest finite interval with more than one value; among several, that of the
/// variable that is listed most often.
pub(crate) fn narrowest(
    variables: &[Variable],
    intervals: &Intervals,
) -> Result<Option<Choice>, Overflow> {
    let mut counts: BTreeMap<Variable, usize> = BTreeMap::new();
    for variable in variables {
        *counts.entry(*variable).or_default() += 1;
    }
    let finite = counts.into_iter().filter_map(|(variable, count)| {
        let width = intervals.of(variable).width().filter(|width| *width > 0)?;
        Some((width, Reverse(count), variable))
    });
    let Some((width, _, variable)) = finite.min() else {
        return Ok(None);
    };
    let Some(low) = intervals.of(variable).low else {
        return Ok(None);
    };
    let middle = low.value + width / 2;
    Ok(Some(Choice {
        branches: vec![
            vec![at_most(variable, middle)?],
            vec![at_least(variable, middle + 1)?],
        ],
        because: None,
        last_is_open: false,
    }))
}

/// Returns the branches "zero", "positive" and "negative".
fn signs(factor: Variable) -> Result<Choice, Overflow> {
    Ok(Choice {
        branches: vec![
            vec![equals(factor, 0)?],
            vec![at_least(factor, 1)?],
            vec![at_most(factor, -1)?],
        ],
        because: None,
        last_is_open: false,
    })
}

/// Returns the branches for a factor without an upper bound: small values, and all others.
fn boxes(factor: Variable, low: Int) -> Result<Choice, Overflow> {
    Ok(Choice {
        branches: vec![
            vec![at_most(factor, low + 15)?],
            vec![at_least(factor, low + 16)?, at_most(factor, low + 255)?],
            vec![at_least(factor, low + 256)?],
        ],
        because: None,
        last_is_open: true,
    })
}
