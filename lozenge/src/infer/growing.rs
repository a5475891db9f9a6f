//! A program that grows by one operation at a time.
//!
//! A compiler that builds its program operation by operation needs the shapes and the loop nest after each operation.
//! [`Growing`] answers in time proportional to that operation, however many there are already. There are two kinds of
//! answers:
//!
//! - *Before closing*, from the solved form. [`Growing::known`] returns the part of a tensor's rows that the operations
//!   so far force ([`Known`]), and [`Growing::nest`] builds the loop nest of an operation at these rows. The forced
//!   part does not change: later operations agree with it or are refused. The open part is at its top, as if no further
//!   axis and no further size followed.
//! - *After closing* (Def. 6.1), which gives every parameter its shape. Closing is a decision about the whole program:
//!   the axes of a parameter depend on all its uses together, so an operation that is added may change the shape to
//!   which a parameter of an earlier one closes. [`Growing::closed`] closes the present program, offers the shapes, and
//!   undoes the closing, so that more operations can follow. It takes time proportional to the program. The constraints
//!   are not solved again and nothing is copied.
//!
//! ```
//! use lozenge::Growing;
//!
//! let text = "data x : 8|->16 = range(128)
//!             param w
//!             let y = w * x
//!             let z = y + x";
//! let program = lozenge::parse(text).map_err(|errors| errors[0].to_string())?;
//! let mut growing = Growing::default();
//! for tensor in &program.tensors {
//!     growing.tensor(tensor.clone());
//! }
//! let [composition, sum] = [0, 1].map(|step| program.steps[step].clone());
//! let w = program.find("w").unwrap();
//!
//! growing.push(composition)?;
//! // The inputs of w are those of x. Nothing says which outputs it has.
//! assert_eq!(growing.known(w)?.input.row.to_string(), "[16]");
//! assert!(growing.known(w)?.output.open);
//!
//! let sum = growing.push(sum)?;
//! assert!(growing.nest(sum)?.to_string().contains("for i in 0..8:"));
//! // Closing gives w the outputs that the sum needs; they are not forced.
//! assert!(growing.known(w)?.output.open);
//! assert_eq!(growing.closed()?.shape(w)?.output.to_string(), "[16]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use lozenge_backend::LoopNest;
use lozenge_solver::project::Projector;
use lozenge_solver::{Known, Solver};
use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Shape, TensorId};
use lozenge_vocabulary::program::{Assignment, Program, Tensor};

use super::asserted::Asserted;
use super::nests::nest;
use super::result::Inference;
use crate::options::Options;
use crate::refusal::Refusal;

/// A program to which tensors and operations are added, with the shapes that they force so far.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    program: Program,
    /// The rows of the tensors, and the first constraint of each operation. The problem itself is in the solver.
    asserted: Asserted,
    solver: Solver,
    projector: Projector,
    /// The number of tensors and operations at each open mark.
    marks: Vec<(usize, usize)>,
}

/// An error of a growing program.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GrowingError {
    /// There is no tensor with this number: add it first.
    #[error("there is no tensor with the number {}: add it before it is used", .0.0)]
    Tensor(TensorId),
    /// A requirement of the operation is about a slot that the operation does not have.
    #[error("the operation has no slot {0}: its requirements may mention the slots that it lists")]
    Slot(usize),
    /// There is no operation with this number.
    #[error("there is no operation with the number {0}: `push` returns the numbers")]
    Operation(usize),
    /// The loop nest of this operation is built from those of others.
    #[error(
        "the operation {0} takes a value or its index maps from the whole program: `finish` builds its loop nest"
    )]
    Finished(usize),
    /// The constraints contradict each other, or an operation has no loop nest.
    #[error(transparent)]
    Refused(#[from] Box<Refusal>),
}

impl Growing {
    /// Adds a tensor. Its variables are those of its shape; a variable in the shapes of several tensors has one value.
    pub fn tensor(&mut self, tensor: Tensor) -> TensorId {
        let id = TensorId(self.program.tensors.len());
        self.asserted.declare(self.solver.problem_mut(), &tensor);
        self.program.tensors.push(tensor);
        id
    }

    /// Adds an operation, and propagates its consequences.
    ///
    /// # Errors
    /// A tensor or a slot that does not exist, or the refusal. Then the operation is not added and nothing else
    /// changes.
    pub fn push(&mut self, step: Assignment) -> Result<usize, GrowingError> {
        for slot in &step.operation.slots {
            self.check(*slot)?;
        }
        if let Some(slot) = step.operation.foreign_slot() {
            return Err(GrowingError::Slot(slot));
        }
        self.solver.snapshot();
        self.asserted.require(self.solver.problem_mut(), &step);
        let solved = self.solver.solve_so_far();
        self.program.steps.push(step);
        match solved {
            Ok(()) => {
                self.solver.keep();
                Ok(self.program.steps.len() - 1)
            }
            Err(refusal) => {
                let refusal = self.asserted.refusal(&self.program, *refusal);
                self.solver.rollback();
                self.program.steps.pop();
                self.asserted
                    .truncate(self.program.tensors.len(), self.program.steps.len());
                Err(GrowingError::Refused(Box::new(refusal)))
            }
        }
    }

