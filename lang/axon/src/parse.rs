//! Texts to programs. Names are looked up while the text is read, since nothing may be used before it is bound.
//!
//! Expressions are read with a stack of the open parts instead of recursion, so that nesting is limited by memory
//! alone. Types nest at most [`types::DEEPEST`] deep.
//!
//! Parser combinators such as `winnow` and `chumsky` were considered and not tried: they recurse with the nesting of a
//! text.

mod cursor;
mod data;
mod expression;
mod header;
mod names;
mod pattern;
pub(crate) mod types;

use lozenge_diagnostic::{Diagnostic, Parsed};

use crate::syntax::{Program, Type};
use crate::token::tokens;

use cursor::Cursor;
use names::Names;

/// The state of the parser while it reads a text.
struct Parser<'t> {
    cursor: Cursor<'t>,
    names: Names<'t>,
    program: Program,
    errors: Vec<Diagnostic>,
}

/// Reads a program.
///
/// # Errors
/// The mistakes of the text: the first one that leaves its form open, and before it every name that is not bound.
pub fn parse(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut parser = Parser {
        cursor: Cursor::new(tokens(text).map_err(|error| vec![error])?, text.len()),
        names: Names::default(),
        program: Program::default(),
        errors: Vec::new(),
    };
    if let Err(error) = parser.program() {
        parser.errors.push(error);
    }
    match parser.errors.is_empty() {
        true => Ok(parser.program),
        false => Err(parser.errors),
    }
}

impl Parser<'_> {
    fn program(&mut self) -> Parsed<()> {
        expression::statements(self)
    }
}

/// Reads a signature: the types of the arguments, an arrow, and the type of the result.
pub(crate) fn signature(text: &str) -> Parsed<(Vec<Type>, Type)> {
    let mut cursor = Cursor::new(tokens(text)?, text.len());
    let parameters = cursor.types(0)?;
    cursor.expect("->", "behind the types of the arguments")?;
    Ok((parameters, cursor.result_type(0)?))
}
