//! Places in the lists of a graph.

use serde::Serialize;

/// The place of a value in the list of values of its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValueId(pub u32);

impl ValueId {
    /// Gives the place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The place of a constant in the list of constants of its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConstantId(pub u32);

impl ConstantId {
    /// Gives the place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The place of a body in the list of bodies of its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BodyId(pub u32);

impl BodyId {
    /// The body that is the model itself.
    pub const MAIN: Self = Self(0);

    /// Gives the place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The place of a node: its body, and the place in the body's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeId {
    /// The body.
    pub body: BodyId,
    /// The place among its nodes.
    pub index: u32,
}
