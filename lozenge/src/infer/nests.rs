//! The inference of a program: its shapes and loop nests.

use std::collections::HashSet;
use std::sync::Arc;

use lozenge_backend::{Common, LoopNest};
use lozenge_solver::project::{ProjectionError, Projector};
use lozenge_solver::{Solution, Solver};
use lozenge_vocabulary::operation::{Combine, Function, Kind, Shape, TensorId};
use lozenge_vocabulary::program::{Foreign, Late, Program, Record, Tensor};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};
use lozenge_vocabulary::{Dim, DimTerm, Row, RowTerm, Verdict};

use super::asserted::Asserted;
use super::result::Inference;
use super::shapes::Shapes;
use crate::options::Options;
use crate::refusal::{Limit, Reason, Refusal};

/// Infers the shape of every tensor of a program, and the loop nest of every operation.
///
/// # Errors
/// The refusal: constraints that cannot hold together, an operation that has no loop nest, or a limit.
pub fn infer(program: &Program, options: &Options) -> Result<Inference, Box<Refusal>> {
    let mut inference = infer_shapes(program, options)?;
    inference.nests = nests(program, &inference)?;
    Ok(inference)
}

/// Infers the shape of every tensor of a program, and no loop nest.
pub(crate) fn infer_shapes(
    program: &Program,
    options: &Options,
) -> Result<Inference, Box<Refusal>> {
    let mut asserted = Asserted::new(program).map_err(foreign)?;
    // No more operations are added to it, so the rows are not needed.
    asserted.rows = Vec::new();
    let mut solver = Solver::with(std::mem::take(&mut asserted.problem), options.of_solver());
    if let Err(refusal) = solver.close() {
        return Err(Box::new(asserted.refusal(program, *refusal)));
    }
    solver.shrink();
    let solution = solver.solution();
    let shapes = shapes(program, &solution, options)?;
    Ok(Inference {
        shapes,
        nests: Vec::new(),
        asserted,
        solver,
    })
}

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
    let sizes = super::shapes::sizes(&shapes[tensor.0]);
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

fn foreign(foreign: Foreign) -> Box<Refusal> {
    Box::new(Refusal {
        verdict: Verdict::Unknown,
        reason: Reason::Foreign(foreign),
    })
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

fn shapes(
    program: &Program,
    solution: &Solution<'_>,
    options: &Options,
) -> Result<Shapes, Box<Refusal>> {
    let mut axes = 0;
    let tensors = program.tensors.iter().enumerate();
    let shapes = tensors.map(|(number, tensor)| {
        let mut row = |kind: Kind| {
            let term = tensor.shape.row(kind);
            axes += term.explicit() as u64;
            let inner = within(solution, term, options.max_axes.checked_sub(axes)?)?;
            axes += inner.rank() as u64;
            Some(around(solution, term, inner))
        };
        let mut shape = || {
            Some(Shape {
                batch: row(Kind::Batch)?,
                input: row(Kind::Input)?,
                output: row(Kind::Output)?,
            })
        };
        shape().ok_or_else(|| too_many_axes(tensor, number, options.max_axes))
    });
    shapes.collect()
}

fn too_many_axes(tensor: &Tensor, number: usize, limit: u64) -> Box<Refusal> {
    Box::new(Refusal {
        verdict: Verdict::Unknown,
        reason: Reason::Limit(Limit {
            counts: "axes",
            limit,
            place: format!("the tensor {}", tensor.name),
            tensor: TensorId(number),
            flag: "--max-axes",
        }),
    })
}

/// Returns the value of the variable of a row term; `None` if it has more axes than that.
fn within(solution: &Solution<'_>, term: &RowTerm, most: u64) -> Option<Row> {
    let var = term.var.as_ref();
    match var.and_then(|var| solution.row_up_to(var.name(), most)) {
        None => Some(Row::default()),
        Some(row) => row.ok(),
    }
}

/// Returns the value of a row term: that of its variable between the flanks that are written out.
pub(crate) fn value(solution: &Solution<'_>, term: &RowTerm) -> Row {
    let inner = term.var.as_ref().and_then(|var| solution.row(var.name()));
    around(solution, term, inner.unwrap_or_default())
}

/// Returns the value of the variable of a row term between the flanks that are written out.
fn around(solution: &Solution<'_>, term: &RowTerm, mut row: Row) -> Row {
    let axis = |axis: &DimTerm| match axis {
        DimTerm::Const(dim) => dim.clone(),
        DimTerm::Var(var) => solution.dim(var.name()).unwrap_or(Dim::Unit),
    };
    if term.explicit() > 0 {
        row.leading.splice(0..0, term.leading.iter().map(axis));
        row.trailing.extend(term.trailing.iter().map(axis));
    }
    row
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
