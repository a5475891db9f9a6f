//! Projection inference (§7): from one operation and the closed shapes of its tensors to its product space and index
//! maps.
//!
//! | step | source | file |
//! |---|---|---|
//! | the rows of a spec are laid on the axes of the tensors | Lemma 7.7 | `project/lines.rs` |
//! | each requirement becomes equations between axes | Def. 7.2, P1 to P6 | `project/elaborate.rs` |
//! | an axis with windows, or one that is made of others, has an index derived from theirs | P7 to P11 | `project/windows.rs` |
//! | axes that share an index become classes | Def. 7.3 | `project/classes.rs` |
//! | each class becomes a loop, a fixed position or a symbol | Defs. 7.3 and 7.5 | `project/label.rs` |
//! | why axes share a loop | Thm. 7.4 | `project/derivation.rs` |
//!
//! An operation costs time in proportion to its own axes and requirements, whatever stands beside it in a program
//! (Lemma 7.7(b)), and a [`Projector`] keeps its tables from one operation to the next.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use lozenge_solver::project::Projector;
//! use lozenge_vocabulary::operation::*;
//! use lozenge_vocabulary::projections::Index::Iter;
//! use lozenge_vocabulary::Row;
//!
//! // c = a * b over a : [2, 3], b : [3, 5], with the spec "i, j; j, k => i, k".
//! let equal = |slot, row: &str| {
//!     Requirement::Equal(Side::Template(row.parse().unwrap()), Side::Slot(slot, Kind::Output))
//! };
//! let matmul = Operation {
//!     slots: vec![TensorId(0), TensorId(1), TensorId(2)],
//!     requirements: vec![equal(0, "[i, k]"), equal(1, "[i, j]"), equal(2, "[j, k]")].into(),
//!     pins: BTreeMap::new(),
//!     region: None,
//!     accumulator: Accumulator { erase: true, combine: Combine::Add },
//!     function: Function::Multiply,
//! };
//! let shapes = ["[2, 5]", "[2, 3]", "[3, 5]"]
//!     .map(|output| Shape { output: output.parse::<Row>().unwrap(), ..Shape::default() });
//!
//! let mut projector = Projector::default();
//! let found = projector.project(&matmul, |tensor| &shapes[tensor.0])?;
//! assert_eq!(found.factors, [2, 5, 3]);
//! assert_eq!(found.maps[1].0, [Iter(0), Iter(2)]);
//! assert_eq!(found.reduction_axes(), [2], "j is contracted");
//! assert_eq!(projector.labels()[2].as_deref(), Some("j"));
//! # Ok::<(), lozenge_solver::project::ProjectionError>(())
//! ```

mod axis_relations;
mod classes;
mod derivation;
mod elaborate;
mod equations;
mod error;
mod forced;
mod label;
mod lines;
mod windows;

use lozenge_vocabulary::Row;
use lozenge_vocabulary::operation::{Operation, Shape, TensorId};
use lozenge_vocabulary::projections::Projections;

use classes::Classes;
use label::Underived;
use lines::Lines;
use windows::Derived;

pub use derivation::{IndexDerivation, Link, Place};
pub use equations::solve_equations;
pub use error::{EquationConflict, ProjectionError, WindowProblem};

/// Infers the index maps of one operation after another, and says why axes of the last one share a loop.
#[derive(Clone, Debug, Default)]
pub struct Projector {
    classes: Classes,
    lines: Lines,
    /// The class of each factor of the last operation, by its first axis.
    factors: Vec<u32>,
    /// The label that the last operation's spec gives each factor, without the suffix that distinguishes it from labels
    /// of other operations.
    labels: Vec<Option<String>>,
}

impl Projector {
    /// Returns the product space and the index map of each slot. The factors are numbered by the first axis that they
    /// drive, slot by slot; after them come those that drive none, taps of windows, in the order of the windows.
    ///
    /// # Errors
    /// The shapes do not satisfy the operation, a variable of its spec stands on no axis, or a position is beyond its
    /// axis.
    pub fn project<'s>(
        &mut self,
        operation: &Operation,
        shape: impl Fn(TensorId) -> &'s Shape<Row>,
    ) -> Result<Projections, ProjectionError> {
        self.classes.clear();
        self.factors.clear();
        self.labels.clear();
        self.lines.lay(operation, shape, &mut self.classes);
        let derived = elaborate::elaborate(operation, &mut self.lines, &mut self.classes)?;
        let (slots, factors) = (&self.lines.slots, &mut self.factors);
        let projections = label::label(slots, &mut self.classes, factors, &derived)
            .map_err(|conflict| self.underived(conflict, &derived))?;
        self.lines
            .labels(&mut self.classes, &self.factors, &mut self.labels);
        Ok(projections)
    }

    fn underived(&self, conflict: Underived, derived: &[Derived]) -> ProjectionError {
        let axis = |at: usize| self.lines.axis_of(derived[at].axis);
        let problem = |at: usize, problem| ProjectionError::Window {
            requirement: derived[at].requirement,
            problem,
        };
        match conflict {
            Underived::Nested(at) => problem(at, WindowProblem::Nested),
            Underived::Supplied(at) => problem(at, WindowProblem::Supplied),
            Underived::TooFar(at) => problem(at, WindowProblem::TooFar),
            Underived::Two(at, places) => ProjectionError::Pins {
                places,
                axis: axis(at),
            },
        }
    }

    /// Returns for each factor of the last operation, the label that its spec has for it.
    pub fn labels(&self) -> &[Option<String>] {
        &self.labels
    }
}
