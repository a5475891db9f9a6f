//! Values: what flows between nodes, and what the file declares about it.

use serde::Serialize;

use crate::{BodyId, ConstantId, ElementType, NodeId};

/// A value with its one producer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Value {
    /// The name in the file. Two branches of an `If` may use one name for two values.
    pub name: String,
    /// The type that the file declares or recorded.
    pub declared: Type,
    /// The producer.
    pub origin: Origin,
}

/// The producer of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// An input of a body. The user of the model gives the inputs of the main body.
    Input {
        /// The body.
        body: BodyId,
        /// The place among its inputs.
        position: u32,
    },
    /// A constant of the file: an initializer, a parameter, a buffer.
    Constant(ConstantId),
    /// An output of a node.
    Node {
        /// The node.
        node: NodeId,
        /// The place among its outputs.
        output: u32,
    },
}

/// The type that a file declares for a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// Nothing is declared.
    Any,
    /// A tensor.
    Tensor {
        /// The type of the elements, if it is declared.
        element: Option<ElementType>,
        /// The size of each axis, or nothing if the rank is not declared.
        sizes: Option<Vec<DeclaredSize>>,
    },
    /// One integer that is not in a tensor, as an `int` of Python.
    Integer,
    /// One real number that is not in a tensor.
    Float,
    /// One truth value that is not in a tensor.
    Boolean,
    /// Something else, such as `sequence(tensor)` or `map`, as the file calls it.
    Other(String),
}

impl Type {
    /// Makes the type of a tensor.
    pub fn tensor(element: Option<ElementType>, sizes: Option<Vec<DeclaredSize>>) -> Self {
        Self::Tensor { element, sizes }
    }

    /// Gives the declared sizes of a tensor whose rank is declared.
    pub fn sizes(&self) -> Option<&[DeclaredSize]> {
        match self {
            Self::Tensor { sizes, .. } => sizes.as_deref(),
            _ => None,
        }
    }

    /// Gives the declared type of the elements of a tensor.
    pub fn element(&self) -> Option<ElementType> {
        match self {
            Self::Tensor { element, .. } => *element,
            _ => None,
        }
    }
}

/// The declaration of the size of one axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeclaredSize {
    /// A number.
    Known(u64),
    /// A name. Axes of one name are claimed to have one size.
    Named(String),
    /// A term in names, such as `2*s0 + 1`, which only recorded programs hold.
    Expression(String),
    /// Nothing.
    Free,
}
