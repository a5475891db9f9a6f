//! From the text of a program to the values of its tensors, on any device.

use std::path::Path;

use lozenge::{Problem, Solver};
use lozenge_backend::{BufferId, Device, LoopNest, Symbols, Tensor};
use lozenge_lang::{Constraints, Program, Source, Values};
use lozenge_spec::elaboration::elaborate;
use lozenge_spec::operation::{Shape, TensorId};
use lozenge_spec::{Ground, Row, RowTerm};

/// A program with its shapes and loop nests.
pub struct Prepared {
    program: Program,
    shapes: Vec<Shape<Row>>,
    nests: Vec<LoopNest>,
}

/// Reads a program that keeps its values in its text.
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

fn sizes(shape: &Shape<Row>) -> Vec<u64> {
    let axes = shape.rows().into_iter().flat_map(Row::flat);
    axes.map(|dim| dim.size()).collect()
}

fn nest(program: &Program, at: usize, shapes: &[Shape<Row>]) -> Result<LoopNest, String> {
    let operation = &program.steps[at].operation;
    let solved = elaborate(operation, |id| shapes[id.0].clone())
        .and_then(|elaborated| Ok(elaborated.solve()?))
        .map_err(|error| error.to_string())?;
    let names: Vec<&str> = operation
        .slots
        .iter()
        .map(|id| program.tensor(*id).name.as_str())
        .collect();
    LoopNest::new(
        &solved.projections,
        operation.accumulator,
        operation.function,
        &names,
    )
    .map_err(|error| error.to_string())
}

/// Infers the shapes with the production solver, and the loop nest of each operation.
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
        .map(|at| nest(&program, at, &shapes))
        .collect::<Result<_, _>>()?;
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
    pub fn run(&self, device: &mut dyn Device) -> Result<Vec<Tensor>, String> {
        let data =
            lozenge_lang::load(&self.program, Path::new("")).map_err(|error| error.to_string())?;
        let mut buffers: Vec<BufferId> = Vec::new();
        let result = self.run_on(device, &data, &mut buffers);
        for buffer in buffers {
            device.release(buffer).map_err(|error| error.to_string())?;
        }
        result.map_err(|error| error.to_string())
    }

    fn run_on(
        &self,
        device: &mut dyn Device,
        data: &std::collections::BTreeMap<TensorId, Vec<f32>>,
        buffers: &mut Vec<BufferId>,
    ) -> Result<Vec<Tensor>, lozenge_backend::Error> {
        for (at, shape) in self.shapes.iter().enumerate() {
            let sizes = sizes(shape);
            buffers.push(match data.get(&TensorId(at)) {
                Some(values) => device.upload(&Tensor::new(sizes, values.clone())?)?,
                None => device.allocate(&sizes, f32::NAN)?,
            });
        }
        for (step, nest) in self.program.steps.iter().zip(&self.nests) {
            let slots = step.operation.slots.iter();
            let slots: Vec<BufferId> = slots.map(|id| buffers[id.0]).collect();
            device.run(nest, &slots, &Symbols::new())?;
        }
        buffers
            .iter()
            .map(|buffer| device.download(*buffer))
            .collect()
    }
}
