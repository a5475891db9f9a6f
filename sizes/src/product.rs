//! Products: the linear constraints that follow from the bounds of the factors, and the branches of a search.
//!
//! The linear constraints are those of G. P. McCormick, *Computability of global solutions to factorable nonconvex programs* I,
//! Mathematical Programming 10 (1976): `(x - l)·(y - m) ≥ 0` and its three companions, multiplied out. If a factor has only one
//! value, the product is linear. If the product has only one value, its factors are divisors of it. Otherwise the smallest
//! interval of a factor is halved, so the search ends if factors are bounded.

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
    /// At least one of these holds.
    pub(crate) branches: Vec<Vec<Linear>>,
    /// Why the branches are exhaustive.
    pub(crate) because: Origin,
    /// Whether the last branch is unbounded, so that it is refuted or left open, but not searched.
    pub(crate) last_is_open: bool,
}

/// Linear constraints that follow from products and the bounds of their variables.
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

/// The bounds as constraints.
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

/// `sign · (left - x) · (right - y) ≥ 0`, with the whole in place of the product of the factors.
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

/// How to branch on one of the products that the values of a relaxation violate.
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

/// The branches for the factorisations of a product with one value.
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

/// The two halves of the narrowest finite interval with more than one value; among several, that of the variable that is
/// listed most often.
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

/// The branches "zero", "positive" and "negative".
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

