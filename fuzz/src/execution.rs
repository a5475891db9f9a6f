//! From the text of a program to the values of its tensors, on any device.

use std::collections::BTreeMap;
use std::path::Path;

use lozenge_backend::{BufferId, Device, Error, LoopNest, Symbols, Tensor};
use lozenge_solver::{Problem, Solver};
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::projection_solver::Solved;
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::program::{Constraints, Program, Source, Values};
use lozenge_vocabulary::{Ground, Row, RowTerm};

/// A program with its shapes and loop nests.
pub struct Prepared {
    program: Program,
    shapes: Vec<Shape<Row>>,
    nests: Vec<LoopNest>,
}

/// Reads a program that keeps its values in its text.
///
/// # Errors
/// The first mistake, or that values are elsewhere.
pub fn read(text: &str) -> Result<(Program, Constraints), String> {
    let program = lozenge_lang::parse(text).map_err(|errors| {
        let first = errors.first().map(|error| error.message.as_str());
        first.unwrap_or("not a program").to_string()
    })?;
    let outside =
        |source: &Source| matches!(source, Source::Data(Values::Csv(_)) | Source::Param(None));
    if program.tensors.iter().any(|tensor| outside(&tensor.source)) {
        return Err("some values come from outside".into());
    }
    let constraints = program.constraints();
    Ok((program, constraints))
}

/// The sizes of the axes of a tensor, in the order of memory.
pub fn sizes(shape: &Shape<Row>) -> Vec<u64> {
    let axes = shape.rows().into_iter().flat_map(Row::flat);
    axes.map(|dim| dim.size()).collect()
}

/// The loop nest of an operation of a program, with the axes behind each of its loops.
///
/// # Errors
/// Why there is none.
pub fn nest(
    program: &Program,
    at: usize,
    shapes: &[Shape<Row>],
) -> Result<(Solved, LoopNest), String> {
    let operation = &program.steps[at].operation;
    let solved = elaborate(operation, |id| shapes[id.0].clone())
        .and_then(|elaborated| Ok(elaborated.solve()?))
        .map_err(|error| error.to_string())?;
    let names: Vec<&str> = operation
        .slots
        .iter()
        .map(|id| program.tensor(*id).name.as_str())
        .collect();
    let nest = LoopNest::new(
        &solved.projections,
        operation.accumulator,
        operation.function,
        &names,
    )
    .map_err(|error| error.to_string())?;
    Ok((solved, nest))
}

/// Runs every operation, and gives back every tensor. The device holds nothing of it afterwards.
///
/// # Errors
/// The first of the device.
pub fn run(
    program: &Program,
    shapes: &[Shape<Row>],
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
) -> Result<Vec<Tensor>, Error> {
    let mut buffers = Vec::new();
    let tensors = run_in(program, shapes, nests, data, device, &mut buffers);
    for buffer in buffers {
        device.release(buffer)?;
    }
    tensors
}

fn run_in(
    program: &Program,
    shapes: &[Shape<Row>],
    nests: &[LoopNest],
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
    buffers: &mut Vec<BufferId>,
) -> Result<Vec<Tensor>, Error> {
    for (at, shape) in shapes.iter().enumerate() {
        let sizes = sizes(shape);
        buffers.push(match data.get(&TensorId(at)) {
            Some(values) => device.upload(&Tensor::new(sizes, values.clone())?)?,
            // Whatever is read before it is written shows as not-a-number.
            None => device.allocate(&sizes, f32::NAN)?,
        });
    }
    for (step, nest) in program.steps.iter().zip(nests) {
        let slots = step.operation.slots.iter();
        let slots: Vec<BufferId> = slots.map(|id| buffers[id.0]).collect();
        device.run(nest, &slots, &Symbols::new())?;
    }
    let buffers = buffers.iter();
    buffers.map(|buffer| device.download(*buffer)).collect()
}

/// Infers the shapes with the production solver, and the loop nest of each operation.
///
/// # Errors
/// Why there are none.
pub fn prepare(text: &str) -> Result<Prepared, String> {
    let (program, constraints) = read(text)?;
    let mut solver = Solver::new(Problem::from(&constraints.set));
    solver.close().map_err(|refusal| refusal.to_string())?;
    let ground: Ground = solver.solution().ground();
    let row = |term: &RowTerm| ground.row(term).unwrap_or_default();
    let shapes: Vec<Shape<Row>> = program
        .tensors
        .iter()
        .map(|tensor| tensor.shape.map(|_, term| row(term)))
        .collect();
    let nests = (0..program.steps.len())
        .map(|at| Ok(nest(&program, at, &shapes)?.1))
        .collect::<Result<_, String>>()?;
    Ok(Prepared {
        program,
        shapes,
        nests,
    })
}

impl Prepared {
    /// The loop nests.
    pub fn nests(&self) -> &[LoopNest] {
        &self.nests
    }

    /// Runs every operation, and gives back every tensor.
    ///
    /// # Errors
    /// What the device says, in words.
    pub fn run(&self, device: &mut dyn Device) -> Result<Vec<Tensor>, String> {
        let data =
            lozenge_lang::load(&self.program, Path::new("")).map_err(|error| error.to_string())?;
        run(&self.program, &self.shapes, &self.nests, &data, device)
            .map_err(|error| error.to_string())
    }
}
