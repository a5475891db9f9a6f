//! The results of inference for a program.

use lozenge_backend::LoopNest;
use lozenge_solver::project::{IndexDerivation, Projector};
use lozenge_solver::{Derivation, Solver};
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::program::Program;
use lozenge_vocabulary::{Row, Var};
use serde::Serialize;

use super::asserted::Asserted;
use super::shapes::{Shapes, axis_words};

/// The shapes and loop nests of a program, with the state of the solver from which they come.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The shape of each tensor; a [`TensorId`] is a place in this list.
    pub shapes: Shapes,
    /// The loop nest of each operation, in the order in which they run.
    pub nests: Vec<LoopNest>,
    /// The requirements of the operations; the problem itself has moved into the solver.
    pub(crate) asserted: Asserted,
    pub(crate) solver: Solver,
}

impl Inference {
    /// Returns the shape of a tensor; `None` if the program has no tensor with this number.
    pub fn shape(&self, tensor: TensorId) -> Option<&Shape<Row>> {
        self.shapes.get(tensor.0)
    }

    /// Explains the value of a variable of the program's constraints; `None` when no constraint mentions it.
    pub fn explain(&self, var: &Var) -> Option<Derivation> {
        self.solver.explain(var)
    }

    /// Returns the constraints that [`Inference::explain`] cites, by their numbers, each once, those of its last steps
    /// first. Nothing is put into words, which takes most of the time for a long derivation.
    pub fn constraints_behind(&self, var: &Var) -> Option<Vec<usize>> {
        self.solver.constraints_behind(var)
    }

    /// Returns each loop of an operation that its result does not mention, with the reason why the axes that it drives
    /// share it.
    pub fn contractions(&self, program: &Program, operation: usize) -> Vec<Contraction> {
        let (Some(nest), Some(step)) = (self.nests.get(operation), program.steps.get(operation))
        else {
            return Vec::new();
        };
        // An operation of a backward program has the loops of its record, which has the reasons for them.
        let of_a_record = step.record.is_some();
        let is_foreign = |slot: &TensorId| self.shapes.get(slot.0).is_none();
        if step.operation.slots.iter().any(is_foreign) {
            return Vec::new();
        }
        if of_a_record || nest.factors().iter().all(|factor| !factor.reduced) {
            return Vec::new();
        }
        let mut projector = Projector::default();
        // This succeeded before, so there are index maps.
        let _ = projector.project(&step.operation, |id| &self.shapes[id.0]);
        let factors = nest.factors().iter().enumerate();
        factors
            .filter(|(_, factor)| factor.reduced)
            .filter_map(|(number, factor)| {
                Some(Contraction {
                    name: factor.name.clone(),
                    size: factor.size,
                    derivation: projector.explain_factor(number)?,
                })
            })
            .collect()
    }

    /// Returns the constraints that were solved, with their origins.
    pub fn asserted(&self) -> &Asserted {
        &self.asserted
    }

    /// Returns the solver in its state after closing.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }
}

/// A loop that the result of its operation does not mention, so that all its points write the same cell (Def. 7.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contraction {
    /// The name of the loop.
    pub name: String,
    /// The number of its points.
    pub size: u64,
    /// The axes that it drives, and the requirements that make them share it.
    pub derivation: IndexDerivation,
}

impl Contraction {
    /// Returns the reason for the loop, in words.
    pub fn words(&self, program: &Program, inference: &Inference, operation: usize) -> String {
        let step = program.steps.get(operation);
        let slots = step.map_or(&[][..], |step| &step.operation.slots);
        // A slot that the operation does not have means that it belongs to another program.
        let foreign = TensorId(usize::MAX);
        let tensor = |slot: usize| slots.get(slot).copied().unwrap_or(foreign);
        let axes: Vec<String> = self
            .derivation
            .axes
            .iter()
            .map(|axis| axis_words(program, &inference.shapes, tensor(axis.slot), axis.axis))
            .collect();
        if axes.is_empty() {
            return format!(
                "{} is contracted: it moves within windows, and drives no axis",
                self.name
            );
        }
        let written = program.tensors.get(tensor(0).0);
        format!(
            "{} is contracted: it drives {}, and no axis of {}",
            self.name,
            axes.join(" and "),
            written.map_or("no tensor of the program", |tensor| &tensor.name)
        )
    }
}
