//! Refusals of programs, as data.

use lozenge_solver::Cited;
use lozenge_solver::project::ProjectionError;
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Foreign, Origin};
use serde::Serialize;

/// The refusal of a program, which has no shapes or no loop nests.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[error("{verdict}: {reason}")]
pub struct Refusal {
    /// `unsat` if no shapes fit; `rejected` if shapes may fit, but a choice was made or the loops cannot be built;
    /// `unknown` if a limit was reached, or the program has a number that refers to nothing.
    pub verdict: Verdict,
    /// The reason.
    #[serde(flatten)]
    pub reason: Reason,
}

/// The reason for which a program with a correct text is refused.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The constraints of its operations contradict each other.
    #[error("{}", .0.refusal.message)]
    Shapes(Box<ShapeConflict>),
    /// An operation has no index maps, although its shapes are known.
    #[error("{error}")]
    Projection {
        /// The operation, by its place in the program.
        operation: usize,
        /// The reason for which it has none.
        error: ProjectionError,
    },
    /// An operation has index maps but no loop nest, because it has too many points or cells to count.
    #[error("{message}")]
    Nest {
        /// The operation, by its place in the program.
        operation: usize,
        /// The reason, in words.
        message: String,
    },
    /// A limit was reached.
    #[error("{0}")]
    Limit(Limit),
    /// A program that was put together by hand has a number that refers to nothing.
    #[error("{0}")]
    Foreign(Foreign),
}

/// Constraints of a program that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapeConflict {
    /// The solver's refusal. Its chain has numbers of constraints of [`Asserted`](crate::Asserted).
    #[serde(flatten)]
    pub refusal: lozenge_solver::Refusal,
    /// The operation that requires each constraint of the chain.
    pub because: Vec<Because>,
}

/// A constraint behind a refusal or a derivation, and the operation that requires it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Because {
    /// The constraint.
    #[serde(flatten)]
    pub constraint: Cited,
    /// The operation and its requirement.
    pub origin: Origin,
}

/// A limit that was reached, with the place and the option that raises it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("the limit of {limit} {} was reached at {place}; {flag} raises it", counted(.limit, .counts))]
pub struct Limit {
    /// The counted quantity.
    pub counts: &'static str,
    /// The limit.
    pub limit: u64,
    /// The place where it was reached.
    pub place: String,
    /// The tensor at which it was reached.
    #[serde(skip)]
    pub tensor: TensorId,
    /// The option that raises it, as on the command line.
    pub flag: &'static str,
}

/// Returns the unit of a limit, in the singular for a limit of one: an axis, axes.
fn counted(limit: &u64, counts: &'static str) -> &'static str {
    match (limit, counts) {
        (1, "axes") => "axis",
        (_, counts) => counts,
    }
}
