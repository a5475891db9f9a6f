//! The syntax of rows of axes, in shapes and in specs.

use lozenge_vocabulary::program::Span;

use super::cursor::Cursor;
use super::extent::{Numbers, size, stated_size};
use super::number::whole_number;
use super::row_variable::row_variable;
use super::token::Token;
use super::{composite, window};
use crate::diagnostic::{Diagnostic, Parsed};
use crate::syntax::{Axis, Labelled, Open, TemplateRow};

/// Reads axes and at most one `...`, `..name..` or `<>`. Commas separate axes; next to `...`, `..name..` and `<>` they
/// are optional.
pub(crate) fn row(cursor: &mut Cursor, numbers: Numbers) -> Parsed<TemplateRow> {
    let mut named = None;
    let row = row_with_names(cursor, numbers, &mut named);
    match named {
        Some(error) => Err(error),
        None => row,
    }
}

/// Reads a row. The error for a name of a growing part of a shape is put into `named`, unless there are two such parts,
/// which is a mistake that no other name mends.
fn row_with_names(
    cursor: &mut Cursor,
    numbers: Numbers,
    named: &mut Option<Diagnostic>,
) -> Parsed<TemplateRow> {
    let mut row = TemplateRow::default();
    let mut first = true;
    loop {
        match cursor.peek() {
            Token::Sign("..." | ".." | "<>") => {
                let (open, span) = open(cursor, numbers, named)?;
                if row.open.is_some() {
                    *named = None;
                    return Err(second_open(span));
                }
                row.open = Some(open);
                if !cursor.eat(",") && !at_axis(cursor) {
                    return Ok(row);
                }
            }
            Token::Word(word) if numbers == Numbers::Positions || word != "from" => {
                let axis = axis(cursor, numbers)?;
                row.push(axis);
                if !cursor.eat(",") && !at_open(cursor) {
                    return end_of_row(cursor, row, numbers);
                }
            }
            Token::Sign("(") if numbers == Numbers::Positions => {
                let axis = axis(cursor, numbers)?;
                row.push(axis);
                if !cursor.eat(",") && !at_open(cursor) {
                    return end_of_row(cursor, row, numbers);
                }
            }
            Token::Number(_) => {
                let axis = axis(cursor, numbers)?;
                row.push(axis);
                if !cursor.eat(",") && !at_open(cursor) {
                    return end_of_row(cursor, row, numbers);
                }
            }
            _ if first => return Ok(row),
            _ => return Err(cursor.unexpected(numbers.axis(), numbers.help())),
        }
        first = false;
    }
}

fn second_open(span: Span) -> Diagnostic {
    Diagnostic::new(
        span,
        "a second row variable in one row",
        "one row has one place that grows",
    )
    .help(
        "keep one of them, or move the other to another kind (`batch|input->output`); shapes with two parts that grow, such as `s@[i]@t`, \
         have their equations decided in Axon programs and .shapes files (docs/axon.md)",
    )
}

fn at_axis(cursor: &Cursor) -> bool {
    matches!(
        cursor.peek(),
        Token::Word(_) | Token::Number(_) | Token::Sign("(")
    )
}

fn at_open(cursor: &Cursor) -> bool {
    matches!(cursor.peek(), Token::Sign("..." | ".." | "<>"))
}

/// Ends a row if no axis follows. Without a row variable or a marker all its axes are trailing: the marker is at the
/// front.
fn end_of_row(cursor: &Cursor, mut row: TemplateRow, numbers: Numbers) -> Parsed<TemplateRow> {
    if numbers == Numbers::Positions && at_axis(cursor) {
        return Err(Diagnostic::new(
            cursor.span(),
            "two labels with no comma between them",
            "a comma is missing before this",
        )
        .help("write `n, p` for two axes; `np` is one axis with a longer label"));
    }
    if row.open.is_none() {
        row.trailing = std::mem::take(&mut row.leading);
    }
    Ok(row)
}

/// Reads `...`, `..name..` or `<>`, and its place. A `...` has no name yet.
fn open(
    cursor: &mut Cursor,
    numbers: Numbers,
    named: &mut Option<Diagnostic>,
) -> Parsed<(Open, Span)> {
    let span = cursor.span();
    if cursor.eat("<>") {
        return Ok((Open::Marker, span));
    }
    if numbers == Numbers::Sizes && cursor.peek() != Token::Sign("...") {
        let help = "in a shape the open part of a row has no name: write `...`";
        named.get_or_insert_with(|| cursor.unexpected("`...`", help));
    }
    let variable = row_variable(cursor)?;
    let span = variable.span.clone();
    Ok((Open::Variable(variable), span))
}

/// Reads `label`, `label:SIZE`, a window, a concatenation, a product, and a number, which is a position or a size.
fn axis(cursor: &mut Cursor, numbers: Numbers) -> Parsed<Axis> {
    let start = cursor.span();
    match (cursor.peek(), numbers) {
        _ if window::begins(cursor) => window::window(cursor, numbers),
        _ if composite::begins_product(cursor) => composite::product(cursor, numbers),
        (Token::Number(text), Numbers::Sizes) => {
            let dim = size(cursor, text)?;
            Ok(Axis::Size(dim, start.start..cursor.end()))
        }
        (Token::Number(text), Numbers::Positions) => {
            cursor.next();
            let position = whole_number(text, start.clone(), "a fixed position")?;
            let size = stated_size(cursor, numbers)?;
            if composite::goes_on(cursor) {
                return Err(composite::number_as_part(text, start));
            }
            Ok(Axis::Position {
                position,
                span: start,
                size,
            })
        }
        _ => {
            let name = cursor.word(numbers.axis(), numbers.help())?;
            let label = Labelled {
                name: name.text.into(),
                span: name.span,
            };
            let size = stated_size(cursor, numbers)?;
            match composite::goes_on(cursor) {
                true => composite::concat(cursor, label, size, numbers),
                false => window::after_label(cursor, label, size, numbers),
            }
        }
    }
}
