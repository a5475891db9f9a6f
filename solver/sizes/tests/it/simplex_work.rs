//! The work that the simplex method counts: the least limit within which a system is decided.

use lozenge_sizes::{Form, Int, Simplex, Stopped, Variable};
use lozenge_testkit::random::Random;

const VARIABLES: u32 = 6;

/// Returns a form with coefficients from -3 to 3.
fn form(draw: &mut Random) -> Form {
    let mut number = |below: usize| draw.below(below) as Int;
    let mut form = Form::constant(number(9) - 2);
    for variable in 0..VARIABLES {
        let factor = number(7) - 3;
        let term = Form::variable(Variable(variable));
        form = form.plus(factor, &term).expect("small");
    }
    form
}

/// Decides whether inequalities have a solution, and where they have one minimises a form, within a limit on work.
fn decide(inequalities: &[Form], goal: &Form, work: u64) -> Result<(), Stopped> {
    let mut simplex = Simplex::new(work);
    for (inequality, number) in inequalities.iter().zip(0..) {
        if simplex.assert(inequality, number)?.is_some() {
            return Ok(());
        }
    }
    if simplex.check()?.is_none() {
        simplex.minimise(goal)?;
    }
    Ok(())
}

/// The figure is exact: less means that work is not counted, more that more is done.
#[test]
fn the_least_limits_on_work_are_known() {
    let mut draw = Random::new(7);
    let mut total = 0;
    for _ in 0..200 {
        let inequalities: Vec<Form> = (0..10).map(|_| form(&mut draw)).collect();
        let goal = form(&mut draw);
        let within = |work: u64| decide(&inequalities, &goal, work).is_ok();
        let (mut short, mut enough) = (0, 1 << 20);
        assert!(within(enough));
        while enough - short > 1 {
            let middle = short + (enough - short) / 2;
            match within(middle) {
                true => enough = middle,
                false => short = middle,
            }
        }
        total += enough;
    }
    assert_eq!(total, 318_602);
}
