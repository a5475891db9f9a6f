//! The checks of operations that do not depend on the mistakes of others: their shapes are certain, although the
//! program as a whole has none.

use lozenge_solver::project::Projector;
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Kind, Shape, TensorId};
use lozenge_vocabulary::program::Program;

use super::{Operation, across_markers, coded, nothing_to_contract, undetermined_parameter};
use crate::check::Check;
use crate::diagnose::conflict::einsum;
use crate::diagnose::fix::proposed::{Proposed, Stage, at, called};
use crate::diagnose::known::Known;
use crate::diagnose::known::reach::Reach;
use crate::diagnose::words::text::Text;
use crate::infer::{Shapes, nest};
use crate::options::{MAX_REFUSALS, Options};
use crate::refusal::Reason;

/// Returns the messages about loop nests and closed shapes of operations all of whose tensors are certain.
pub(crate) fn apart(
    text: Text<'_>,
    known: &Known<'_>,
    reach: &Reach,
    options: &Options,
) -> Vec<Proposed> {
    let program = text.program;
    let mut problems = Vec::new();
    let mut projector = Projector::default();
    for (number, step) in program.steps.iter().enumerate() {
        let slots = &step.operation.slots;
        if step.late.is_some() || step.record.is_some() {
            continue;
        }
        if problems.len() == MAX_REFUSALS || !slots.iter().all(|slot| reach.is_certain(*slot)) {
            continue;
        }
        let shapes: Vec<Shape<Row>> = slots.iter().map(|slot| shape(known, *slot)).collect();
        let of_slot = |id: TensorId| {
            let slot = slots.iter().position(|slot| *slot == id);
            &shapes[slot.unwrap_or_default()]
        };
        let shown: Vec<&Shape<Row>> = shapes.iter().collect();
        let operation = Operation {
            program,
            at: number,
            step,
            shapes: &shown,
        };
        if let Err(refusal) = nest(program, number, of_slot, &mut projector) {
            let unread = match &refusal.reason {
                Reason::Projection { error, .. } => einsum::unread(text, step, error),
                _ => None,
            };
            problems.push(unread.unwrap_or_else(|| refusal.diagnostic(program).into()));
        } else if let Some(problem) = nothing_to_contract::check(&operation, text, true) {
            let problem = called(program, program.steps[number].call, problem);
            problems.push(coded(Check::R2, problem, options));
        } else if let Some(problem) = across_markers::check(&operation, text) {
            let problem = called(program, program.steps[number].call, problem);
            problems.push(coded(Check::R4, problem, options));
        }
    }
    at(Stage::Closed, problems)
}

/// Returns the messages about parameters that nothing determines, other than those whose rows were `assumed`, and those
/// that are connected with operations that were left out.
pub(crate) fn parameters_apart(
    text: Text<'_>,
    closed: &Known<'_>,
    reach: &mut Reach,
    assumed: &[(TensorId, Kind)],
    options: &Options,
) -> Vec<Proposed> {
    let program: &Program = text.program;
    let tensors = (0..program.tensors.len()).map(TensorId);
    let mut axes = 0;
    let mut shapes = Vec::with_capacity(program.tensors.len());
    for tensor in tensors {
        let shape = shape(closed, tensor);
        axes += shape
            .rows()
            .iter()
            .map(|row| row.rank() as u64)
            .sum::<u64>();
        if axes > options.max_axes {
            return Vec::new();
        }
        shapes.push(shape);
    }
    let shapes: Shapes = shapes.into_iter().collect();
    let mut is_apart = |(tensor, kind): (TensorId, Kind)| {
        let of_another = !assumed.iter().any(|(other, _)| *other == tensor);
        of_another && !reach.reaches(program[tensor].shape.row(kind))
    };
    let problems = undetermined_parameter::check(text, &shapes, &mut is_apart);
    let problems = problems
        .into_iter()
        .map(|problem| coded(Check::R3, problem, options));
    at(Stage::Closed, problems.collect())
}

fn shape(known: &Known<'_>, tensor: TensorId) -> Shape<Row> {
    Shape {
        batch: known.row(tensor, Kind::Batch),
        input: known.row(tensor, Kind::Input),
        output: known.row(tensor, Kind::Output),
    }
}