    /// Returns the program so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the knowledge about the rows of a tensor before closing.
    ///
    /// # Errors
    /// A tensor that does not exist.
    pub fn known(&mut self, tensor: TensorId) -> Result<Shape<Known>, GrowingError> {
        self.check(tensor)?;
        let rows = self.asserted.rows[tensor.0].clone();
        let mut known = |row| self.solver.known(row);
        let foreign = |_| GrowingError::Tensor(tensor);
        Ok(Shape {
            batch: known(rows.batch).map_err(foreign)?,
            input: known(rows.input).map_err(foreign)?,
            output: known(rows.output).map_err(foreign)?,
        })
    }

    /// Returns the loop nest of an operation with the shapes that its tensors are known to have.
    ///
    /// # Errors
    /// An operation that does not exist, or the refusal if it has no loop nest with these shapes.
    pub fn nest(&mut self, operation: usize) -> Result<LoopNest, GrowingError> {
        let steps = self.program.steps.get(operation);
        let step = steps.ok_or(GrowingError::Operation(operation))?;
        let slots = step.operation.slots.clone();
        let mut shapes = Vec::with_capacity(slots.len());
        for slot in slots {
            let known = self.known(slot)?;
            shapes.push((slot, known.map(|_, known| known.row.clone())));
        }
        self.nest_at(operation, &shapes)
    }

    fn nest_at(
        &mut self,
        operation: usize,
        shapes: &[(TensorId, Shape<Row>)],
    ) -> Result<LoopNest, GrowingError> {
        let step = &self.program.steps[operation];
        if step.late.is_some() || step.record.is_some() {
            return Err(GrowingError::Finished(operation));
        }
        let none = Shape::default();
        let shape = |id: TensorId| {
            let found = shapes.iter().find(|(slot, _)| *slot == id);
            found.map_or(&none, |(_, shape)| shape)
        };
        Ok(nest(&self.program, operation, shape, &mut self.projector)?)
    }

    /// Closes the present program (Def. 6.1), until the returned value is dropped.
    ///
    /// # Errors
    /// The refusal.
    pub fn closed(&mut self) -> Result<Closed<'_>, GrowingError> {
        self.solver.snapshot();
        match self.solver.close() {
            Ok(()) => Ok(Closed { growing: self }),
            Err(refusal) => {
                let refusal = self.asserted.refusal(&self.program, *refusal);
                self.solver.rollback();
                Err(GrowingError::Refused(Box::new(refusal)))
            }
        }
    }

    /// Remembers the present program. Marks can be nested.
    pub fn mark(&mut self) {
        self.solver.snapshot();
        let (tensors, steps) = (self.program.tensors.len(), self.program.steps.len());
        self.marks.push((tensors, steps));
    }

    /// Removes every tensor and every operation since the last mark, and the mark. False if there is no mark.
    pub fn rollback(&mut self) -> bool {
        let Some((tensors, steps)) = self.marks.pop() else {
            return false;
        };
        self.program.tensors.truncate(tensors);
        self.program.steps.truncate(steps);
        self.program.checks.retain(|(step, _), _| *step < steps);
        self.asserted.truncate(tensors, steps);
        self.solver.rollback()
    }

    /// Drops the last mark and keeps everything added since. False if there is no mark.
    pub fn keep(&mut self) -> bool {
        if self.marks.pop().is_none() {
            return false;
        }
        self.solver.keep();
        true
    }

    /// Infers the finished program from the beginning.
    ///
    /// # Errors
    /// As [`crate::infer`].
    pub fn finish(self, options: &Options) -> Result<Inference, Box<Refusal>> {
        crate::infer::infer(&self.program, options)
    }

    fn check(&self, tensor: TensorId) -> Result<(), GrowingError> {
        match tensor.0 < self.program.tensors.len() {
            true => Ok(()),
            false => Err(GrowingError::Tensor(tensor)),
        }
    }
}

/// A growing program while it is closed. Dropping it opens the program again.
#[derive(Debug)]
pub struct Closed<'a> {
    growing: &'a mut Growing,
}

impl Closed<'_> {
    /// Returns the shape that closing gives a tensor.
    ///
    /// # Errors
    /// A tensor that does not exist.
    pub fn shape(&self, tensor: TensorId) -> Result<Shape<Row>, GrowingError> {
        self.growing.check(tensor)?;
        let solution = self.growing.solver.solution();
        let rows = &self.growing.asserted.rows[tensor.0];
        // The rows belong to this problem.
        Ok(rows.map(|_, row| solution.row_of(*row).unwrap_or_default()))
    }

    /// Returns the loop nest of an operation with closed shapes.
    ///
    /// # Errors
    /// An operation that does not exist, or the refusal if it has no loop nest with these shapes.
    pub fn nest(&mut self, operation: usize) -> Result<LoopNest, GrowingError> {
        let steps = self.growing.program.steps.get(operation);
        let step = steps.ok_or(GrowingError::Operation(operation))?;
        let slots = step.operation.slots.iter();
        let shapes = slots
            .map(|slot| Ok((*slot, self.shape(*slot)?)))
            .collect::<Result<Vec<_>, GrowingError>>()?;
        self.growing.nest_at(operation, &shapes)
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.growing.solver.rollback();
    }
}
