//! The constraint problem of a program: the requirements of its operations on the rows of its tensors.

use lozenge_solver::{Problem, RowRef};
use lozenge_vocabulary::operation::{Requirement, Shape, Side};
use lozenge_vocabulary::program::{Assignment, Foreign, Origin, Program, Tensor};
use lozenge_vocabulary::{DimTerm, RowTerm, Tag, Var};

use crate::refusal::{Because, Reason, Refusal, ShapeConflict};

/// The constraints of a program in the solver's form, each with the operation that requires it.
#[derive(Clone, Debug, Default)]
pub struct Asserted {
    /// The constraints, operation by operation, with the tags of the tensors' row variables.
    pub problem: Problem,
    /// The three rows of each tensor, until the last operation is added.
    pub(crate) rows: Vec<Shape<RowRef>>,
    /// The number of the first constraint of each operation.
    starts: Vec<u32>,
}

impl Asserted {
    /// Collects every requirement of every operation, in the order of the program.
    ///
    /// # Errors
    /// A number in the program that refers to nothing.
    pub fn new(program: &Program) -> Result<Asserted, Foreign> {
        program.check()?;
        let mut asserted = Asserted {
            problem: Problem::new(),
            rows: Vec::with_capacity(program.tensors.len()),
            starts: Vec::with_capacity(program.steps.len()),
        };
        let mut problem = Problem::new();
        let constraints = program
            .operations()
            .map(|operation| operation.requirements.len());
        let rows = program
            .tensors
            .iter()
            .flat_map(|tensor| tensor.shape.rows());
        let names = rows.filter_map(|row| row.var.as_ref().map(|var| var.name().len()));
        let (count, bytes) = names.fold((0, 0), |(count, bytes), name| (count + 1, bytes + name));
        problem.make_room(constraints.sum(), count, bytes);
        for tensor in &program.tensors {
            asserted.declare(&mut problem, tensor);
        }
        for step in &program.steps {
            asserted.require(&mut problem, step);
        }
        asserted.problem = problem;
        Ok(asserted)
    }

    /// Adds the next tensor to a problem: its rows, with the tags of their variables.
    pub(crate) fn declare(&mut self, problem: &mut Problem, tensor: &Tensor) {
        let rows = tensor.shape.map(|_, row| problem.row_term(row));
        self.rows.push(rows);
        for var in tensor.shape.rows().into_iter().flat_map(variables) {
            // Undeclared variables are interior. A row variable belongs to one tensor.
            if tensor.tag == Tag::Interior && matches!(var, Var::Row(_)) {
                continue;
            }
            // A dimension variable of several tensors has the tag of a parameter if one of them is a parameter.
            let declared = problem.declare(&var, tensor.tag);
            if declared.is_err() && tensor.tag == Tag::Param {
                problem.redeclare(&var, tensor.tag);
            }
        }
    }

    /// Adds the requirements of the next operation to a problem that has the rows of its tensors. The operation refers
    /// to these tensors and to its own slots, which was checked before.
    pub(crate) fn require(&mut self, problem: &mut Problem, step: &Assignment) {
        self.starts.push(problem.len() as u32);
        for rest in &step.operation.region().rests {
            problem.summand(rest);
        }
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

    /// Keeps only the first tensors and operations, up to these numbers.
    pub(crate) fn truncate(&mut self, tensors: usize, steps: usize) {
        self.rows.truncate(tensors);
        self.starts.truncate(steps);
    }

    /// Converts a refusal of these constraints to a refusal of the program, with the operation behind each constraint.
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

    /// Returns the origin of a constraint; `None` if there is no constraint with this number.
    pub fn origin(&self, program: &Program, constraint: usize) -> Option<Origin> {
        let begun = |start: &u32| *start as usize <= constraint;
        let step = self.starts.partition_point(begun);
        let step = step.checked_sub(1)?;
        // An operation without requirements has the same start as the next one, so the constraint belongs to the last
        // of these.
        program.origin(step, constraint - self.starts[step] as usize)
    }
}

/// Returns the variables of a row term.
fn variables(row: &RowTerm) -> impl Iterator<Item = Var> {
    let axes = row.axes().filter_map(DimTerm::var);
    axes.chain(row.var.iter().cloned().map(Var::Row))
}
