//! Composite axes of specs: concatenations, such as `a^b:2^_`, and products, such as `(h:4, d)`.

use lozenge_vocabulary::program::Span;

use super::cursor::Cursor;
use super::extent::{Numbers, stated_size};
use super::number::whole_number;
use super::row_variable::row_variable;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Axis, Factor, Labelled, Part, Size, WrittenConcat, WrittenProduct};

const CONCAT_HELP: &str = "the parts of an axis are labels with `^` between them, each perhaps with its size: `a^b:2`; a part that is \
                           left alone is `_:2`";
const PRODUCT_HELP: &str = "the factors of an axis are labels with commas between them, each perhaps with its size: `(h:4, d)`; `...` or \
                            `..name..` stands for all axes of a row";

/// Tells whether a product begins here.
pub(crate) fn begins_product(cursor: &Cursor) -> bool {
    cursor.peek() == Token::Sign("(")
}

/// Tells whether a `^` follows, so that the part in front of this place is one of a concatenation.
pub(crate) fn goes_on(cursor: &Cursor) -> bool {
    cursor.peek() == Token::Sign("^")
}

/// Reads the rest of a concatenation whose first part is read.
pub(crate) fn concat(
    cursor: &mut Cursor,
    label: Labelled,
    size: Option<Size>,
    numbers: Numbers,
) -> Parsed<Axis> {
    let start = label.span.start;
    let mut parts = vec![Part { label, size }];
    while cursor.eat("^") {
        let place = cursor.span();
        match cursor.peek() {
            Token::Number(text) => return Err(number_as_part(text, place)),
            Token::Sign("(") => {
                return Err(Diagnostic::new(
                    place,
                    "a product inside a concatenation",
                    "made of others itself",
                )
                .help(
                    "an axis is made in one way: give the inner one to an operation of its own",
                ));
            }
            _ => {}
        }
        let name = cursor.word("a part", CONCAT_HELP)?;
        let label = Labelled {
            name: name.text.into(),
            span: name.span,
        };
        let size = stated_size(cursor, numbers)?;
        parts.push(Part { label, size });
    }
    not_nested(cursor)?;
    let span = start..cursor.end();
    in_a_spec(numbers, "a concatenation", &span)?;
    Ok(Axis::Concat(Box::new(WrittenConcat { parts, span })))
}

/// Reads `(h:4, 0:3, d)`.
pub(crate) fn product(cursor: &mut Cursor, numbers: Numbers) -> Parsed<Axis> {
    let start = cursor.span().start;
    cursor.expect("(", PRODUCT_HELP)?;
    let mut factors = Vec::new();
    loop {
        factors.push(factor(cursor, numbers)?);
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect(")", PRODUCT_HELP)?;
    let span = start..cursor.end();
    in_a_spec(numbers, "a product", &span)?;
    if let [Factor::Label(..) | Factor::Position { .. }] = factors[..] {
        return Err(
            Diagnostic::new(span, "a product has two factors or more", "one factor")
                .help("leave the parentheses out"),
        );
    }
    not_nested(cursor)?;
    Ok(Axis::Product(Box::new(WrittenProduct { factors, span })))
}

fn factor(cursor: &mut Cursor, numbers: Numbers) -> Parsed<Factor> {
    let place = cursor.span();
    match cursor.peek() {
        Token::Number(text) => {
            cursor.next();
            let position = whole_number(text, place.clone(), "a fixed position")?;
            match stated_size(cursor, numbers)? {
                Some(size) => Ok(Factor::Position {
                    position,
                    span: place,
                    size,
                }),
                None => Err(Diagnostic::new(
                    place.clone(),
                    format!("position {position} is on a factor of unknown size"),
                    "a number in a spec is a position, counted from 0",
                )
                .edit(
                    format!(
                        "write the size of the factor after a colon, for example `{position}:{}`",
                        position.saturating_add(1)
                    ),
                    place.end..place.end,
                    format!(":{}", position.saturating_add(1)),
                )),
            }
        }
        Token::Sign("..." | "..") => Ok(Factor::Row(row_variable(cursor)?)),
        Token::Sign("(") => {
            Err(
                Diagnostic::new(place, "a product of a product", "inside another one")
                    .help("leave the inner parentheses out: `(a, b, c)` has three factors"),
            )
        }
        _ => {
            let name = cursor.word("a factor", PRODUCT_HELP)?;
            let label = Labelled {
                name: name.text.into(),
                span: name.span,
            };
            let size = stated_size(cursor, numbers)?;
            match cursor.peek() {
                Token::Sign("^" | "+" | "*") => Err(Diagnostic::new(
                    cursor.span(),
                    "a factor is a label",
                    "made of others itself",
                )
                .help("an axis is made in one way: give the inner one to an operation of its own")),
                _ => Ok(Factor::Label(label, size)),
            }
        }
    }
}

/// Returns the error for a number before or after `^`.
pub(crate) fn number_as_part(text: &str, place: Span) -> Diagnostic {
    let shown = brief(text);
    Diagnostic::new(place.clone(), "a number is no part", "in a concatenation").edit(
        format!("a part of {shown} cells that nothing runs over is `_:{shown}`"),
        place.start..place.start,
        "_:".to_string(),
    )
}

/// Refuses a composite axis inside another one.
pub(crate) fn not_nested(cursor: &Cursor) -> Parsed<()> {
    match cursor.peek() {
        Token::Sign("^" | "+" | "*") => Err(Diagnostic::new(
            cursor.span(),
            "an axis that is made of others inside another one",
            "made of others itself",
        )
        .help("an axis is made in one way, a window, a concatenation or a product: give the inner one to an operation of its own")),
        _ => Ok(()),
    }
}

fn in_a_spec(numbers: Numbers, what: &str, span: &Span) -> Parsed<()> {
    match numbers {
        Numbers::Positions => Ok(()),
        Numbers::Sizes => Err(Diagnostic::new(
            span.clone(),
            format!("{what} in a shape"),
            "an axis without a size",
        )
        .help("concatenations and products stand in specs; write the size of the axis here")),
    }
}
