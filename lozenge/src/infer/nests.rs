//! The loop nests of a program whose shapes are inferred.

use std::collections::HashSet;
use std::sync::Arc;

use lozenge_backend::{Common, LoopNest};
use lozenge_solver::Solution;
use lozenge_solver::project::{ProjectionError, Projector};
use lozenge_vocabulary::operation::{Combine, Function, Shape, TensorId};
use lozenge_vocabulary::program::{Late, Program, Record};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use lozenge_vocabulary::{Row, RowTerm, Verdict};

use super::result::Inference;
use super::shapes::{Shapes, sizes};
use super::solve::value;
use crate::refusal::{Reason, Refusal};

/// Returns the loop nest of every operation of a program whose shapes are inferred.
pub(crate) fn nests(
    program: &Program,
    inference: &Inference,
) -> Result<Vec<LoopNest>, Box<Refusal>> {
    let (shapes, solution) = (&inference.shapes, inference.solver.solution());
    let mut projector = Projector::default();
    let mut nests: Vec<LoopNest> = Vec::with_capacity(program.steps.len());
    let mut common = Common::default();
    for (operation, step) in program.steps.iter().enumerate() {
        let mut nest = match (step.late.as_deref(), &step.record) {
            (Some(Late::Product(rows)), _) => {
                let value = product(&solution, rows);
                filled(program, operation, Function::Constant(value), shapes)?
            }
            (Some(Late::Random { .. } | Late::Cells | Late::Step | Late::Epoch), _) => {
                filled(program, operation, Function::Constant(0.0), shapes)?
            }
            (None, Some(record)) => recorded(program, operation, record, &nests)?,
            (None, None) => nest(program, operation, |id| &shapes[id.0], &mut projector)?,
        };
        nest.share(&mut common);
        nests.push(nest);
    }
    Ok(nests)
}

/// Returns the product of the sizes of all axes of some rows.
fn product(solution: &Solution<'_>, rows: &[RowTerm]) -> f64 {
    let rows = rows.iter().map(|row| value(solution, row));
    rows.flat_map(|row| row.flat())
        .map(|dim| dim.size() as f64)
        .product()
}

/// Returns the loop nest that writes one value into each cell of an operation's tensor.
fn filled(
    program: &Program,
    operation: usize,
    function: Function,
    shapes: &Shapes,
) -> Result<LoopNest, Box<Refusal>> {
    let step = &program.steps[operation].operation;
    let tensor = step.slots[0];
    let sizes = sizes(&shapes[tensor.0]);
    let factors: Vec<u64> = sizes.iter().copied().filter(|size| *size > 1).collect();
    let mut iterated = 0..factors.len();
    let index = |size: &u64| match size {
        1 => Index::Fix(0),
        _ => Index::Iter(iterated.next().unwrap_or_default()),
    };
    let map = IndexMap(sizes.iter().map(index).collect());
    let projections = Projections {
        factors,
        maps: vec![map],
        sizes: vec![sizes],
    };
    let name = program[tensor].name.clone();
    LoopNest::new(&projections, step.accumulator, function, &[name])
        .map_err(|error| unbuilt(operation, &error))
}

