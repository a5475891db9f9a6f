//! Random systems of inequalities, compared with enumeration of a box and with the Omega test.

use super::*;

fn form(terms: &[(u32, Int)], constant: Int) -> Form {
    let mut form = Form::constant(constant);
    for (variable, factor) in terms {
        form = form
            .plus(*factor, &Form::variable(Variable(*variable)))
            .expect("small");
    }
    form
}

/// Tells whether the sum of a combination of inequalities is a negative number.
fn refutes(inequalities: &[Form], combination: &Combination) -> bool {
    let mut sum = Form::default();
    for (number, factor) in combination {
        let form = &inequalities[*number as usize];
        let divisor = form.content();
        let rounded = match divisor {
            0 => form.clone(),
            _ => form.map(|number| floor_div(number, divisor)),
        };
        assert!(*factor > 0);
        sum = sum.plus(*factor, &rounded).expect("small");
    }
    sum.as_constant().is_some_and(|constant| constant < 0)
}

fn draw(seed: &mut u64, below: u64) -> Int {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    Int::from(*seed % below)
}

/// Tells whether inequalities have an integer solution, by dividing at solutions that are not integral, and counts the
/// divisions.
fn divided(inequalities: &[Form]) -> (bool, usize) {
    let mut simplex = Simplex::new(1 << 24);
    let mut refuted = false;
    for form in inequalities {
        refuted |= simplex.assert(form, 0).expect("little work").is_some();
    }
    // The parts that are still to be decided, each given by its assumptions.
    let mut open = if refuted {
        vec![]
    } else {
        vec![Vec::<Form>::new()]
    };
    let mut divisions = 0;
    while let Some(assumed) = open.pop() {
        simplex.push();
        let mut refuted = false;
        for form in &assumed {
            refuted |= simplex.assert(form, 0).expect("little work").is_some();
        }
        if !refuted && simplex.check().expect("little work").is_none() {
            match simplex.division(assumed.len() >= 8).expect("little work") {
                None => return (true, divisions),
                Some(form) => {
                    divisions += 1;
                    let negative = form.scaled(-1).and_then(|form| form.shifted(-1));
                    for part in [form, negative.expect("small")] {
                        open.push(assumed.iter().cloned().chain([part]).collect());
                    }
                }
            }
        }
        simplex.pop();
    }
    (false, divisions)
}

/// Compared with the Omega test on systems with unbounded variables: the answer is the same, and the divisions end.
#[test]
fn divisions_come_to_an_end_where_nothing_bounds_the_variables() {
    use crate::{Fact, Reason, Store, Verdict};
    let (mut with, mut without, mut most) = (0, 0, 0);
    for number in 0..4000_u64 {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64.wrapping_add(number * 0x2545_F491);
        let mut inequalities = Vec::new();
        let mut store = Store::new();
        let variables = [0; 4].map(|_| store.natural());
        for variable in 0..4 {
            inequalities.push(form(&[(variable, 1)], 0));
        }
        for _ in 0..4 {
            let terms = [0, 1, 2, 3].map(|v| (v, draw(&mut seed, 9) - 4));
            let constant = draw(&mut seed, 9) - 4;
            let one = form(&terms, constant);
            let sum: Vec<_> = (terms.iter().zip(variables))
                .map(|((_, factor), term)| (*factor as i64, term))
                .collect();
            let (sum, zero) = (store.sum(&sum, constant as i64), store.number(0));
            store.assert(Fact::AtMost(zero, sum), Reason(0));
            inequalities.push(one.clone());
            // Often a narrow band, which has infinitely many solutions that are not integral.
            if draw(&mut seed, 3) > 0 {
                let wide = draw(&mut seed, 2);
                inequalities.push(one.scaled(-1).and_then(|f| f.shifted(wide)).expect("small"));
                let most = store.number(wide as i64);
                store.assert(Fact::AtMost(sum, most), Reason(0));
            }
        }
        let (found, divisions) = divided(&inequalities);
        most = most.max(divisions);
        match store.check() {
            Verdict::Satisfiable => {
                with += 1;
                assert!(found, "{inequalities:?}");
            }
            Verdict::Unsatisfiable(_) => {
                without += 1;
                assert!(!found, "{inequalities:?}");
            }
            Verdict::Unknown(_) => {}
        }
    }
    assert!(with > 500 && without > 500, "{with} {without} {most}");
}

