//! The syntax of sizes in rows, and the meaning of a bare number in a row.

use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::program::Span;

use super::cursor::Cursor;
use super::number::whole_number;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Labelled, Size};

pub(crate) const SPEC_HELP: &str = "a spec is like `n|->c; n|->p => c|->p`: a shape for each operand with `;` between them, \
                         then `=>` and the result's shape; labels have commas between them";

pub(crate) const SHAPE_HELP: &str = "a shape is `batch|input->output` with sizes such as `64` or `3_rgb` and commas between \
                          them; a part with nothing in it may be left out, and `->` alone is a scalar's";

/// The meaning of a bare number in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// The position at which an axis is read or written, as in a spec.
    Positions,
    /// The size of an axis, as in a shape.
    Sizes,
}

impl Numbers {
    pub(crate) fn help(self) -> &'static str {
        match self {
            Numbers::Positions => SPEC_HELP,
            Numbers::Sizes => SHAPE_HELP,
        }
    }

    pub(crate) fn axis(self) -> &'static str {
        match self {
            Numbers::Positions => "an axis label",
            Numbers::Sizes => "a size",
        }
    }
}

/// Reads the size after the colon of `label:SIZE`, if there is a colon.
pub(crate) fn stated_size(cursor: &mut Cursor, numbers: Numbers) -> Parsed<Option<Size>> {
    if !cursor.eat(":") {
        return Ok(None);
    }
    let start = cursor.span();
    match cursor.peek() {
        Token::Number(text) => {
            let dim = size(cursor, text)?;
            Ok(Some(Size::Written(dim)))
        }
        Token::Word(name) => {
            cursor.next();
            Ok(Some(Size::Named(Labelled {
                name: name.into(),
                span: start,
            })))
        }
        _ => Err(cursor.unexpected("a size", numbers.help())),
    }
}

/// Reads `SIZE`, `SIZE_BASIS`, or the claim-free unit `1_`.
pub(crate) fn size(cursor: &mut Cursor, text: &str) -> Parsed<Dim> {
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
    if let (None, Token::Word(word)) = (&basis, cursor.peek())
        && cursor.span().start == number.end
        && word != "from"
    {
        return Err(without_sign(text, word, &number, cursor.span()));
    }
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

/// Returns the error about a size and a word with nothing between them: `4x3` for two axes, or `3rgb` for a basis.
fn without_sign(size: &str, word: &str, number: &Span, place: Span) -> Diagnostic {
    let whole = number.start..place.end;
    let mut sizes = word.split('x').skip(1);
    let is_product = word.starts_with('x')
        && sizes.all(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()));
    let message = format!("`{}` is no size", brief(&format!("{size}{word}")));
    let error = Diagnostic::new(whole, message, "a number and a word");
    match is_product {
        true => {
            let axes = word.replace('x', ", ");
            error.edit(
                format!(
                    "axes have commas between them: `{}`",
                    brief(&format!("{size}{axes}"))
                ),
                place,
                axes,
            )
        }
        false => error.edit(
            format!("a basis stands behind `_`: `{size}_{}`", brief(word)),
            place.start..place.start,
            "_",
        ),
    }
}

/// Reads the word after a size, if it follows without a space and begins with `_`, and its place.
fn basis<'a>(cursor: &mut Cursor<'a>, number: &Span) -> Option<(&'a str, Span)> {
    match cursor.peek() {
        Token::Word(word) if cursor.span().start == number.end => {
            let name = word.strip_prefix('_')?;
            Some((name, cursor.next().span))
        }
        _ => None,
    }
}
