//! The notation of `.shapes` files.
//!
//! One line is one equation, `s@[d1,d2] = [n,n]` or `d = (+ a 1)`, or a declaration, `dim a, b` or `shape s`. `#`
//! begins a comment. A side that is one name is a shape or a dimension by what else is said of the name, and a shape if
//! nothing is.

mod lexer;
mod parser;
mod printer;
mod sorts;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::set::Set;

/// The error for a text that is not in the notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ShapesError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The length of the part that is wrong, in characters.
    pub length: u32,
    /// The error, in words.
    pub message: String,
    /// A way to remove the error.
    pub help: Option<String>,
}

impl FromStr for Set {
    type Err = ShapesError;

    /// Reads a `.shapes` text. Names are numbered in the order of the alphabet, so numbers do not depend on the order
    /// of lines.
    fn from_str(text: &str) -> Result<Set, ShapesError> {
        parser::read(text)
    }
}

impl fmt::Display for Set {
    /// Writes a text that reads back as the same set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        printer::write(f, self)
    }
}
