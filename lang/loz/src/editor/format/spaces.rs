//! The space before a word or sign. It depends on the word or sign before it and on the part of the statement.

use crate::parse::token::{Placed, Token};
use crate::syntax::is_keyword;

use super::part::Sort;

/// The space before a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    One,
    /// As many spaces as in the text, but at least this number, so that tables of numbers stay aligned.
    Kept(usize),
}

/// A token with its position in the statement.
pub(super) struct Place<'t, 'a> {
    pub token: &'t Placed<'a>,
    /// The part of the statement, by its number, and its sort.
    pub part: Option<(usize, Sort)>,
    /// True if a shape begins after the token.
    pub before_shape: bool,
}

impl Place<'_, '_> {
    fn sort(&self) -> Option<Sort> {
        self.part.map(|(_, sort)| sort)
    }

    /// Tells whether an operand ends with the token, so that a following `-` is a subtraction and a following
    /// parenthesis a call.
    fn ends_operand(&self) -> bool {
        match self.token.token {
            Token::Word(word) => self.part.is_none() || !is_keyword(word),
            Token::Number(_) | Token::Text(_) | Token::Sign(")" | "]") => true,
            _ => false,
        }
    }
}

/// Returns the space between two tokens of a line.
pub(super) fn between(before: &Place, token: &Place, minus_is_prefix: bool) -> Gap {
    let begins_part = before.part != token.part;
    let table = token.sort() == Some(Sort::Values) && !begins_part;
    match (before.token.token, token.token.token) {
        (Token::Number(_), Token::Word(basis))
            if basis.starts_with('_') && before.token.span.end == token.token.span.start =>
        {
            Gap::None
        }
        (_, Token::Sign("," | ";" | ")" | "]")) => Gap::None,
        (Token::Sign(","), _) if table => Gap::Kept(1),
        (Token::Sign("(" | "["), _) => Gap::None,
        (Token::Sign("-"), _) if minus_is_prefix => Gap::None,
        (_, Token::Sign("(")) => call(before, token, begins_part),
        (Token::Text(_), Token::Sign("[")) => Gap::One,
        (_, Token::Sign("[")) => call(before, token, begins_part),
        (_, Token::Sign("..")) | (_, Token::Sign(".")) | (Token::Sign("."), _) => Gap::None,
        // `columns 3.. header`: the range is open, and a word follows.
        (Token::Sign(".."), Token::Word(_)) if token.sort() != Some(Sort::Expression) => Gap::One,
        (Token::Sign(".."), _) => Gap::None,
        _ if token.sort() == Some(Sort::Shape) && !begins_part => in_shape(before, token),
        // The colon before a shape has a space on each side; that of a header has none before it.
        (_, Token::Sign(":")) if !token.before_shape => Gap::None,
        _ => Gap::One,
    }
}

/// Tells whether a minus sign has one operand and not two.
pub(super) fn is_prefix(before: Option<&Place>, minus: &Place) -> bool {
    minus.token.token == Token::Sign("-")
        && before.is_none_or(|before| before.part != minus.part || !before.ends_operand())
}

/// Returns the space before a bracket: none if it belongs to the token before it.
fn call(before: &Place, bracket: &Place, begins_part: bool) -> Gap {
    let belongs = match bracket.part {
        None => matches!(before.token.token, Token::Word(_) | Token::Sign(")")),
        Some(_) => !begins_part && before.ends_operand(),
    };
    if belongs { Gap::None } else { Gap::One }
}

fn in_shape(before: &Place, token: &Place) -> Gap {
    let tight = |token: Token| matches!(token, Token::Sign("|" | "->" | ":"));
    match tight(before.token.token) || tight(token.token.token) {
        true => Gap::None,
        false => Gap::One,
    }
}
