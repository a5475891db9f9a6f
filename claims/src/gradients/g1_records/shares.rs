//! The gradients that maxima and minima hand back, from the points of their records by the transcribed rules and from
//! values.

use std::collections::BTreeMap;

use lozenge_spec::elaboration::elaborate;
use lozenge_vocabulary::operation::{Combine, Function, Operation, TensorId};
use lozenge_vocabulary::program::Program;

use super::derivatives::given;
use super::drawn_programs::{Inferred, Said, on_random_programs};
use super::maps::cells;
use super::random_program::Sort;
use crate::machinery::{Effort, Finding};

/// The largest error of a gradient, relative to 1 or to the gradient if that is larger: a share need not be exact.
const ROUNDING: f64 = 1e-9;

/// Decides Gradients.4.
pub fn of_ties(effort: Effort) -> Finding {
    on_random_programs(
        Sort::Kinked,
        effort,
        "maxima and minima, cell by cell of their operands",
        compared,
    )
}

/// Tells whether an operation gives the largest or the smallest of values without a function of them.
fn is_extreme(operation: &Operation) -> bool {
    let reduces = matches!(operation.accumulator.combine, Combine::Max | Combine::Min);
    match operation.function {
        Function::Identity => reduces,
        Function::Max | Function::Min => !reduces,
        _ => false,
    }
}

/// Counts the operations that read a tensor, each slot by itself.
fn readers(program: &Program, tensor: TensorId) -> usize {
    let forward = program.steps.iter().filter(|step| step.record.is_none());
    let slots = forward.flat_map(|step| &step.operation.slots[1..]);
    slots.filter(|slot| **slot == tensor).count()
}

/// Compares the gradients of the operands that only one maximum or minimum reads.
fn compared(inferred: &Inferred) -> Said {
    let (program, inference) = (&inferred.program, &inferred.inference);
    let tensors = lozenge::run_precise(program, inference, &given(inferred)?);
    let tensors = tensors.map_err(|error| error.to_string())?;
    let gradient = |id: TensorId| program.find(&format!("{}.grad", program[id].name));
    let mut seen = 0;
    for step in &program.steps {
        let operation = &step.operation;
        if step.record.is_some() || !is_extreme(operation) {
            continue;
        }
        let Some(received) = gradient(operation.slots[0]) else {
            continue;
        };
        let Some(shares) = shares(inferred, operation, &tensors, &tensors[received.0])? else {
            continue;
        };
        for (slot, expected) in operation.slots.iter().zip(&shares).skip(1) {
            let (Some(gradient), 1) = (gradient(*slot), readers(program, *slot)) else {
                continue;
            };
            seen += 1;
            let found = &tensors[gradient.0];
            let is_near = |(found, expected): (&f64, &f64)| {
                (found - expected).abs() <= ROUNDING * expected.abs().max(1.0)
            };
            if found.len() != expected.len() || !found.iter().zip(expected).all(is_near) {
                let name = &program[*slot].name;
                return Err(format!(
                    "{name}.grad is {found:?}, and the shares are {expected:?}"
                ));
            }
        }
    }
    Ok(seen)
}

/// Returns, for each slot of a maximum or a minimum, the gradient that each cell of its tensor receives, if each result
/// divides what it has received; `None` if there are too many points.
fn shares(
    inferred: &Inferred,
    operation: &Operation,
    tensors: &[Vec<f64>],
    received: &[f64],
) -> Result<Option<Vec<Vec<f64>>>, String> {
    let shapes = |id: TensorId| inferred.inference.shapes[id.0].clone();
    let elaborated = elaborate(operation, shapes).map_err(|error| error.to_string())?;
    let solved = elaborated.solve().map_err(|error| error.to_string())?;
    let recorded = &solved.projections;
    let maps = &recorded.maps;
    let Some(points) = cells(&recorded.factors, maps.iter(), maps, &recorded.sizes) else {
        return Ok(None);
    };
    let address = |slot: usize, cell: &[i128]| {
        let axes = cell.iter().zip(&recorded.sizes[slot]);
        axes.fold(0, |address, (at, size)| {
            address * *size as usize + *at as usize
        })
    };
    // For each result the values that it is the largest or the smallest of, by slot and cell.
    let mut candidates: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for point in &points {
        let result = candidates.entry(address(0, &point[0])).or_default();
        let read = point.iter().enumerate().skip(1);
        result.extend(read.map(|(slot, cell)| (slot, address(slot, cell))));
    }
    let value = |slot: usize, cell: usize| tensors[operation.slots[slot].0][cell];
    let slots = operation.slots.iter();
    let mut shares: Vec<Vec<f64>> = slots.map(|id| vec![0.0; tensors[id.0].len()]).collect();
    for (result, read) in candidates {
        let attain = read
            .iter()
            .filter(|(slot, cell)| value(*slot, *cell) == value(0, result));
        let count = attain.clone().count() as f64;
        for (slot, cell) in attain {
            shares[*slot][*cell] += received[result] / count;
        }
    }
    Ok(Some(shares))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// False variant of Gradients.4: each point that attains a result receives all.
    #[test]
    fn ties_that_receive_all_are_refuted() {
        let found = on_random_programs(Sort::Kinked, Effort::Quick, "", |inferred| {
            let mut program = inferred.program.clone();
            let counts: Vec<bool> = program
                .tensors
                .iter()
                .map(|tensor| tensor.name.ends_with(".ties"))
                .collect();
            let steps = program.steps.iter_mut();
            for step in steps.filter(|step| counts[step.operation.slots[0].0]) {
                step.operation.accumulator.combine = Combine::Max;
            }
            let inference = lozenge::infer(&program, &lozenge::Options::default());
            compared(&Inferred {
                text: inferred.text.clone(),
                inference: inference.map_err(|refusal| refusal.to_string())?,
                program,
            })
        });
        assert!(found.witness.is_some());
    }
}