/// Tested on every point of a box: a refuted system has no solution there and a valid combination. Any other system has
/// values that satisfy it, and no solution in the box has a smaller sum.
#[test]
fn random_systems_have_a_least_solution_or_a_combination_that_refutes_them() {
    let (mut refuted, mut found) = (0, 0);
    for number in 0..2000 {
        let mut seed = 88_172_645_463_325_252 + number * 0x9E37_79B9;
        let mut inequalities: Vec<Form> = (0..3).map(|v| form(&[(v, 1)], 0)).collect();
        for _ in 0..5 {
            let terms = [0, 1, 2].map(|v| (v, draw(&mut seed, 5) - 2));
            inequalities.push(form(&terms, draw(&mut seed, 9) - 5));
        }
        let mut simplex = Simplex::new(1 << 20);
        // Inequalities that are dropped again leave no trace.
        simplex.push();
        let _ = simplex.assert(&form(&[(0, -1)], -1), 99);
        let _ = simplex.check();
        simplex.pop();
        let mut combination = None;
        for (number, inequality) in inequalities.iter().enumerate() {
            combination = simplex
                .assert(inequality, number as u32)
                .expect("little work");
            if combination.is_some() {
                break;
            }
        }
        if combination.is_none() {
            combination = simplex.check().expect("little work");
        }
        let sum = form(&[(0, 1), (1, 1), (2, 1)], 0);
        let points = (0..1000).map(|n| [n % 10, n / 10 % 10, n / 100]);
        let holds = |point: &[Int; 3]| {
            let value = |f: &Form| f.value(|v| point[v.0 as usize]).expect("small");
            inequalities.iter().all(|f| value(f) >= 0)
        };
        let least = points
            .filter(holds)
            .map(|point| point.iter().sum::<Int>())
            .min();
        match combination {
            Some(combination) => {
                refuted += 1;
                assert_eq!(least, None, "{inequalities:?}");
                assert!(
                    refutes(&inequalities, &combination),
                    "{inequalities:?} {combination:?}"
                );
            }
            None => {
                found += 1;
                let value = simplex
                    .minimise(&sum)
                    .expect("little work")
                    .expect("at least 0");
                assert!(value.sign() >= 0);
                assert!(
                    least.is_none_or(|least| least >= value.ceil()),
                    "{inequalities:?}"
                );
                for f in &inequalities {
                    let mut at = Rational::integer(f.constant);
                    for (variable, factor) in f.terms() {
                        at = at
                            .plus(*factor, 1, simplex.value(*variable))
                            .expect("small");
                    }
                    assert!(at.sign() >= 0, "{inequalities:?}: {f:?}");
                }
            }
        }
    }
    assert!(refuted > 200 && found > 200, "{refuted} {found}");
}

#[test]
fn a_number_is_at_least_zero_or_refutes_itself() {
    let mut simplex = Simplex::new(100);
    for (constant, expected) in [(-1, Some(vec![(7, 1)])), (0, None), (1, None)] {
        assert_eq!(simplex.assert(&form(&[], constant), 7), Ok(expected));
    }
}

#[test]
fn the_first_of_two_equal_bounds_is_kept_and_one_that_crosses_it_is_refused() {
    let mut simplex = Simplex::new(1 << 10);
    let at_least = |value: Int| form(&[(0, 1)], -value);
    let at_most = |value: Int| form(&[(0, -1)], value);
    assert_eq!(simplex.assert(&at_least(2), 1), Ok(None));
    assert_eq!(simplex.assert(&at_least(2), 2), Ok(None));
    assert_eq!(simplex.assert(&at_least(1), 3), Ok(None));
    let crossed = simplex.assert(&at_most(1), 4);
    assert_eq!(crossed, Ok(Some(vec![(4, 1), (1, 1)])));
    assert_eq!(simplex.assert(&at_most(2), 5), Ok(None));
    let crossed = simplex.assert(&at_least(3), 6);
    assert_eq!(crossed, Ok(Some(vec![(6, 1), (5, 1)])));
    assert_eq!(simplex.value(Variable(0)), Rational::integer(2));
}

#[test]
fn bounds_that_were_dropped_hold_no_longer() {
    let mut simplex = Simplex::new(1 << 10);
    let (x, sum) = (form(&[(0, 1)], 0), form(&[(0, 1), (1, 1)], 0));
    let below = |form: &Form, most: Int| form.scaled(-1).and_then(|form| form.shifted(most));
    for (form, number) in [(below(&x, 9), 0), (below(&sum, 20), 1)] {
        assert_eq!(simplex.assert(&form.expect("small"), number), Ok(None));
    }
    simplex.push();
    for (form, number) in [(below(&x, 3), 2), (below(&sum, 4), 3)] {
        assert_eq!(simplex.assert(&form.expect("small"), number), Ok(None));
    }
    let greatest = |simplex: &mut Simplex, form: &Form| {
        assert_eq!(simplex.check(), Ok(None));
        let least = simplex.minimise(&form.scaled(-1).expect("small"));
        least.expect("little work").and_then(Rational::as_integer)
    };
    assert_eq!(greatest(&mut simplex, &x), Some(-3));
    assert_eq!(greatest(&mut simplex, &sum), Some(-4));
    simplex.pop();
    // The inequalities from before hold still.
    assert_eq!(greatest(&mut simplex, &x), Some(-9));
    assert_eq!(greatest(&mut simplex, &sum), Some(-20));
    // A multiple has the multiple of its value.
    let negated = simplex.minimise(&form(&[(0, -2)], 1));
    assert_eq!(negated, Ok(Some(Rational::integer(-17))));
    // The negation of a form that nothing bounds has no least value, and a number is its own.
    assert_eq!(simplex.minimise(&x), Ok(None));
    let seven = Rational::integer(7);
    assert_eq!(simplex.minimise(&form(&[], 7)), Ok(Some(seven)));
}
