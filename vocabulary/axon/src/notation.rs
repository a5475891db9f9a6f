//! The notation of `.shapes` files.
//!
//! One line is one equation, `s@[d1,d2] = [n,n]` or `d = (+ a 1)`, or a declaration, `dim a, b` or `shape s`. `#` begins a comment. A side
//! that is one name is a shape or a dimension by what else is said of the name, and a shape if nothing is.

mod lexer;
mod parser;
mod printer;
mod sorts;

use thiserror::Error;

pub(crate) use parser::read;
pub(crate) use printer::{ShownDim, ShownEquation, ShownWord, write};

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
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}
