//! The linear bounds of products, and the branches of the search for their factors.

use super::*;

const LEFT: Variable = Variable(0);
const RIGHT: Variable = Variable(1);
const WHOLE: Variable = Variable(2);
const PRODUCT: Product = Product {
    whole: WHOLE,
    factors: [LEFT, RIGHT],
};

/// Returns the bounds of some variables, each with an origin of its own.
fn bounded(bounds: &[(Variable, Option<Int>, Option<Int>)], origins: &mut Origins) -> Intervals {
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

/// Returns the pairs of values of the factors, where each branch gives a value to both.
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
        // The equation rests on both ends of the one value.
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
    // The other factor may be 0, whatever bounds it has on one side.
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
    // Both factors are known not to be 0. The one that has a least value is tried from there.
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
