//! Gradients against derivatives, exactly: the loss is a polynomial in each cell of a parameter, of so low a degree
//! that a difference of its values at integers is its derivative, and all values are integers that `f64` holds.

use std::collections::BTreeMap;

use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Source};

use super::drawn_programs::{Inferred, Said, on_random_programs};
use super::random_program::{DEGREE, Sort};
use crate::machinery::{Effort, Finding};

/// The largest loss of which multiples up to 9 are held exactly.
const LARGEST: f64 = (1u64 << 49) as f64;

// The difference of five points is exact up to this degree.
const _: () = assert!(DEGREE <= 4);

/// Decides Gradients.3.
pub fn of_polynomials(effort: Effort) -> Finding {
    on_random_programs(
        Sort::Smooth,
        effort,
        "cells of parameters, compared exactly",
        against_differences,
    )
}

/// The values of data and parameters.
pub(super) type Given = BTreeMap<TensorId, Vec<f64>>;

pub(super) fn parameters(program: &Program) -> impl Iterator<Item = TensorId> + '_ {
    let tensors = program.tensors.iter().enumerate();
    tensors
        .filter(|(_, tensor)| matches!(tensor.source, Source::Param(_)))
        .map(|(id, _)| TensorId(id))
}

/// Returns the data of a program, and small integers without symmetry for its parameters.
pub(super) fn given(inferred: &Inferred) -> Result<Given, String> {
    let data = lozenge::load(&inferred.program, std::path::Path::new(""));
    let data = data.map_err(|error| error.to_string())?;
    let mut given: Given = data
        .into_iter()
        .map(|(id, values)| (id, values.into_iter().map(f64::from).collect()))
        .collect();
    for id in parameters(&inferred.program) {
        let count: u64 = lozenge::sizes(&inferred.inference.shapes[id.0])
            .iter()
            .product();
        let value = |cell: u64| ((cell * 7 + id.0 as u64 * 3) % 5) as f64 - 2.0;
        given.insert(id, (0..count).map(value).collect());
    }
    Ok(given)
}

/// Compares every cell of every gradient with a difference of the loss.
fn against_differences(inferred: &Inferred) -> Said {
    let (program, inference) = (&inferred.program, &inferred.inference);
    let Some(loss) = program.find("loss") else {
        return Ok(0);
    };
    let given = given(inferred)?;
    let run = |given: &Given| {
        lozenge::run_precise(program, inference, given).map_err(|error| error.to_string())
    };
    let tensors = run(&given)?;
    let mut compared = 0;
    for id in parameters(program) {
        let name = &program[id].name;
        let Some(gradient) = program.find(&format!("{name}.grad")) else {
            continue;
        };
        for (cell, found) in tensors[gradient.0].iter().enumerate() {
            let at = |by: f64| {
                let mut moved = given.clone();
                if let Some(value) = moved.get_mut(&id).and_then(|values| values.get_mut(cell)) {
                    *value += by;
                }
                Ok::<f64, String>(run(&moved)?[loss.0][0])
            };
            let values = [at(1.0)?, at(-1.0)?, at(2.0)?, at(-2.0)?];
            if values.iter().any(|value| value.abs() > LARGEST) {
                continue;
            }
            compared += 1;
            let [next, last, far, before] = values;
            // Twelve times the derivative, so that nothing is divided.
            let difference = 8.0 * (next - last) - (far - before);
            if 12.0 * found != difference {
                return Err(format!(
                    "cell {cell} of {name}.grad is {found}, and the derivative is {}",
                    difference / 12.0
                ));
            }
        }
    }
    Ok(compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// False variant of Gradients.3: of the contributions to a gradient the last one stays.
    #[test]
    fn gradients_that_are_not_added_up_are_refuted() {
        let found = on_random_programs(Sort::Smooth, Effort::Quick, "", |inferred| {
            let mut program = inferred.program.clone();
            for step in program
                .steps
                .iter_mut()
                .filter(|step| step.record.is_some())
            {
                step.operation.accumulator.erase = true;
            }
            let inference = lozenge::infer(&program, &lozenge::Options::default());
            against_differences(&Inferred {
                text: inferred.text.clone(),
                inference: inference.map_err(|refusal| refusal.to_string())?,
                program,
            })
        });
        assert!(found.witness.is_some());
    }
}
