//! An error in a file, and its place.

use std::fmt;

/// The reason why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{message}")]
pub struct ModelError {
    /// The place in the file.
    pub place: Where,
    /// The error, in words.
    pub message: String,
    /// A way to remove the error.
    pub help: Option<String>,
    /// The name of the limit that was reached, as in [`Limits`](crate::Limits), if the reason is one.
    pub limit: Option<&'static str>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// The file as a whole.
    File,
    /// The byte at this offset.
    Byte(u64),
    /// The line and the column with these numbers, from 1.
    Line(u32, u32),
    /// The node of this name.
    Node(String),
    /// The value or constant of this name.
    Value(String),
}

impl fmt::Display for Where {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Byte(offset) => write!(formatter, "byte {offset}: "),
            Self::Line(line, column) => write!(formatter, "line {line}, column {column}: "),
            Self::Node(name) => write!(formatter, "node {}: ", quoted(name)),
            Self::Value(name) => write!(formatter, "value {}: ", quoted(name)),
        }
    }
}

impl ModelError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            place: Where::File,
            message: message.into(),
            help: None,
            limit: None,
        }
    }

    /// States the place, unless a narrower one is known.
    pub(crate) fn at(mut self, place: Where) -> Self {
        if self.place == Where::File {
            self.place = place;
        }
        self
    }

    pub(crate) fn at_node(self, name: &str) -> Self {
        self.at(Where::Node(name.to_string()))
    }

    pub(crate) fn at_value(self, name: &str) -> Self {
        self.at(Where::Value(name.to_string()))
    }

    pub(crate) fn at_byte(self, offset: u64) -> Self {
        self.at(Where::Byte(offset))
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn by_limit(mut self, limit: &'static str, value: impl fmt::Display) -> Self {
        self.limit = Some(limit);
        self.with_help(format!("{limit} is {value}; a larger one may be given"))
    }
}

/// Quotes a name of the file, cut where it is so long that nobody would read it.
pub(crate) fn quoted(name: &str) -> String {
    const SHOWN: usize = 80;
    match name.char_indices().nth(SHOWN) {
        None => format!("`{}`", name.escape_debug()),
        Some((end, _)) => format!("`{}…`", name[..end].escape_debug()),
    }
}
