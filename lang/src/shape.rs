//! Shapes, `batch|input->output`: the three rows, and the sizes of data.

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::operation::Shape;

use crate::cursor::{Cursor, Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::token::Token;
use lozenge_vocabulary::program::Span;

/// How many values a data tensor may have: 1 GiB of them.
pub const MAX_VALUES: u64 = 1 << 28;

const SHAPE_HELP: &str = "a shape is `batch|input->output` with sizes such as `64` or `3_rgb` and commas between \
                          them; a part with nothing in it may be left out, and `->` alone is a scalar's";

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

/// The shape of data: sizes only.
pub(crate) fn data_shape(cursor: &mut Cursor) -> Parsed<Shape<Vec<Dim>>> {
    let start = cursor.span().start;
    if !matches!(
        cursor.peek(),
        Token::Number(_) | Token::Sign("|" | "->") | Token::Word(_)
    ) {
        return Err(cursor.unexpected("a shape", SHAPE_HELP));
    }
    let shape = three_rows(cursor, sizes)?;
    let span = start..cursor.end();
    if span.is_empty() {
        return Err(cursor.unexpected("a shape", SHAPE_HELP));
    }
    match element_count(&shape) {
        Some(_) => Ok(shape),
        None => Err(Diagnostic::new(
            span,
            "the shape has too many values",
            format!("more than {MAX_VALUES}"),
        )
        .help("a data tensor is held in memory: split it, or load fewer columns")),
    }
}

/// How many values a tensor of this shape has; `None` above [`MAX_VALUES`].
pub(crate) fn element_count(shape: &Shape<Vec<Dim>>) -> Option<u64> {
    shape
        .rows()
        .into_iter()
        .flatten()
        .try_fold(1u64, |count, dim| {
            count
                .checked_mul(dim.size())
                .filter(|count| *count <= MAX_VALUES)
        })
}

/// Sizes with commas between them; perhaps none.
fn sizes(cursor: &mut Cursor) -> Parsed<Vec<Dim>> {
    let mut dims = Vec::new();
    loop {
        match cursor.peek() {
            Token::Number(text) => dims.push(size(cursor, text)?),
            Token::Word(name) if !matches!(name, "from") => {
                return Err(Diagnostic::new(
                    cursor.span(),
                    format!("`{}` is no size", brief(name)),
                    "a shape of data has sizes only",
                )
                .help("write the number of positions, with a name for their meaning if you like: `64` or `64_pixel`"));
            }
            _ if dims.is_empty() => return Ok(dims),
            _ => return Err(cursor.unexpected("a size", SHAPE_HELP)),
        }
        if !cursor.eat(",") {
            return Ok(dims);
        }
    }
}

/// `SIZE`, `SIZE_BASIS`, or the claim-free unit `1_`.
fn size(cursor: &mut Cursor, text: &str) -> Parsed<Dim> {
    let number = cursor.next().span;
    let basis = basis(cursor, &number);
    let size = whole_number(text, number.clone(), "a size")?;
    let zero = || {
        Diagnostic::new(
            number.clone(),
            "a size is zero",
            "an axis with no positions",
        )
        .help("the least size is 1")
    };
    let atom = |basis| Dim::based(size, basis).ok_or_else(zero);
    match basis {
        None => atom(Basis::Default),
        Some(("", _)) if size == 1 => Ok(Dim::Unit),
        Some((name, _)) if name.starts_with(char::is_alphabetic) => atom(Basis::named(name)),
        Some((_, span)) => Err(Diagnostic::new(
            number.start..span.end,
            "the basis of a size is a word that starts with a letter",
            "no such word after `_`",
        )
        .help("write `3_rgb`, or `3` alone; only the claim-free unit `1_` has no basis")),
    }
}

/// The word after a size, if it stands right behind it and begins with `_`, and its place.
fn basis<'a>(cursor: &mut Cursor<'_, 'a>, number: &Span) -> Option<(&'a str, Span)> {
    match cursor.peek() {
        Token::Word(word) if cursor.span().start == number.end => {
            let name = word.strip_prefix('_')?;
            Some((name, cursor.next().span))
        }
        _ => None,
    }
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
