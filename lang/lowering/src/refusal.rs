//! The reasons why a graph becomes no program.

use std::fmt;

/// The reason why a graph becomes no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Inputs whose sizes the model leaves free and nobody gave.
    #[error("{}", free_axes(.0))]
    Free(Vec<FreeAxis>),
    /// A size that was given and does not belong to the model.
    #[error("{0}")]
    Given(String),
    /// Nodes that have no lines, in the order of the graph.
    #[error("{}", lacking(.0))]
    Lacking(Vec<Lacking>),
}

/// An axis of an input whose size is free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeAxis {
    /// The input.
    pub input: String,
    /// The axis, from 0.
    pub axis: usize,
    /// The name by which a size is given for it: the one that the model declares, or the input and the axis.
    pub name: String,
}

/// A node that has no lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// The node, by its name in the model. It is empty for an input or an output of the model.
    pub node: String,
    /// The operator, such as `onnx.Resize@13`.
    pub operator: String,
    /// The reason.
    pub why: String,
}

impl fmt::Display for Lacking {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node.is_empty() {
            true => formatter.write_str(&self.why),
            false => {
                let (node, operator) = (self.node.escape_debug(), &self.operator);
                write!(formatter, "node `{node}` ({operator}): {}", self.why)
            }
        }
    }
}

fn free_axes(axes: &[FreeAxis]) -> String {
    let each = axes
        .iter()
        .map(|free| format!("axis {} of `{}`", free.axis, free.input.escape_debug()));
    let each: Vec<_> = each.collect();
    format!("the model leaves sizes free: {}", each.join(", "))
}

fn lacking(nodes: &[Lacking]) -> String {
    let each: Vec<_> = nodes.iter().map(ToString::to_string).collect();
    each.join("\n")
}

/// The reason why an operator has no lines at a node.
#[derive(Clone, Debug)]
pub(crate) enum Why {
    /// A reason that is told.
    Said(String),
    /// An argument that has no lines itself, of which its own node tells.
    Upstream,
}

impl From<String> for Why {
    fn from(reason: String) -> Self {
        Self::Said(reason)
    }
}

impl From<&str> for Why {
    fn from(reason: &str) -> Self {
        Self::Said(reason.into())
    }
}
