//! Shapes, `batch|input->output`: the three rows, and the sizes of data.

use lozenge_vocabulary::operation::Shape;

use crate::cursor::{Cursor, Parsed};
use crate::data::Flanks;
use crate::diagnostic::Diagnostic;
use crate::row::{Numbers, row};
use crate::syntax::Template;
use crate::token::Token;
use lozenge_vocabulary::program::Span;

/// How many values a data tensor may have: 1 GiB of them.
pub const MAX_VALUES: u64 = 1 << 28;

pub(crate) const SHAPE_HELP: &str = "a shape is `batch|input->output` with sizes such as `64` or `3_rgb` and commas between \
                          them; a part with nothing in it may be left out, and `->` alone is a scalar's";

/// A shape that is written, and its place.
pub(crate) type Written = (Template, Span);

/// Reads three rows, each by `row`, which stops before `|` and `->`. What is left out is empty.
pub(crate) fn three_rows<'t, 'a, R: Default>(
    cursor: &mut Cursor<'t, 'a>,
    mut row: impl FnMut(&mut Cursor<'t, 'a>) -> Parsed<R>,
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

/// `: SHAPE`, if a colon comes next.
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
    Ok(Some(Box::new((shape, start..cursor.end()))))
}

/// The error that a tensor would not fit into memory.
pub(crate) fn too_many_values(span: Span) -> Diagnostic {
    Diagnostic::new(
        span,
        "the shape has too many values",
        format!("more than {MAX_VALUES}"),
    )
    .help("a data tensor is held in memory: split it, or load fewer columns")
}

/// How many values a tensor of this shape has; `None` above [`MAX_VALUES`].
pub(crate) fn element_count(shape: &Shape<Flanks>) -> Option<u64> {
    let rows = shape.rows().into_iter();
    rows.flat_map(|(leading, trailing)| leading.iter().chain(trailing))
        .try_fold(1u64, |count, dim| {
            count
                .checked_mul(dim.size())
                .filter(|count| *count <= MAX_VALUES)
        })
}

/// A whole number of at most 64 bits.
pub(crate) fn whole_number(text: &str, span: Span, what: &str) -> Parsed<u64> {
    let error = |message: String, label: &str, help: &str| {
        Err(Diagnostic::new(span.clone(), message, label).help(help))
    };
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return error(
            format!("{what} is a whole number"),
            "not a whole number",
            "write it with digits only",
        );
    }
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) => error(
            format!("{what} does not fit 64 bits"),
            "too large",
            &format!("the largest is {}", u64::MAX),
        ),
    }
}
