//! The constraint problem of a program: what each of its operations requires of the rows of its tensors.

use lozenge_solver::{Problem, RowRef};
use lozenge_vocabulary::operation::{Requirement, Shape, Side};
use lozenge_vocabulary::program::{Origin, Program, Step};

use crate::refusal::{Because, Reason, Refusal, ShapeConflict};

/// The constraints of a program in the solver's form, each with the operation that requires it.
#[derive(Clone, Debug, Default)]
pub struct Asserted {
    /// The constraints, operation by operation, with the tags of the tensors' row variables.
    pub problem: Problem,
    /// For each tensor its three rows.
    pub rows: Vec<Shape<RowRef>>,
    /// For each operation the number of its first constraint.
    starts: Vec<usize>,
}

impl Asserted {
    /// Every requirement of every operation, in the order of the program.
    pub fn new(program: &Program) -> Asserted {
        let mut asserted = Asserted {
            problem: Problem::new(),
            rows: Vec::with_capacity(program.tensors.len()),
            starts: Vec::with_capacity(program.steps.len()),
        };
        let problem = &mut asserted.problem;
        for tensor in &program.tensors {
            let shape = tensor.shape.map(|_, row| problem.row_term(row));
            asserted.rows.push(shape);
        }
        for (var, tag) in program.tags() {
            // Each variable has one tag, so that none contradicts another.
            let _ = problem.declare(&var, tag);
        }
        let mut problem = std::mem::take(&mut asserted.problem);
        for step in &program.steps {
            asserted.require(&mut problem, step);
        }
        asserted.problem = problem;
        asserted
    }

    /// Adds what the next operation requires to a problem that has the rows of its tensors.
    pub(crate) fn require(&mut self, problem: &mut Problem, step: &Step) {
        self.starts.push(problem.len());
        let slots = &step.operation.slots;
        for requirement in step.operation.requirements.iter() {
            let mut side = |side: &Side| match side {
                Side::Slot(slot, kind) => *self.rows[slots[*slot].0].row(*kind),
                Side::Template(row) => problem.row_term(row),
            };
            let stated = match requirement {
                Requirement::Equal(left, right) => {
                    let (left, right) = (side(left), side(right));
                    problem.equal_rows(left, right)
                }
                Requirement::Below(result, operand) => {
                    let (result, operand) = (side(result), side(operand));
                    problem.below_rows(result, operand)
                }
                Requirement::Template(constraint) => Ok(problem.push(constraint)),
            };
            debug_assert!(stated.is_ok(), "both rows are of this problem");
        }
    }

    /// Forgets all but so many tensors and operations, the first ones.
    pub(crate) fn truncate(&mut self, tensors: usize, steps: usize) {
        self.rows.truncate(tensors);
        self.starts.truncate(steps);
    }

    /// A refusal of these constraints as a refusal of the program, with the operation behind each of its constraints.
    pub fn refusal(&self, program: &Program, refusal: lozenge_solver::Refusal) -> Refusal {
        let because = refusal.chain.iter().filter_map(|cited| {
            Some(Because {
                constraint: cited.clone(),
                origin: self.origin(program, cited.index)?,
            })
        });
        Refusal {
            verdict: refusal.verdict,
            reason: Reason::Shapes(Box::new(ShapeConflict {
                because: because.collect(),
                refusal,
            })),
        }
    }

    /// Where a constraint comes from; `None` when there is none of that number.
    pub fn origin(&self, program: &Program, constraint: usize) -> Option<Origin> {
        let step = self.starts.partition_point(|start| *start <= constraint);
        let step = step.checked_sub(1)?;
        // An operation without requirements starts where the next one does, and the last of them has the constraint.
        program.origin(step, constraint - self.starts[step])
    }
}
