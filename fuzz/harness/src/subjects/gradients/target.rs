//! `gradients`: a sum, a maximum or a minimum under a spec with windows, concatenated axes and products of axes, and
//! the gradients that a program computes of it by the same index maps in permuted slots.
//!
//! The values are small whole numbers, so that results are attained at several points, and functions are read at their
//! kinks. The loss and the gradient by definition are computed from the points of the spec
//! (`crate::written_operation`), which know no loops, no regions and no gradients. Three things are compared:
//!
//! - *differences*: where the derivatives of the loss from both sides are equal, the gradient is that derivative;
//!   elsewhere it lies between;
//! - *the sum*: what the operands of a maximum or a minimum receive is together what the results have received;
//! - *the shares*: each point that attains a result receives the same part.

use std::collections::BTreeMap;

use lozenge::Options;
use lozenge_vocabulary::operation::TensorId;

use super::definition::{Points, Sides};
use super::drawn::{Drawn, Inner, Together};
use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;

/// The largest error of a gradient, relative to 1 or to the gradient if that is larger. Shares are not always exact.
const ROUNDING: f64 = 1e-9;

/// Compares the gradients of a statement with values.
pub fn gradients(drawn: &Drawn, _: &mut Parties) -> Option<Comparison> {
    let visits = drawn.statement.visits();
    let answer = match (visits.is_empty(), drawn.together) {
        (true, _) => "no points",
        (false, Together::Sum) => "a sum",
        (false, Together::Largest) => "a maximum",
        (false, Together::Smallest) => "a minimum",
    };
    let outcome = match compared(drawn, &Points::of(drawn, &visits)) {
        Ok(()) => Outcome::Agree,
        Err(disagreement) => {
            let values = format!("{:?}, shifted by {:?}", drawn.operands, drawn.shift);
            let disagreement = disagreement.answered("program", drawn.program());
            disagreement.answered("values", values).into()
        }
    };
    Some(Comparison {
        outcome,
        useful: !visits.is_empty(),
        answer,
    })
}

fn compared(drawn: &Drawn, points: &Points<'_>) -> Result<(), Disagreement> {
    let (found, shift) = computed(drawn).map_err(|reason| {
        Disagreement::new("a program that has gradients is refused").answered("it", reason)
    })?;
    let mut operands = drawn.operands.clone();
    for (operand, gradient) in found.iter().enumerate() {
        for (cell, gradient) in gradient.iter().enumerate() {
            let sides = points.sides(&mut operands, operand, &[cell]);
            between(*gradient, sides)?;
        }
    }
    if let Some(gradient) = shift {
        let all: Vec<usize> = (0..operands[0].len()).collect();
        between(gradient, points.sides(&mut operands, 0, &all))?;
    }
    adds_up(drawn, points, &found)?;
    let expected = points.gradients();
    let mut pairs = found.iter().flatten().zip(expected.iter().flatten());
    match pairs.all(|(found, expected)| is_near(*found, *expected)) {
        true => Ok(()),
        false => Err(
            Disagreement::new("a gradient is not divided evenly among points that tie")
                .answered("gradients", format!("{found:?}"))
                .answered("shares", format!("{expected:?}")),
        ),
    }
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= ROUNDING * expected.abs().max(1.0)
}

/// Checks a gradient against the derivatives of the loss from both sides.
fn between(gradient: f64, sides: Sides) -> Result<(), Disagreement> {
    let Sides(low, high) = sides;
    if low == high && !is_near(gradient, low) {
        return Err(
            Disagreement::new("a gradient is not the derivative, which exists")
                .answered("gradient", gradient)
                .answered("derivative", low),
        );
    }
    let slack = ROUNDING * low.abs().max(high.abs()).max(1.0);
    match (low - slack..=high + slack).contains(&gradient) {
        true => Ok(()),
        false => Err(Disagreement::new(
            "a gradient is not between the derivatives from both sides",
        )
        .answered("gradient", gradient)
        .answered("derivatives", format!("{low} and {high}"))),
    }
}

/// Checks that operands receive together what results have received: what moves all operands by as much moves the
/// results, too. With products the values count, by Euler's theorem: each gradient times its value adds up to each
/// weight times its result, once for each factor.
fn adds_up(drawn: &Drawn, points: &Points<'_>, found: &[Vec<f64>]) -> Result<(), Disagreement> {
    let values = || drawn.operands.iter().flatten();
    let all = || found.iter().flatten();
    let by_value: f64 = all().zip(values()).map(|(one, value)| one * value).sum();
    let degree = match drawn.inner {
        Inner::Product => 2.0,
        _ => 1.0,
    };
    let mut sums = vec![(by_value, degree * points.loss(&drawn.operands))];
    let handed_back: f64 = points.weights().sum();
    match (drawn.together, drawn.inner) {
        (Together::Sum, _) => {}
        (_, Inner::Value | Inner::Larger | Inner::Smaller) => {
            sums.push((all().sum(), handed_back));
        }
        (_, Inner::Negative) => sums.push((all().sum(), -handed_back)),
        (_, Inner::Sum) => {
            let each = found.iter().map(|one| (one.iter().sum(), handed_back));
            sums.extend(each);
        }
        (_, Inner::Relu | Inner::Abs | Inner::Product) => {}
    }
    let wrong = sums.iter().find(|(sum, expected)| {
        let scale = all().map(|one| one.abs()).sum::<f64>().max(1.0);
        (sum - expected).abs() > 8.0 * ROUNDING * scale.max(expected.abs())
    });
    match wrong {
        None => Ok(()),
        Some((sum, expected)) => Err(Disagreement::new("what results hand back does not add up")
            .answered("gradients", format!("{found:?}"))
            .answered("sum", sum)
            .answered("expected", expected)),
    }
}

/// Returns the gradient of each operand and that of the shift, as the program computes them in `f64`.
fn computed(drawn: &Drawn) -> Result<(Vec<Vec<f64>>, Option<f64>), String> {
    let text = drawn.program();
    let read = lozenge::parse(&text).map_err(|errors| {
        let errors = errors.iter();
        let words: Vec<&str> = errors.map(|error| error.message.as_str()).collect();
        words.join("; ")
    })?;
    let inference =
        lozenge::infer(&read, &Options::default()).map_err(|refusal| refusal.to_string())?;
    let find = |name: &str| read.find(name).ok_or_else(|| format!("no {name}"));
    let mut given: BTreeMap<TensorId, Vec<f64>> = BTreeMap::new();
    given.insert(find("weight")?, drawn.weights());
    for (number, values) in drawn.operands.iter().enumerate() {
        let mut values = values.clone();
        if let (0, Some(shift)) = (number, drawn.shift) {
            values.iter_mut().for_each(|value| *value -= shift);
        }
        given.insert(find(&drawn.parameter(number + 1))?, values);
    }
    if let Some(shift) = drawn.shift {
        given.insert(find("shift")?, vec![shift]);
    }
    let tensors =
        lozenge::run_precise(&read, &inference, &given).map_err(|error| error.to_string())?;
    let gradient = |parameter: &str| {
        let id = find(&format!("{parameter}.grad"))?;
        Ok::<Vec<f64>, String>(tensors[id.0].clone())
    };
    let operands = (1..=drawn.operands.len()).map(|operand| gradient(&drawn.parameter(operand)));
    let shift = match drawn.shift {
        Some(_) => Some(gradient("shift")?[0]),
        None => None,
    };
    Ok((operands.collect::<Result<_, _>>()?, shift))
}
