//! The names that a program defines.

use crate::cursor::{Cursor, Parsed};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Name, is_keyword};
use crate::token::Token;

/// The name of something that is defined here.
pub(crate) fn new_name<'a>(cursor: &mut Cursor<'a>, example: &str) -> Parsed<Name<'a>> {
    if !matches!(cursor.peek(), Token::Word(_)) {
        return Err(cursor.unexpected("a name", &format!("write `{example}`")));
    }
    let name = cursor.word("a name", example)?;
    not_reserved(&name)?;
    Ok(name)
}

/// Refuses a keyword of the language. A tensor may have the name of a function: before parentheses it means the function.
pub(crate) fn not_reserved(name: &Name) -> Parsed<()> {
    match is_keyword(name.text) {
        true => Err(reserved(name)),
        false => Ok(()),
    }
}

/// The error that a keyword of the language cannot be a name.
pub(crate) fn reserved(name: &Name) -> Diagnostic {
    Diagnostic::new(
        name.span.clone(),
        format!("`{}` is a word of the language", name.text),
        "no name of a tensor",
    )
    .help("use another name")
}