/// Returns the loop nest of an operation of a backward program: that of the forward operation with its index maps in
/// other slots. Nothing is inferred.
fn recorded(
    program: &Program,
    operation: usize,
    record: &Record,
    nests: &[LoopNest],
) -> Result<LoopNest, Box<Refusal>> {
    let step = &program.steps[operation].operation;
    let forward = &nests[record.step];
    let replaced = forward.accumulator().combine == Combine::Replace;
    if replaced && !forward.is_injective() {
        return Err(Box::new(Refusal {
            verdict: Verdict::Rejected,
            reason: Reason::Nest {
                operation,
                message: "several results meet in one cell and the last of them stays, which has no gradient".into(),
            },
        }));
    }
    let slots: Vec<_> = record
        .slots
        .iter()
        .map(|slot| &forward.slots()[*slot])
        .collect();
    let projections = Projections {
        factors: forward.factors().iter().map(|factor| factor.size).collect(),
        maps: slots.iter().map(|slot| (*slot.map).clone()).collect(),
        sizes: slots.iter().map(|slot| (*slot.sizes).clone()).collect(),
    };
    let slots = step.slots.iter();
    let names: Vec<Arc<str>> = slots.map(|id| program[*id].name.clone()).collect();
    let factors: Vec<&str> = forward
        .factors()
        .iter()
        .map(|factor| factor.name.as_str())
        .collect();
    LoopNest::new(
        &projections,
        step.accumulator,
        step.function.clone(),
        &names,
    )
    .and_then(|nest| nest.with_factor_names(&factors))
    .map_err(|error| unbuilt(operation, &error))
}

fn unbuilt(operation: usize, error: &lozenge_backend::Error) -> Box<Refusal> {
    Box::new(Refusal {
        verdict: Verdict::Rejected,
        reason: Reason::Nest {
            operation,
            message: error.to_string(),
        },
    })
}

/// Returns the loop nest of an operation, given the shapes of its tensors. If the operation has a spec, its loops are
/// named by the labels of the spec, except for a label that is also the name of a tensor of the operation.
///
/// # Errors
/// The operation has no loop nest with these shapes.
pub(crate) fn nest<'s>(
    program: &Program,
    operation: usize,
    shape: impl Fn(TensorId) -> &'s Shape<Row>,
    projector: &mut Projector,
) -> Result<LoopNest, Box<Refusal>> {
    let step = &program.steps[operation].operation;
    let projections = projector
        .project(step, shape)
        .map_err(|error| unprojected(operation, error))?;
    let slots = step.slots.iter();
    let names: Vec<Arc<str>> = slots.map(|id| program[*id].name.clone()).collect();
    let nest = LoopNest::new(
        &projections,
        step.accumulator,
        step.function.clone(),
        &names,
    )
    .and_then(|nest| match step.region().completed {
        true => nest.beside_others(),
        false => Ok(nest),
    })
    .and_then(|nest| labelled(nest, projector.labels(), &names));
    nest.map_err(|error| unbuilt(operation, &error))
}

fn unprojected(operation: usize, error: ProjectionError) -> Box<Refusal> {
    Box::new(Refusal {
        verdict: Verdict::Rejected,
        reason: Reason::Projection { operation, error },
    })
}

/// Returns the nest with its loops named by the labels of a spec. A loop without a label keeps its name, unless that is
/// a label. Labels of different scopes may have one name; a number then tells their loops apart.
fn labelled(
    nest: LoopNest,
    labels: &[Option<String>],
    tensors: &[Arc<str>],
) -> Result<LoopNest, lozenge_backend::Error> {
    let usable = |label: &&String| tensors.iter().all(|tensor| **tensor != ***label);
    let labels: Vec<Option<&String>> = labels.iter().map(|l| l.as_ref().filter(usable)).collect();
    if labels.iter().all(Option::is_none) {
        return Ok(nest);
    }
    let mut used: HashSet<String> = labels.iter().flatten().map(|l| l.to_string()).collect();
    let mut met: HashSet<&String> = HashSet::new();
    let factors = nest.factors().iter().zip(labels);
    let names: Vec<String> = factors
        .map(|(factor, label)| match label {
            Some(label) if met.insert(label) => label.clone(),
            Some(label) => unused(label, &mut used),
            None => unused(&factor.name, &mut used),
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    nest.with_factor_names(&names)
}

/// Returns the name, with a number appended if it is already used.
fn unused(name: &str, used: &mut HashSet<String>) -> String {
    let numbered = (1..).map(|number| format!("{name}{number}"));
    let mut names = std::iter::once(name.to_string()).chain(numbered);
    let free = names.find(|name| used.insert(name.clone()));
    free.unwrap_or_default()
}
