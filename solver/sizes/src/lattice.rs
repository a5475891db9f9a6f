//! New coordinates for the integer points at which some linear forms are 0.
//!
//! Halving the ranges of variables one after the other need not terminate where equations have rational points but no
//! integer point: `2a - 2b = 1` has a rational point beyond every bound on `a`. Equations are therefore solved before
//! any range is halved, by the unimodular changes of variables that give the Hermite normal form (A. Schrijver, *Theory
//! of Linear and Integer Programming*, 1986, §4.1 and §5.3): each change replaces a coordinate `t` by `t + Σ qᵢ·tᵢ`, so
//! that coordinates remain linear forms with integer coefficients and integer points keep integer coordinates.

use std::collections::BTreeMap;

use crate::form::{Form, Variable};
use crate::number::{Int, Overflow, floor_div, nearest};

/// The integer points that satisfy some equations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// No such point exists: the form has integer coefficients, and the equations put it strictly between an integer
    /// and the next one.
    Empty {
        /// The form.
        form: Form,
        /// The greatest integer below its value.
        below: Int,
    },
    /// The points at which all these forms are integers. The forms are independent coordinates for the variables that
    /// the equations mention.
    Coordinates(Vec<Form>),
}

/// Returns the integer points at which all these forms are 0. The caller knows that there is a rational point.
///
/// # Errors
/// When a number is too large.
pub fn lattice(equations: &[Form]) -> Result<Lattice, Overflow> {
    let mentioned = equations.iter().flat_map(Form::variables);
    let mut coordinates: BTreeMap<Variable, Form> = mentioned
        .map(|variable| (variable, Form::variable(variable)))
        .collect();
    // The equations that are still to be solved, written in the coordinates.
    let mut due = equations.to_vec();
    for number in 0..due.len() {
        while let Some((pivot, factor)) = least_coefficient(&due[number]) {
            let rest = due[number].without(pivot);
            if let Some(constant) = rest.as_constant() {
                // factor * pivot + constant = 0.
                let value = match factor.is_positive() {
                    true => -constant,
                    false => constant,
                };
                let below = floor_div(value, factor.abs());
                let Some(form) = coordinates.remove(&pivot) else {
                    break;
                };
                if value % factor != 0 {
                    return Ok(Lattice::Empty { form, below });
                }
                substitute(&mut due[number..], pivot, &Form::constant(below))?;
                continue;
            }
            let mut change = Form::default();
            for (other, coefficient) in rest.terms() {
                let quotient = nearest(*coefficient, factor);
                change = change.plus(quotient, &Form::variable(*other))?;
            }
            for (other, quotient) in change.terms() {
                let moved = coordinates[&pivot].plus(*quotient, &coordinates[other])?;
                coordinates.insert(pivot, moved);
            }
            let by = Form::variable(pivot).plus(-1, &change)?;
            substitute(&mut due[number..], pivot, &by)?;
        }
    }
    Ok(Lattice::Coordinates(coordinates.into_values().collect()))
}

/// Returns the variable with the smallest coefficient, and that coefficient.
fn least_coefficient(form: &Form) -> Option<(Variable, Int)> {
    let terms = form.terms().iter();
    terms
        .min_by_key(|(variable, factor)| (factor.abs(), *variable))
        .copied()
}

fn substitute(forms: &mut [Form], variable: Variable, by: &Form) -> Result<(), Overflow> {
    for form in forms {
        *form = form.substituted(variable, by)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplex::Simplex;

    fn draw(seed: &mut u64, below: u64) -> Int {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        Int::from(*seed % below)
    }

    type Point = [Int; 3];

    fn at(form: &Form, point: &Point) -> Int {
        let value = form.value(|variable| point[variable.0 as usize]);
        value.expect("small")
    }

    /// Tells whether the equations have no common rational point at which the other form, if there is one, is not
    /// negative.
    fn refuted(equations: &[Form], other: Option<&Form>) -> bool {
        let mut simplex = Simplex::new(1 << 20);
        let negated = |form: &Form| form.scaled(-1).expect("small");
        let sides = equations
            .iter()
            .flat_map(|form| [form.clone(), negated(form)]);
        let sides: Vec<Form> = sides.chain(other.cloned()).collect();
        let asserted = sides
            .iter()
            .any(|form| simplex.assert(form, 0).expect("little").is_some());
        asserted || simplex.check().expect("little").is_some()
    }

    fn box_of_points() -> impl Iterator<Item = Point> {
        (0..15 * 15 * 15).map(|n| [n % 15 - 7, n / 15 % 15 - 7, n / 225 - 7])
    }

    /// Tested on every point of a box: if the answer is that there is no integer point, there is none. Otherwise points
    /// with the same coordinates are the same, and the middle between two points is a point if its coordinates are
    /// integers.
    #[test]
    fn the_coordinates_are_those_of_the_integer_points() {
        let (mut empty, mut points_compared) = (0, 0);
        for number in 0..3000_u64 {
            let mut seed = 0x2545_F491_4F6C_DD1D_u64.wrapping_add(number * 0x9E37_79B9);
            let equations: Vec<Form> = (0..1 + number % 2)
                .map(|_| {
                    let terms = [0, 1, 2].map(|v| (Variable(v), draw(&mut seed, 13) - 6));
                    let constant = Form::constant(draw(&mut seed, 21) - 10);
                    terms.iter().fold(constant, |form, (variable, factor)| {
                        form.plus(*factor, &Form::variable(*variable))
                            .expect("small")
                    })
                })
                .collect();
            let holds = |point: &Point| equations.iter().all(|form| at(form, point) == 0);
            let points: Vec<Point> = box_of_points().filter(holds).collect();
            match lattice(&equations).expect("small") {
                Lattice::Empty { form, below } => {
                    // The function expects equations with a common rational point.
                    if refuted(&equations, None) {
                        continue;
                    }
                    empty += 1;
                    assert!(points.is_empty(), "{equations:?}: {form:?}");
                    let above = form.clone().shifted(-below - 1).expect("small");
                    let under = form.scaled(-1).and_then(|form| form.shifted(below));
                    for side in [above, under.expect("small")] {
                        assert!(refuted(&equations, Some(&side)), "{equations:?}: {form:?}");
                    }
                }
                Lattice::Coordinates(forms) => {
                    let mentioned =
                        |v: &u32| equations.iter().any(|e| e.coefficient(Variable(*v)) != 0);
                    if !(0..3).all(|v| mentioned(&v)) {
                        continue;
                    }
                    for (i, p) in points.iter().enumerate() {
                        for q in &points[..i] {
                            points_compared += 1;
                            let sums = forms.iter().map(|form| at(form, p) + at(form, q));
                            let has_even_sums = sums.clone().all(|sum| sum % 2 == 0);
                            let differ = forms.iter().any(|form| at(form, p) != at(form, q));
                            assert!(differ, "{equations:?} {forms:?}");
                            let is_halfway = (0..3).all(|v| (p[v] + q[v]) % 2 == 0);
                            assert_eq!(has_even_sums, is_halfway, "{equations:?} {forms:?}");
                        }
                    }
                }
            }
        }
        assert!(
            empty > 150 && points_compared > 10_000,
            "{empty} {points_compared}"
        );
    }
}
