//! Claims that an exporter recorded beside the graph.

use serde::Serialize;

use crate::{DeclaredSize, NodeId, ValueId};

/// The claims that an exporter recorded about the graph, and the places where it decided a branch. None of it restricts
/// the graph itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recorded {
    /// The ranges of the symbols that stand for sizes (`range_constraints` of a `.pt2` file).
    pub ranges: Vec<RecordedRange>,
    /// The symbols, or terms in them, that stand for inputs that are integers.
    pub integers: Vec<RecordedInteger>,
    /// The conditions on inputs that the exporter asks for, as it writes them in Python (`guards_code` of a `.pt2`
    /// file).
    pub guards: Vec<String>,
    /// The nodes that compute a condition by which the traced program branched, in the order met (`branches` of a
    /// torch.fx file).
    pub branches: Vec<NodeId>,
}

/// The range of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedRange {
    /// The symbol: `s77`.
    pub symbol: String,
    /// The least value, if there is one.
    pub least: Option<i64>,
    /// The greatest value, if there is one.
    pub greatest: Option<i64>,
}

/// The symbol of an integer input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedInteger {
    /// The input.
    pub value: ValueId,
    /// The symbol, or a term.
    pub size: DeclaredSize,
}
