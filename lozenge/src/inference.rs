//! What is inferred of a program.

use lozenge_solver::{Solver, Story};
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::{Row, Var};

use crate::asserted::Asserted;

/// The shapes of a program, with the solver's state that they come from.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The shape of each tensor; a [`TensorId`] is a place in this list.
    pub shapes: Vec<Shape<Row>>,
    /// What the operations require; its problem has moved into the solver.
    pub(crate) asserted: Asserted,
    pub(crate) solver: Solver,
}

impl Inference {
    /// The shape of a tensor; `None` for a number that is not of the program.
    pub fn shape(&self, tensor: TensorId) -> Option<&Shape<Row>> {
        self.shapes.get(tensor.0)
    }

    /// How a variable of the program's constraints came to its value; `None` when no constraint mentions it.
    pub fn explain(&self, var: &Var) -> Option<Story> {
        self.solver.explain(var)
    }

    /// The constraints that were solved, with where each comes from.
    pub fn asserted(&self) -> &Asserted {
        &self.asserted
    }

    /// The solver as closing left it.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }
}

/// A shape as a program writes it: `batch|input->output`, without the bar where the batch row is empty.
pub fn shape_text(shape: &Shape<Row>) -> String {
    let row = |row: &Row| {
        let text = row.to_string();
        text.trim_start_matches('[')
            .trim_end_matches(']')
            .to_string()
    };
    let (batch, input, output) = (row(&shape.batch), row(&shape.input), row(&shape.output));
    match shape.batch.rank() {
        0 => format!("{input}->{output}"),
        _ => format!("{batch}|{input}->{output}"),
    }
}