/// The branches for a factor without an upper bound: small values, and all others.
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

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: Variable = Variable(0);
    const RIGHT: Variable = Variable(1);
    const WHOLE: Variable = Variable(2);
    const PRODUCT: Product = Product {
        whole: WHOLE,
        factors: [LEFT, RIGHT],
    };

    /// The bounds of some variables, each with an origin of its own.
    fn bounded(
        bounds: &[(Variable, Option<Int>, Option<Int>)],
        origins: &mut Origins,
    ) -> Intervals {
        let mut derived = Vec::new();
        for (variable, low, high) in bounds {
            let low = low.map(|low| at_least(*variable, low));
            let high = high.map(|high| at_most(*variable, high));
            for linear in low.into_iter().chain(high) {
                let number = derived.len() as u32;
                derived.push(Derived {
                    linear: linear.expect("small"),
                    origin: Some(origins.constraint(number)),
                });
            }
        }
        let mut meter = Meter::new(1 << 10);
        Intervals::propagate(&derived, &[], origins, &mut meter).expect("no contradiction")
    }

    fn at(form: &Form, point: [Int; 3]) -> Int {
        let value = form.value(|variable| point[variable.0 as usize]);
        value.expect("small")
    }

    /// The pairs of values of the factors, where each branch gives a value to both.
    fn pairs(choice: &Choice) -> Vec<[Int; 2]> {
        let value = |linear: &Linear, variable| match linear {
            Linear::Zero(form) if *form == Form::variable(variable).shifted(form.constant)? => {
                Ok(-form.constant)
            }
            other => panic!("{other:?} gives no value to {variable:?}"),
        };
        let pair = |branch: &Vec<Linear>| -> Result<[Int; 2], Overflow> {
            Ok([value(&branch[0], LEFT)?, value(&branch[1], RIGHT)?])
        };
        let pairs: Result<Vec<_>, _> = choice.branches.iter().map(pair).collect();
        pairs.expect("small")
    }

    fn chosen(bounds: &[(Variable, Option<Int>, Option<Int>)], product: &Product) -> Choice {
        let mut origins = Origins::new();
        let intervals = bounded(bounds, &mut origins);
        let choice = branch(
            &[*product],
            &intervals,
            &mut origins,
            &mut Meter::new(1 << 10),
        );
        choice.expect("little work").expect("there is a choice")
    }

    #[test]
    fn linear_bounds_of_a_product_hold_at_all_its_points_and_touch_it_at_the_corners() {
        let (a, b) = ([-2, 3], [1, 5]);
        let mut origins = Origins::new();
        let bounds = [
            (LEFT, Some(a[0]), Some(a[1])),
            (RIGHT, Some(b[0]), Some(b[1])),
        ];
        let intervals = bounded(&bounds, &mut origins);
        let derived = consequences(&[PRODUCT], &intervals, &mut origins).expect("small");
        let corners = &derived[derived.len() - 4..];
        for left in a[0]..=a[1] {
            for right in b[0]..=b[1] {
                let point = [left, right, left * right];
                let values = corners.iter().map(|one| at(one.linear.form(), point));
                assert!(values.clone().all(|value| value >= 0), "{point:?}");
                // Each bound touches the product where one of the factors is at its end.
                let touched = values.filter(|value| *value == 0).count();
                let ends = usize::from(a.contains(&left)) + usize::from(b.contains(&right));
                assert_eq!(touched, [0, 2, 3][ends], "{point:?}");
            }
        }
        // Beside them, the bounds of the factors hold inside of the box and nowhere else.
        let bounds = &derived[..derived.len() - 4];
        for left in a[0] - 1..=a[1] + 1 {
            for right in b[0] - 1..=b[1] + 1 {
                let mut values = bounds
                    .iter()
                    .map(|one| at(one.linear.form(), [left, right, 0]));
                let inside = (a[0]..=a[1]).contains(&left) && (b[0]..=b[1]).contains(&right);
                assert_eq!(values.all(|value| value >= 0), inside, "{left} {right}");
            }
        }
    }

    #[test]
    fn a_product_is_linear_where_a_factor_has_one_value() {
        for (fixed, free) in [(LEFT, RIGHT), (RIGHT, LEFT)] {
            let mut origins = Origins::new();
            let intervals = bounded(&[(fixed, Some(7), Some(7))], &mut origins);
            let derived = consequences(&[PRODUCT], &intervals, &mut origins).expect("small");
            let equation = Form::variable(WHOLE).plus(-7, &Form::variable(free));
            let equation = Linear::Zero(equation.expect("small"));
            let found = derived.iter().find(|one| one.linear == equation);
            // It rests on both ends of the one value.
            let mut leaves = crate::origin::Leaves::new();
            origins.collect([found.expect("it is derived").origin], &mut leaves);
            assert_eq!(leaves.len(), 2);
        }
    }

    #[test]
    fn a_known_product_is_branched_on_by_its_divisors() {
        let six = (WHOLE, Some(6), Some(6));
        let positive = chosen(&[six, (LEFT, Some(0), None)], &PRODUCT);
        assert_eq!(pairs(&positive), [[1, 6], [2, 3], [3, 2], [6, 1]]);
        // That the bound rules out negative factors is a part of the reasons.
        let mut origins = Origins::new();
        let intervals = bounded(&[six, (LEFT, Some(0), None)], &mut origins);
        let choice = branch(
            &[PRODUCT],
            &intervals,
            &mut origins,
            &mut Meter::new(1 << 10),
        );
        let because = choice.expect("little work").expect("a choice").because;
        let mut leaves = crate::origin::Leaves::new();
        origins.collect([because], &mut leaves);
        assert_eq!(leaves.len(), 3);
        // A factor that may be negative takes both signs.
        let signed = chosen(&[six, (LEFT, Some(-1), None)], &PRODUCT);
        let mut found = pairs(&signed);
        found.sort_unstable();
        let expected = [-6, -3, -2, -1, 1, 2, 3, 6].map(|left| [left, 6 / left]);
        assert_eq!(found, expected);
        let negative = chosen(
            &[(WHOLE, Some(-6), Some(-6)), (LEFT, Some(1), None)],
            &PRODUCT,
        );
        assert_eq!(pairs(&negative), [[1, -6], [2, -3], [3, -2], [6, -1]]);
        // A product that is 0 has a factor that is 0.
        let zero = chosen(&[(WHOLE, Some(0), Some(0))], &PRODUCT);
        let expected = [LEFT, RIGHT].map(|factor| vec![equals(factor, 0).expect("small")]);
        assert_eq!(zero.branches, expected);
    }

    #[test]
    fn a_known_square_has_two_roots_or_none() {
        let square = Product {
            whole: WHOLE,
            factors: [LEFT, LEFT],
        };
        let nine = chosen(&[(WHOLE, Some(9), Some(9))], &square);
        let roots = [3, -3].map(|root| vec![equals(LEFT, root).expect("small")]);
        assert_eq!(nine.branches, roots);
        for number in [8, -9] {
            let none = chosen(&[(WHOLE, Some(number), Some(number))], &square);
            assert!(none.branches.is_empty(), "{number}");
        }
    }

    #[test]
    fn the_narrowest_interval_is_halved() {
        let halves = |variable, middle| {
            vec![
                vec![at_most(variable, middle).expect("small")],
                vec![at_least(variable, middle + 1).expect("small")],
            ]
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(Variable);
        let mut origins = Origins::new();
        let bounds = [
            (a, Some(10), Some(20)),
            (b, Some(3), Some(8)),
            (c, Some(11), Some(16)),
            (d, Some(4), Some(4)),
        ];
        let intervals = bounded(&bounds, &mut origins);
        let narrowest = |variables: &[Variable]| {
            let choice = narrowest(variables, &intervals).expect("small");
            choice.map(|choice| choice.branches)
        };
        assert_eq!(narrowest(&[a, b, d]), Some(halves(b, 5)));
        assert_eq!(narrowest(&[a]), Some(halves(a, 15)));
        // Of two that are as narrow, the one that is listed more often, and otherwise the first.
        assert_eq!(narrowest(&[b, c]), Some(halves(b, 5)));
        assert_eq!(narrowest(&[b, c, c]), Some(halves(c, 13)));
        // One value, or no bound on a side, leaves nothing to halve.
        assert_eq!(narrowest(&[d, Variable(9)]), None);
    }

    #[test]
    fn a_factor_without_a_sign_is_told_its_sign_before_any_value() {
        let signs = |factor| signs(factor).expect("small").branches;
        let boxes = |factor, low| boxes(factor, low).expect("small").branches;
        let branches = |bounds: &[_]| chosen(bounds, &PRODUCT).branches;
        // It may be 0, whatever bounds it has on one side.
        assert_eq!(branches(&[(RIGHT, Some(1), None)]), signs(LEFT));
        assert_eq!(
            branches(&[(LEFT, Some(0), None), (RIGHT, Some(1), None)]),
            signs(LEFT)
        );
        assert_eq!(
            branches(&[(LEFT, None, Some(0)), (RIGHT, Some(1), None)]),
            signs(LEFT)
        );
        assert_eq!(branches(&[(LEFT, Some(1), None)]), signs(RIGHT));
        // Both are known not to be 0. The one that has a least value is tried from there.
        assert_eq!(
            branches(&[(LEFT, None, Some(-1)), (RIGHT, Some(3), None)]),
            boxes(RIGHT, 3)
        );
        // From 3 there are 16 values, 240 more, and all others.
        let tried = boxes(RIGHT, 3);
        let holds = |value: Int| {
            let counts = tried.iter().map(|branch| {
                let mut values = branch.iter().map(|one| at(one.form(), [0, value, 0]));
                values.all(|value| value >= 0)
            });
            counts.collect::<Vec<_>>()
        };
        assert_eq!(holds(18), [true, false, false]);
        assert_eq!(holds(19), [false, true, false]);
        assert_eq!(holds(258), [false, true, false]);
        assert_eq!(holds(259), [false, false, true]);
        // Nothing is left to be tried where no factor has a least value.
        let mut origins = Origins::new();
        let high = Some(-1);
        let intervals = bounded(&[(LEFT, None, high), (RIGHT, None, high)], &mut origins);
        let mut meter = Meter::new(1 << 10);
        let choice = branch(&[PRODUCT], &intervals, &mut origins, &mut meter);
        assert!(matches!(choice, Ok(None)));
    }
}
