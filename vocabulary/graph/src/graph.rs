//! The graph: lists of bodies, values and constants.

use std::fmt;
use std::ops::Index;

use serde::Serialize;

use crate::{Argument, BodyId, Constant, ConstantId, Node, NodeId, Recorded, Value, ValueId};

/// The operator graph of a model.
///
/// A graph of a [`GraphBuilder`](crate::GraphBuilder) has these properties: every id lies within its list; a value has
/// one producer; the nodes of a body stand in an order in which each uses only values that are made before it, in its
/// own body or in one around it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Graph {
    /// The kind of file.
    pub format: Format,
    /// The program that wrote the file, as far as the file says so.
    pub producer: String,
    /// The operator sets that the file imports, by domain. Only ONNX has them.
    pub operator_sets: Vec<(String, i64)>,
    /// The bodies. The first is the model itself.
    pub bodies: Vec<Body>,
    /// The values of all bodies.
    pub values: Vec<Value>,
    /// The constants of all bodies.
    pub constants: Vec<Constant>,
    /// The claims that the exporter recorded beside the graph.
    pub recorded: Recorded,
}

impl Graph {
    /// Gives the body that is the model itself.
    pub fn main(&self) -> &Body {
        &self[BodyId::MAIN]
    }

    /// Gives the number of nodes in all bodies.
    pub fn node_count(&self) -> usize {
        self.bodies.iter().map(|body| body.nodes.len()).sum()
    }

    /// Gives the nodes of all bodies, those of the model itself first.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let bodies = (0..).map(BodyId).zip(&self.bodies);
        bodies.flat_map(|(body, content)| {
            let nodes = (0..).zip(&content.nodes);
            nodes.map(move |(index, node)| (NodeId { body, index }, node))
        })
    }
}

impl Index<BodyId> for Graph {
    type Output = Body;
    fn index(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }
}

impl Index<NodeId> for Graph {
    type Output = Node;
    fn index(&self, id: NodeId) -> &Node {
        &self[id.body].nodes[id.index as usize]
    }
}

impl Index<ValueId> for Graph {
    type Output = Value;
    fn index(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }
}

impl Index<ConstantId> for Graph {
    type Output = Constant;
    fn index(&self, id: ConstantId) -> &Constant {
        &self.constants[id.index()]
    }
}

/// The kind of file from which a graph was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `.onnx`.
    Onnx,
    /// `.pt2`, the programs of `torch.export`.
    TorchExport,
    /// The torch.fx graph in JSON that `examples/fx/export.py` writes.
    Fx,
    /// The text of a program of the gradual tensor calculus, `.grad`.
    Grad,
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Onnx => "onnx",
            Self::TorchExport => "torch.export",
            Self::Fx => "torch.fx",
            Self::Grad => "grad",
        })
    }
}

/// A list of nodes with inputs and outputs: the model itself, a branch of an `If`, what a `Loop` or a `Scan` repeats.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Body {
    /// The name in the file, which may be empty.
    pub name: String,
    /// The body around it, whose values its nodes may use as well.
    pub parent: Option<BodyId>,
    /// The inputs, without constants.
    pub inputs: Vec<ValueId>,
    /// The values that are constants of this body.
    pub constants: Vec<ValueId>,
    /// The nodes, in an order in which they can be computed.
    pub nodes: Vec<Node>,
    /// The outputs.
    pub outputs: Vec<Output>,
}

/// An output of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Output {
    /// The name.
    pub name: String,
    /// The result: mostly a value, in PyTorch also a number or `None`.
    pub argument: Argument,
}
