//! Reasons why an operation has no index maps.

use std::fmt;

use lozenge_vocabulary::operation::{Operation, Requirement, Side};
use lozenge_vocabulary::projection_language::AxisId;
use lozenge_vocabulary::projections::Index;
use lozenge_vocabulary::{RowTerm, Var};
use serde::Serialize;

/// The reason why an operation with these shapes has no index maps. A requirement is a place in the operation's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProjectionError {
    /// The operation has more tensors than shapes, or a requirement names a slot that there is not.
    NoSlot {
        /// The slot.
        slot: usize,
    },
    /// The rows of a requirement cannot be laid upon each other: the shapes do not satisfy it.
    Ranks {
        /// The requirement.
        requirement: usize,
        /// The number of axes of its left row.
        left: usize,
        /// The number of axes of its right row.
        right: usize,
    },
    /// Two axes that are to share an index have different sizes: the shapes do not satisfy the requirement.
    Sizes {
        /// The requirement.
        requirement: usize,
        /// The two sizes.
        sizes: [u64; 2],
        /// An axis of each, where a tensor has one.
        axes: [Option<AxisId>; 2],
    },
    /// No requirement says on which axes a variable of the spec stands.
    Undetermined {
        /// The variable.
        variable: Var,
        /// The requirement that mentions it.
        requirement: usize,
    },
    /// A window gives its axis no index.
    Window {
        /// The requirement.
        requirement: usize,
        /// The reason.
        problem: WindowProblem,
    },
    /// A fixed position is beyond its axis (Def. 7.2, side condition).
    Position {
        /// The position, counted from 0.
        position: u64,
        /// The size of the axis.
        size: u64,
        /// The axis, where a tensor has one.
        axis: Option<AxisId>,
    },
    /// One axis is to be read at two places.
    Pins {
        /// The two places.
        places: [Index; 2],
        /// The axis, where a tensor has one.
        axis: Option<AxisId>,
    },
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: &Option<AxisId>| match axis {
            Some(AxisId { slot: 0, axis }) => format!("axis {axis} of the result"),
            Some(AxisId { slot, axis }) => format!("axis {axis} of operand {slot}"),
            None => "an axis of the spec".to_string(),
        };
        match self {
            ProjectionError::Window { problem, .. } => write!(f, "{problem}"),
            ProjectionError::NoSlot { slot } => write!(f, "the operation has no slot {slot}"),
            ProjectionError::Ranks { left, right, .. } => write!(
                f,
                "a row of {left} axes does not fit a row of {right} axes: the shapes do not satisfy the operation"
            ),
            ProjectionError::Sizes {
                sizes: [a, b],
                axes,
                ..
            } => write!(
                f,
                "{} has size {a} and {} has size {b}, and they are to share an index",
                axis(&axes[0]),
                axis(&axes[1])
            ),
            ProjectionError::Undetermined { variable, .. } => write!(
                f,
                "nothing says on which axes {variable} of the spec stands"
            ),
            ProjectionError::Position {
                position,
                size,
                axis: at,
            } => write!(
                f,
                "position {position} is beyond {}, which has size {size}: its positions are 0 to {}",
                axis(at),
                size - 1
            ),
            ProjectionError::Pins {
                places: [a, b],
                axis: at,
            } => {
                write!(f, "{} is read at {a} and at {b}", axis(at))
            }
        }
    }
}

impl std::error::Error for ProjectionError {}

/// Makes the error that a variable of the spec stands on no axis.
pub(crate) fn undetermined(operation: &Operation, variable: Var) -> ProjectionError {
    ProjectionError::Undetermined {
        requirement: mentioning(operation, &variable),
        variable,
    }
}

/// Returns the first requirement that mentions a variable of the spec.
pub(crate) fn mentioning(operation: &Operation, var: &Var) -> usize {
    let in_row = |row: &RowTerm| row.mentions(var);
    let in_side = |side: &Side| matches!(side, Side::Template(row) if in_row(row));
    let mut requirements = operation.requirements.iter();
    let found = requirements.position(|requirement| match requirement {
        Requirement::Equal(left, right) | Requirement::Below(left, right) => {
            in_side(left) || in_side(right)
        }
        Requirement::Template(constraint) => constraint.vars().contains(var),
    });
    found.unwrap_or_default()
}

/// The reason why a window gives its axis no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowProblem {
    /// The windows do not fit on the axis: the shapes do not satisfy the operation.
    Unfit,
    /// A label of it stands on an axis that has windows itself.
    Nested,
    /// A label of it is read at a symbol that is supplied from outside.
    Supplied,
    /// Its index is beyond 64 bits.
    TooFar,
}

impl fmt::Display for WindowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WindowProblem::Unfit => {
                "the sizes of windows or parts do not fit their axis: the shapes do not satisfy the operation"
            }
            WindowProblem::Nested => {
                "an axis of windows or parts is made of an axis that has some itself"
            }
            WindowProblem::Supplied => "a label of a window, a part or a factor is read at a position from outside",
            WindowProblem::TooFar => "the index of an axis is beyond 64 bits",
        })
    }
}

/// The reason why a list of projection equations has no solution (Thm. 7.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EquationConflict {
    /// An equation is about an axis that there is not.
    NoAxis {
        /// The equation, by its place in the list.
        equation: usize,
        /// The axis.
        axis: AxisId,
    },
    /// A class has two sizes.
    Sizes {
        /// The equation that joins them.
        equation: usize,
        /// The two sizes.
        sizes: [u64; 2],
    },
    /// A class is read at two places, or two supplied indices that are to be the same differ.
    Pins {
        /// The equation that brings them together.
        equation: usize,
        /// The two places.
        places: [Index; 2],
    },
    /// An argument of a derived index is derived itself, is supplied from outside, or lies beyond 64 bits.
    Argument {
        /// The equation.
        equation: usize,
    },
}

impl fmt::Display for EquationConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EquationConflict::NoAxis { equation, axis } => write!(
                f,
                "equation {}: slot {} has no axis {}",
                equation + 1,
                axis.slot,
                axis.axis
            ),
            EquationConflict::Sizes {
                equation,
                sizes: [a, b],
            } => {
                write!(
                    f,
                    "equation {}: sizes {a} and {b} are to be equal",
                    equation + 1
                )
            }
            EquationConflict::Pins {
                equation,
                places: [a, b],
            } => {
                write!(f, "equation {}: read at {a} and at {b}", equation + 1)
            }
            EquationConflict::Argument { equation } => {
                write!(f, "equation {}: an argument has no loop", equation + 1)
            }
        }
    }
}

impl std::error::Error for EquationConflict {}
