//! `kernels` and `program`: from the text of a program to numbers, on two engines.

use lozenge_backend::agreement::{bound, ulps};
use lozenge_backend::{Interpreter, Limits, Tensor};
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::program::Constraints;

use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::pipeline::{prepare, read};
use crate::subject::party::Parties;
use crate::subjects::programs::{INTERPRETER, OPENCL, Question, Values};
use crate::subjects::sets::targets::{closing, verdicts};

/// Says whether every engine has to give the same bits: OpenCL specifies exact results for every function of the
/// program, and not only error bounds.
fn exact(text: &str) -> bool {
    read(text).is_ok_and(|(program, _)| {
        let mut operations = program.operations();
        operations.all(|operation| bound(&operation.function, true) == 0)
    })
}

fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let equal = |(x, y): (&Tensor, &Tensor)| {
        let mut values = x.values().iter().zip(y.values());
        x.shape() == y.shape() && values.all(|(x, y)| ulps(*x, *y) == 0)
    };
    a.len() == b.len() && a.iter().zip(b).all(equal)
}

/// The distance of a value of a device from that of 64 bits that is tolerated, in units of the largest value of the
/// program. A value of a wrong cell or with a wrong operand is further away by far: the data of the programs are small
/// whole numbers.
const TOLERANCE: f64 = 1e-4;

/// Says whether a device has the values that the interpreter has in 64 bits, as far as the interpreter has them in 32
/// bits.
fn near(text: &str, reference: &[Tensor], found: &[Tensor]) -> bool {
    let mut interpreter = Interpreter::wide(Limits::default());
    let Ok(exact) = prepare(text).and_then(|program| program.run(&mut interpreter)) else {
        return false;
    };
    let finite = |value: &f64| value.abs().is_finite().then_some(value.abs());
    let values = exact.iter().map(Tensor::wide_values);
    let largest = values.flat_map(|values| values.iter().filter_map(finite).collect::<Vec<_>>());
    let scale = largest.fold(1.0, f64::max);
    let mut tensors = exact.iter().zip(reference).zip(found);
    exact.len() == found.len()
        && tensors.all(|((exact, reference), found)| {
            exact.shape() == found.shape()
                && exact.shape() == reference.shape()
                && are_near(
                    &exact.wide_values(),
                    reference.values(),
                    found.values(),
                    scale,
                )
        })
}

/// Asks [`near`] of one tensor; `scale` is the largest value of the program.
fn are_near(exact: &[f64], reference: &[f32], found: &[f32], scale: f64) -> bool {
    // In 32 bits a value beyond their range is infinite.
    let narrow = |value: f64| value as f32;
    let differences = exact.iter().zip(reference);
    let own = differences
        .map(|(exact, reference)| (exact - f64::from(*reference)).abs())
        .filter(|difference| difference.is_finite())
        .fold(0.0, f64::max);
    let allowed = 16.0 * own + TOLERANCE * scale;
    let mut values = exact.iter().zip(reference).zip(found);
    values.all(|((exact, reference), found)| {
        let like_reference = ulps(*reference, *found) == 0;
        let near = (exact - f64::from(*found)).abs() <= allowed;
        like_reference || near || ulps(narrow(*exact), *found) == 0
    })
}

/// Compares the values of the interpreter with those of OpenCL: the same bits or, if a function has just an error
/// bound, nearly the values of 64 bits.
pub fn compared(text: &str, reference: &Values, kernels: &Values) -> Outcome {
    let agree = match (&reference.0, &kernels.0) {
        (Ok(a), Ok(b)) if exact(text) => same(a, b),
        (Ok(a), Ok(b)) => near(text, a, b),
        (Err(_), Err(_)) => true,
        _ => false,
    };
    if agree {
        return Outcome::Agree;
    }
    Disagreement::new("the engines differ")
        .answered("interpreter", reference)
        .answered("opencl", kernels)
        .into()
}

/// Returns the outcome on both engines, and whether the program runs.
fn engines(text: &str, parties: &mut Parties) -> (Outcome, bool) {
    let program = text.to_string();
    let Some(reference) = parties.ask(&INTERPRETER, Question::Run, &program) else {
        return (Outcome::Unknown("no interpreter".into()), false);
    };
    let outcome = match parties.ask(&OPENCL, Question::Run, &program) {
        Some(kernels) => compared(text, &reference, &kernels),
        None => Outcome::Unknown("no OpenCL device".into()),
    };
    (outcome, reference.0.is_ok())
}

/// Compares one closed operation on two engines.
pub fn kernels(text: &str, parties: &mut Parties) -> Option<Comparison> {
    read(text).ok()?;
    let (outcome, runs) = engines(text, parties);
    Some(Comparison {
        outcome,
        useful: runs,
        answer: if runs { "ran" } else { "refused" },
    })
}

/// Returns the first two stages of a program: its constraints are closed by the rules and by the solver, and decided by
/// complete mode and Z3. The result is the comparison with which it ends there; none if the parties agree that it has
/// shapes.
pub(super) fn closed_and_decided(
    constraints: Constraints,
    parties: &mut Parties,
) -> Option<Option<Comparison>> {
    let set = constraints.set;
    let closed = closing::closing(&set, parties)?;
    // Where the parties close a set differently in a known way, what follows cannot be compared.
    if closed.outcome != Outcome::Agree {
        return Some(Some(closed));
    }
    let decided = verdicts::complete_oracle(&set, parties)?;
    let ends =
        closed.answer != Verdict::Sat.word() || matches!(decided.outcome, Outcome::Disagree(_));
    Some(ends.then_some(Comparison {
        useful: closed.useful,
        answer: closed.answer,
        ..decided
    }))
}

/// Compares a program through all stages: closed by the rules and by the solver, decided by complete mode and Z3, run
/// on two engines.
pub fn program(text: &str, parties: &mut Parties) -> Option<Comparison> {
    let (_, constraints) = match read(text) {
        Ok(program) => program,
        Err(_) => {
            return Some(Comparison {
                outcome: Outcome::Agree,
                useful: false,
                answer: "not a program",
            });
        }
    };
    if let Some(ended) = closed_and_decided(constraints, parties)? {
        return Some(ended);
    }
    let (outcome, runs) = engines(text, parties);
    Some(Comparison {
        outcome,
        useful: true,
        answer: if runs { "ran" } else { "no loop nest" },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One cell that is another one's value is noticed, and the last digits are not.
    #[test]
    fn a_value_of_another_cell_is_not_near() {
        let text = "data x : 4 = [0, 1, 2, 3]\ny =: exp(x) \"i => i\"\n";
        let program = prepare(text).expect("a program");
        let reference = program.run(&mut Interpreter::new(Limits::default()));
        let reference = reference.expect("it runs");
        let at = reference.len() - 1;
        assert!(near(text, &reference, &reference));
        let mut last_digit = reference.clone();
        let cell = &mut last_digit[at].values_mut()[2];
        *cell = f32::from_bits(cell.to_bits() + 3);
        assert!(near(text, &reference, &last_digit));
        let mut other = reference.clone();
        other[at].values_mut()[2] = reference[at].values()[1];
        assert!(!near(text, &reference, &other));
    }
}
