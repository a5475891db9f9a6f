//! Shapes, `batch|input->output`: the three rows, and the sizes of data.

use lozenge_vocabulary::operation::Shape;

use super::cursor::Cursor;
use super::extent::{Numbers, SHAPE_HELP};
use super::row::row;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed};
use crate::syntax::Written;

/// Reads three rows, each by `row`, which stops before `|` and `->`. Omitted rows are empty.
pub(crate) fn three_rows<'t, 'a, R: Default>(
    cursor: &mut Cursor<'a>,
    mut row: impl FnMut(&mut Cursor<'a>) -> Parsed<R>,
) -> Parsed<Shape<R>> {
    let mut shape = Shape::default();
    let mut last = row(cursor)?;
    if cursor.eat("|") {
        shape.batch = last;
        last = row(cursor)?;
    }
    if cursor.eat("->") {
        shape.input = last;
        last = row(cursor)?;
    }
    shape.output = last;
    match cursor.peek() {
        Token::Sign(sign @ ("|" | "->")) => Err(Diagnostic::new(
            cursor.span(),
            format!("`{sign}` does not fit here"),
            "a shape has at most one `|`, and then at most one `->`",
        )
        .help("write `batch|input->output`")),
        _ => Ok(shape),
    }
}

/// Reads `: SHAPE`, if a colon comes next.
pub(crate) fn written_shape(cursor: &mut Cursor) -> Parsed<Option<Box<Written>>> {
    if !cursor.eat(":") {
        return Ok(None);
    }
    let start = cursor.span().start;
    let begins = match cursor.peek() {
        Token::Word(word) => word != "from",
        Token::Number(_) => true,
        Token::Sign(sign) => matches!(sign, "|" | "->" | "..." | ".." | "<>"),
        _ => false,
    };
    if !begins {
        return Err(cursor.unexpected("a shape", SHAPE_HELP));
    }
    let shape = three_rows(cursor, |cursor| row(cursor, Numbers::Sizes))?;
    if cursor.peek() == Token::Sign("[") {
        return Err(cursor.unexpected(
            "a shape",
            "a shape stands without brackets and without a type, with commas between its axes: `data x : 4, 3`; every value is a 32-bit float",
        ));
    }
    Ok(Some(Box::new((shape, start..cursor.end()))))
}
