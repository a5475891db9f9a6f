//! The names that a program defines.

use super::cursor::Cursor;
use super::token::{Token, lines};
use crate::diagnostic::{Diagnostic, Edit, Help, Parsed};
use crate::syntax::{Name, is_keyword};

/// Reads the name of something that is defined here.
pub(crate) fn new_name<'a>(cursor: &mut Cursor<'a>, example: &str) -> Parsed<Name<'a>> {
    if !matches!(cursor.peek(), Token::Word(_)) {
        return Err(cursor.unexpected("a name", &format!("write `{example}`")));
    }
    let name = cursor.word("a name", example)?;
    not_reserved(&name)?;
    Ok(name)
}

/// Refuses a keyword of the language. A tensor may have the name of a function: before parentheses it means the
/// function.
pub(crate) fn not_reserved(name: &Name) -> Parsed<()> {
    match is_keyword(name.text) {
        true => Err(reserved(name)),
        false => Ok(()),
    }
}

/// Returns the error that a keyword of the language cannot be a name.
pub(crate) fn reserved(name: &Name) -> Diagnostic {
    Diagnostic::new(
        name.span.clone(),
        format!("`{}` is a word of the language", name.text),
        "no name of a tensor",
    )
    .help("use another name")
}

/// The words that also stand inside of statements, so that their uses as a name cannot be told from others.
const INSIDE: [&str; 6] = ["for", "in", "if", "else", "as", "carry"];

/// Returns the error that a keyword cannot be a name, with another name for each place where the text uses it as one;
/// another error unchanged.
pub(crate) fn with_another_name(error: Diagnostic, source: &str) -> Diagnostic {
    let span = error.span();
    let name = Name {
        text: source.get(span.clone()).unwrap_or_default(),
        span,
    };
    if !is_keyword(name.text) || INSIDE.contains(&name.text) || error != reserved(&name) {
        return error;
    }
    let tokens = lines(source, &mut Vec::new());
    let mut other = format!("{}_", name.text);
    while tokens
        .iter()
        .any(|placed| placed.token == Token::Word(&other))
    {
        other.push('_');
    }
    let begins = |at: usize| {
        let before = at.checked_sub(1).map(|before| tokens[before].token);
        let is_first = matches!(
            before,
            None | Some(Token::End | Token::Indent | Token::Dedent | Token::Sign(":"))
        );
        let next = tokens.get(at + 1).map(|placed| placed.token);
        is_first && !matches!(next, Some(Token::Accumulate(_)))
    };
    let places = tokens.iter().enumerate();
    let places =
        places.filter(|(at, placed)| placed.token == Token::Word(name.text) && !begins(*at));
    let edits = places.map(|(_, placed)| Edit {
        span: placed.span.clone(),
        text: other.clone(),
    });
    let help = Help {
        text: format!("call it `{other}`, here and where it is used"),
        edits: edits.collect(),
    };
    Diagnostic {
        help: Some(help),
        ..error
    }
}
