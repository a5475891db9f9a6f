//! Gradients beside kinks: the derivatives of the loss, and of each value on which it depends, from both sides.

use super::derivatives::{Given, given, parameters};
use super::drawn_programs::{Inferred, Said, on_random_programs};
use super::random_program::{DEGREE, Sort};
use crate::machinery::{Effort, Finding};

/// The distance by which a cell is moved at first. The values are whole numbers, so that further kinks are not so near.
const STEP: f64 = 1.0 / 4096.0;

/// The largest loss of which a difference over a step has enough digits.
const LARGEST: f64 = 1e4;

/// The largest error of a derivative, relative to 1 or to the derivative if that is larger.
const ROUNDING: f64 = 1e-6;

// A derivative from five points on one side is exact up to this degree.
const _: () = assert!(DEGREE <= 4);

/// Decides Gradients.3, where there are kinks.
pub fn beside_kinks(effort: Effort) -> Finding {
    on_random_programs(
        Sort::Kinked,
        effort,
        "cells of parameters along which all values have derivatives",
        |inferred| compared(inferred, |sides| sides.iter().flatten().all(Sides::agree)),
    )
}

/// The derivatives of a value from the left and from the right.
struct Sides(f64, f64);

impl Sides {
    fn agree(&self) -> bool {
        is_near(self.0, self.1)
    }
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(1.0)
}

/// Compares the cells of gradients along which the derivatives of all tensors are as `smooth` says.
fn compared(inferred: &Inferred, smooth: impl Fn(&[Vec<Sides>]) -> bool) -> Said {
    let program = &inferred.program;
    let Some(loss) = program.find("loss") else {
        return Ok(0);
    };
    let Some(forward) = Inferred::of(&inferred.text.replace("backward loss\n", "")) else {
        return Err("without `backward` it is refused".into());
    };
    let given = given(inferred)?;
    let tensors = lozenge::run_precise(program, &inferred.inference, &given);
    let tensors = tensors.map_err(|error| error.to_string())?;
    if tensors[loss.0].iter().any(|value| value.abs() > LARGEST) {
        return Ok(0);
    }
    let mut seen = 0;
    for id in parameters(program) {
        let name = &program[id].name;
        let Some(gradient) = program.find(&format!("{name}.grad")) else {
            continue;
        };
        for (cell, found) in tensors[gradient.0].iter().enumerate() {
            let sides = sides(&forward, |by| {
                let mut moved = given.clone();
                if let Some(value) = moved.get_mut(&id).and_then(|values| values.get_mut(cell)) {
                    *value += by;
                }
                moved
            })?;
            if !smooth(&sides) {
                continue;
            }
            seen += 1;
            let Sides(_, derivative) = &sides[loss.0][0];
            if !is_near(*found, *derivative) {
                return Err(format!(
                    "cell {cell} of {name}.grad is {found}, and the derivative is {derivative}"
                ));
            }
        }
    }
    Ok(seen)
}

/// Returns the derivatives of each cell of each tensor from both sides.
fn sides(forward: &Inferred, moved: impl Fn(f64) -> Given) -> Result<Vec<Vec<Sides>>, String> {
    let run = |steps: i32| {
        let given = moved(f64::from(steps) * STEP);
        let (program, inference) = (&forward.program, &forward.inference);
        lozenge::run_precise(program, inference, &given).map_err(|error| error.to_string())
    };
    let at: Vec<Vec<Vec<f64>>> = (-4..=4).map(run).collect::<Result<_, _>>()?;
    // The derivative of a polynomial of degree 4 at the first of five values, in units of a twelfth of a step.
    let first = |values: [f64; 5]| {
        let factors = [-25.0, 48.0, -36.0, 16.0, -3.0];
        let terms = values.iter().zip(factors);
        terms.map(|(value, factor)| value * factor).sum::<f64>() / (12.0 * STEP)
    };
    let of_cell = |tensor: usize, cell: usize| {
        let value = |steps: usize| at[steps][tensor][cell];
        let left = first([4, 3, 2, 1, 0].map(value));
        Sides(-left, first([4, 5, 6, 7, 8].map(value)))
    };
    let of_tensor = |tensor: usize| {
        let cells = 0..at[4][tensor].len();
        cells.map(|cell| of_cell(tensor, cell)).collect()
    };
    Ok((0..at[4].len()).map(of_tensor).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// False variant of Gradients.3: the gradient is the derivative from the right at every cell.
    #[test]
    fn a_gradient_is_no_derivative_at_a_kink() {
        let found = on_random_programs(Sort::Kinked, Effort::Quick, "", |inferred| {
            compared(inferred, |_| true)
        });
        assert!(found.witness.is_some());
    }

    /// False variant of Gradients.3: it is the derivative of the loss wherever that has one, whatever other values do.
    #[test]
    fn a_kink_that_the_loss_does_not_have_may_stand_in_between() {
        let text = "param p : -> = 1\nlet loss = relu(p) - relu(-p)\nbackward loss\n";
        let inferred = Inferred::of(text).expect("it is accepted");
        let at_zero = |inferred: &Inferred| {
            let program = &inferred.program;
            let (p, gradient) = (program.find("p")?, program.find("p.grad")?);
            let given = Given::from([(p, vec![0.0])]);
            let tensors = lozenge::run_precise(program, &inferred.inference, &given).ok()?;
            Some(tensors[gradient.0][0])
        };
        // The loss is p, with slope 1.
        assert_eq!(at_zero(&inferred), Some(0.0));
    }
}
