//! Frames: bodies and calls of functions whose nodes are being read.

use std::collections::HashMap;
use std::rc::Rc;

use bytes::Bytes;
use lozenge_graph_vocabulary::{Argument, BodyId, Type, ValueId};

use super::function::Versions;

/// A body or a call of a function whose nodes are being read. The reader has a stack of them, so that no depth of a
/// file is a depth of calls.
pub(super) struct Frame {
    /// The body to which the nodes are added. A function's nodes go to the body of the call.
    pub(super) body: BodyId,
    /// The frame around this one.
    pub(super) enclosing: Option<usize>,
    pub(super) level: u32,
    pub(super) kind: Kind,
    pub(super) context: Rc<Context>,
    /// The nodes, encoded.
    pub(super) nodes: Rc<Vec<Bytes>>,
    /// The place of the node that comes next.
    pub(super) next: usize,
    /// The values of this frame by their names. An optional input of a function that was left out is nothing.
    pub(super) values: HashMap<String, Option<ValueId>>,
    /// The outputs of the last node. Bodies of that node do not see them.
    pub(super) made: Vec<(String, Option<ValueId>)>,
    /// The types that the file declares for values that are not made yet.
    pub(super) declared: HashMap<String, Type>,
}

/// The kind of a frame.
pub(super) enum Kind {
    /// A body with its outputs. It sees the values of the frame around it.
    Body { outputs: Vec<String> },
    /// A call of a function. It sees its inputs alone.
    Call {
        function: usize,
        /// The names of the outputs at the call.
        outputs: Vec<String>,
    },
}

/// The context that a function's nodes and the bodies inside them share.
pub(super) struct Context {
    /// The versions of operator sets.
    pub(super) versions: Rc<Versions>,
    /// The text before the names of nodes and values.
    pub(super) prefix: String,
    /// The attributes of the call.
    pub(super) attributes: HashMap<String, Argument>,
}

impl Frame {
    /// Lets the outputs of the last node be seen.
    pub(super) fn settle(&mut self) {
        self.values.extend(self.made.drain(..));
    }

    /// Tells whether a value of this frame has the name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.made.iter().any(|(made, _)| made == name)
    }
}
