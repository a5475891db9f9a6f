//! Row variables of specs, which stand for any number of axes.

use super::cursor::Cursor;
use crate::diagnostic::Parsed;
use crate::syntax::Labelled;

const VARIABLE_HELP: &str =
    "write `...` for the other axes of this kind, or `..name..` for axes with a name";

/// Reads `...` or `..name..`. A `...` has no name yet.
pub(crate) fn row_variable(cursor: &mut Cursor) -> Parsed<Labelled> {
    let start = cursor.span().start;
    let mut name = String::new();
    if !cursor.eat("...") {
        cursor.expect("..", VARIABLE_HELP)?;
        name = cursor
            .word("the name of a row variable", VARIABLE_HELP)?
            .text
            .into();
        cursor.expect("..", VARIABLE_HELP)?;
    }
    Ok(Labelled {
        name,
        span: start..cursor.end(),
    })
}
