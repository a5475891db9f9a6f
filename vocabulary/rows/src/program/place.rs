//! Places that messages are about.

use serde::{Deserialize, Serialize};

use super::Span;

/// A place that a message is about: bytes of a text, or a node of a graph, which has no line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// The bytes of a text.
    #[serde(rename = "span")]
    Text(Span),
    /// The node of this name.
    #[serde(rename = "node")]
    Node(String),
}

impl Place {
    /// Returns the bytes of the text, if it is a place of one.
    pub fn span(&self) -> Option<&Span> {
        match self {
            Place::Text(span) => Some(span),
            Place::Node(_) => None,
        }
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place::Text(span)
    }
}
