//! The limits of the procedure: each has a name, and an answer that stopped at one says which.

use serde::Serialize;
use thiserror::Error;

/// A limit that ended an analysis without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Error, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// A number or a term became too large.
    #[error("a number or a term of the analysis becomes too large")]
    Overflow,
    /// The divisors of one size have too large a common multiple.
    #[error(
        "the sizes are divided by so many different numbers that their pattern repeats too late"
    )]
    Period,
    /// A function of one size switches too often.
    #[error("a size is a function of an input that switches too often")]
    Pieces,
    /// A size is divided by another size.
    #[error("a size is divided by a size that is not a number")]
    Quotient,
    /// The alternatives are too many, and no admitted size was found among those that were tried.
    #[error("there are more alternatives between sizes than the limit of {MAX_SPLITS} on splits")]
    Splits,
    /// The question takes too many steps.
    #[error("the sizes of the model take more than the limit of {MAX_STEPS} steps")]
    Steps,
    /// The conditions on which branches depend are too many.
    #[error(
        "the branches of the model have more combinations than the limit of {MAX_PATHS} on paths"
    )]
    Paths,
    /// The facts about products of sizes are not decided.
    #[error("a condition on products of several sizes is not decided")]
    Products,
    /// A rank that the analysis has to know is beyond those that are tried one by one.
    #[error("some ranks of {K} and more are not decided")]
    Ranks,
    /// A shape is longer than shapes are followed.
    #[error("a tensor has more axes than the limit of {MAX_RANK} on ranks")]
    Axes,
}

/// The number of alternatives of one case that are tried.
pub(crate) const MAX_SPLITS: usize = 5_000;

/// The number of boxes into which the solutions of one case may fall. Where there are more, the conditions are the
/// shorter answer.
pub(crate) const MAX_BOXES: usize = 256;

/// The number of steps that one question may take, beside those that each node may: parts of terms that are looked at
/// or made. A million take about a tenth of a second.
pub(crate) const MAX_STEPS: u64 = 2_500_000;

/// The number of steps that a question may take more for each node of the graph.
pub(crate) const STEPS_A_NODE: u64 = 200;

/// The number of combinations of branches that are followed.
pub(crate) const MAX_PATHS: usize = 1_024;

/// The rank from which on all ranks of an input are one case, unless more of its axes are asked for.
pub(crate) const K: usize = 7;

/// The number of axes of an input of any rank that are told apart if they are asked for.
pub(crate) const MAX_KNOWN: usize = 64;

/// The number of axes that a tensor of a point may have: what is longer is not written out.
pub(crate) const MAX_POINT: usize = 1 << 20;

/// The number of axes that a tensor may have.
pub(crate) const MAX_RANK: usize = 4_096;
