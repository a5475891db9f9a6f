//! Equations that leave a product of unbounded factors finitely many values.
//!
//! An equation `p·(x·y) + q·x + r·y + s = 0` is `(p·x + r)·(p·y + q) = q·r - p·s`, so `p·x + r` is a divisor of a known
//! number, or one of two factors is 0. An equation whose terms are all multiples of `x` but for a constant other than 0
//! says that `x` is a divisor of that constant. Variables with one value count as constants.

use rustc_hash::FxHashSet;

use crate::constraint::{Derived, Linear, Product};
use crate::factors::divisors_of;
use crate::form::{Form, Variable};
use crate::interval::Intervals;
use crate::limit::{Limit, Meter};
use crate::number::{Overflow, multiply, subtract};
use crate::origin::{Origin, Origins};
use crate::product::Choice;

/// An equation, with the variables of one value replaced by their values.
struct Equation {
    form: Form,
    origin: Origin,
}

/// Chooses the branches that an equation leaves to a factor of one of the products.
pub(crate) fn by_equation(
    products: &[Product],
    all: &[Product],
    linear: &[Derived],
    intervals: &Intervals,
    origins: &mut Origins,
    meter: &mut Meter,
) -> Result<Option<Choice>, Limit> {
    for product in products {
        for derived in linear {
            let Linear::Zero(form) = &derived.linear else {
                continue;
            };
            if form.coefficient(product.whole) == 0 {
                continue;
            }
            meter.spend(form.len())?;
            let Ok(equation) = reduced(form, derived.origin, intervals, origins) else {
                continue;
            };
            let found = match two_factors(product, &equation, meter) {
                Ok(None) => a_divisor(product, all, &equation, meter),
                found => found,
            };
            match found {
                Ok(Some(choice)) => return Ok(Some(choice)),
                Ok(None) | Err(Limit::Overflow) => {}
                Err(limit) => return Err(limit),
            }
        }
    }
    Ok(None)
}

/// Puts the values of variables that have only one into an equation.
fn reduced(
    form: &Form,
    origin: Origin,
    intervals: &Intervals,
    origins: &mut Origins,
) -> Result<Equation, Overflow> {
    let mut equation = Equation {
        form: form.clone(),
        origin,
    };
    for variable in form.variables() {
        if let Some((low, high)) = intervals.of(variable).fixed() {
            let value = Form::constant(low.value);
            equation.form = equation.form.substituted(variable, &value)?;
            let ends = origins.join(low.origin, high.origin);
            equation.origin = origins.join(equation.origin, ends);
        }
    }
    Ok(equation)
}

fn branches(equation: &Equation, branches: Vec<Vec<Linear>>) -> Option<Choice> {
    Some(Choice {
        branches,
        because: equation.origin,
        last_is_open: false,
    })
}

/// Returns the branches of an equation over a product of two different variables and these two alone.
fn two_factors(
    product: &Product,
    equation: &Equation,
    meter: &mut Meter,
) -> Result<Option<Choice>, Limit> {
    let [x, y] = product.factors;
    let own = [product.whole, x, y];
    let form = &equation.form;
    if x == y || form.variables().any(|variable| !own.contains(&variable)) {
        return Ok(None);
    }
    let [p, q, r] = own.map(|variable| form.coefficient(variable));
    if p == 0 {
        return Ok(None);
    }
    let known = subtract(multiply(q, r)?, multiply(p, form.constant)?)?;
    let is = |variable, rest, value| -> Result<Linear, Overflow> {
        let form = Form::variable(variable).scaled(p)?;
        Ok(Linear::Zero(form.shifted(subtract(rest, value)?)?))
    };
    if known == 0 {
        return Ok(branches(
            equation,
            vec![vec![is(x, r, 0)?], vec![is(y, q, 0)?]],
        ));
    }
    let mut all = Vec::new();
    for divisor in divisors_of(known, meter)? {
        for left in [divisor, -divisor] {
            let right = known / left;
            if subtract(left, r)? % p == 0 && subtract(right, q)? % p == 0 {
                all.push(vec![is(x, r, left)?, is(y, q, right)?]);
            }
        }
    }
    Ok(branches(equation, all))
}

/// Returns the branches of an equation all of whose terms but a constant are multiples of a factor.
fn a_divisor(
    product: &Product,
    all: &[Product],
    equation: &Equation,
    meter: &mut Meter,
) -> Result<Option<Choice>, Limit> {
    let form = &equation.form;
    if form.constant == 0 {
        return Ok(None);
    }
    for factor in product.factors {
        let multiples = multiples(factor, all, meter)?;
        if !form
            .variables()
            .all(|variable| multiples.contains(&variable))
        {
            continue;
        }
        let mut values = Vec::new();
        for divisor in divisors_of(form.constant, meter)? {
            for value in [divisor, -divisor] {
                let is = Form::variable(factor).shifted(-value)?;
                values.push(vec![Linear::Zero(is)]);
            }
        }
        return Ok(branches(equation, values));
    }
    Ok(None)
}

/// Returns a variable and the products that have it as a factor, directly or through others.
fn multiples(
    factor: Variable,
    all: &[Product],
    meter: &mut Meter,
) -> Result<FxHashSet<Variable>, Limit> {
    let mut multiples = FxHashSet::from_iter([factor]);
    loop {
        meter.spend(all.len())?;
        let before = multiples.len();
        for product in all {
            if product.factors.iter().any(|part| multiples.contains(part)) {
                multiples.insert(product.whole);
            }
        }
        if multiples.len() == before {
            return Ok(multiples);
        }
    }
}
