//! The statements of a line, and the heads of blocks.

use hashbrown::HashSet;

use super::cursor::Cursor;
use super::data_line::{data, signed_number};
use super::einsum::logic;
use super::expression::{captured, expression, expressions};
use super::header::{Head, definition, distinct, operator, repetition};
use super::naming::{new_name, not_reserved};
use super::recover::{STATEMENT_HELP, plain_assignment, unknown_statement};
use super::section::{each_epoch, section};
use super::shape::written_shape;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed};
use crate::syntax::{Few, Name, Statement, is_keyword};

/// Reads a statement up to its end, or the head of a block. `defined` are the names that the lines above define, which
/// are found when they are first asked for.
pub(super) fn head<'a>(
    source: &'a str,
    cursor: &mut Cursor<'a>,
    defined: &mut Option<HashSet<&'a str>>,
) -> Parsed<Head<'a>> {
    let assigns = matches!(
        cursor.peek_second(),
        Token::Accumulate(_) | Token::Sign("=") | Token::Word(_) | Token::Number(_)
    );
    let begins_header = begins_header(cursor);
    if !matches!(cursor.peek(), Token::Word(_))
        || !assigns
            && !begins_header
            && !matches!(cursor.peek(), Token::Word(word) if is_keyword(word))
    {
        return results(cursor).map(Box::new).map(Head::Whole);
    }
    let word = cursor.word("a statement", STATEMENT_HELP)?;
    if begins_header {
        return match word.text {
            "each" => each_epoch(cursor, word.span).map(Head::EachEpoch),
            _ => section(cursor, word).map(Head::Section),
        };
    }
    Ok(Head::Whole(Box::new(match word.text {
        "data" => data(cursor)?,
        "param" | "state" => param(cursor, word.text == "state")?,
        "const" => {
            let name = new_name(cursor, "const ones = 1")?;
            let shape = written_shape(cursor)?;
            let value = value(
                cursor,
                "write `const ones = 1`; random values are those with which a parameter begins: `param w = normal()`",
            )?;
            Statement::Constant { name, shape, value }
        }
        "let" => let_statement(cursor)?,
        "size" => {
            let name = new_name(cursor, "size width = 128")?;
            cursor.expect("=", "write `size width = 128`")?;
            let expression = match cursor.peek() {
                Token::Number(_) | Token::Word(_) | Token::Sign("(") => expression(cursor)?,
                _ => return Err(cursor.unexpected("a size", "write `size width = 128`")),
            };
            Statement::Size { name, expression }
        }
        "def" => return definition(cursor),
        "for" => return repetition(cursor, word.span),
        "op" => return operator(cursor),
        "repeat" => return section(cursor, word).map(Head::Section),
        "print" => Statement::Print(expressions(cursor)?),
        "backward" if cursor.peek() == Token::End => {
            return Err(cursor.unexpected("a tensor", "write `backward loss`"));
        }
        "backward" => Statement::Backward(expression(cursor)?),
        "use" => used(cursor)?,
        "assert" => {
            let expression = expression(cursor)?;
            let shape = written_shape(cursor)?;
            Statement::Assert { expression, shape }
        }
        "save" => saved(cursor)?,
        _ => assignment(source, cursor, word, defined)?,
    })))
}

/// Reads the rest of a `save` line.
fn saved<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    const HELP: &str = "write `save y to \"y.csv\"`";
    let expression = expression(cursor)?;
    if !cursor.eat_word("to") {
        return Err(cursor.unexpected("`to`", HELP));
    }
    let Token::Text(path) = cursor.peek() else {
        return Err(cursor.unexpected("the name of a file in quotes", HELP));
    };
    cursor.next();
    Ok(Statement::Save { expression, path })
}

/// Tells whether `train` or `each` begins the header of a section here and is no name: a number, a word, a parenthesis
/// or a colon follows.
fn begins_header(cursor: &Cursor) -> bool {
    let Token::Word(word) = cursor.peek() else {
        return false;
    };
    matches!(
        (word, cursor.peek_second()),
        (
            "train",
            Token::Number(_) | Token::Word(_) | Token::Sign("(" | ":")
        ) | ("each", Token::Word(_) | Token::Sign(":"))
    )
}

/// Expressions on a line of their own.
fn results<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    let first = match cursor.peek() {
        Token::Word(text) => Some(Name {
            text,
            span: cursor.span(),
        }),
        Token::Number(_) | Token::Text(_) | Token::Sign("(" | "-" | "[") => None,
        _ => return Err(cursor.unexpected("a statement", STATEMENT_HELP)),
    };
    // A name before a token that cannot follow one: probably a statement of another language.
    if let (Some(name), Token::Text(_) | Token::Sign(":" | ";" | "{" | "|" | "->" | "=>")) =
        (&first, cursor.peek_second())
    {
        let name = name.clone();
        cursor.next();
        return Err(unknown_statement(cursor, &name));
    }
    Ok(Statement::Results(expressions(cursor)?))
}

fn let_statement<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    let mut names = Few::One(new_name(cursor, "let c = a + b")?);
    while cursor.eat(",") {
        names.push(new_name(cursor, "let h, c = cell(x, h, c)")?);
    }
    if names.len() > 1 {
        distinct(
            names.iter(),
            "results are called",
            "give one of them another name",
        )?;
    }
    let at = cursor.span();
    let shape = written_shape(cursor)?;
    if names.len() > 1 && shape.is_some() {
        return Err(Diagnostic::new(
            at.start..cursor.end(),
            "a shape after several names",
            "of which of them?",
        )
        .help("state it on a line of its own: `assert h : n|->8`"));
    }
    cursor.expect("=", "write `let c = a + b`, with spaces around `=`")?;
    let expression = expression(cursor)?;
    Ok(Statement::Let {
        names,
        shape,
        expression,
    })
}

fn param<'a>(cursor: &mut Cursor<'a>, state: bool) -> Parsed<Statement<'a>> {
    let name = new_name(cursor, "param w")?;
    let shape = written_shape(cursor)?;
    let initial = match cursor.peek() {
        Token::End | Token::Dedent => None,
        _ => {
            cursor.expect(
                "=",
                "write `param w`, `param w = 0.5` or `param w : ...->128`",
            )?;
            Some(expression(cursor)?)
        }
    };
    Ok(Statement::Param {
        name,
        shape,
        initial,
        state,
    })
}

/// Reads `use "FILE" as NAME`, after the word `use`.
fn used<'a>(cursor: &mut Cursor<'a>) -> Parsed<Statement<'a>> {
    const HELP: &str = "write `use \"layers.loz\"`, or `use \"layers.loz\" as layers`";
    let Token::Text(path) = cursor.peek() else {
        return Err(cursor.unexpected("the name of a file in quotes", HELP));
    };
    let place = cursor.next().span;
    let alias = match cursor.eat_word("as") {
        true => Some(new_name(cursor, "use \"layers.loz\" as layers")?),
        false => None,
    };
    Ok(Statement::Use { path, place, alias })
}

/// Reads `NAME =:+ EXPRESSION "SPEC"`, after the name.
fn assignment<'a>(
    source: &'a str,
    cursor: &mut Cursor<'a>,
    name: Name<'a>,
    defined: &mut Option<HashSet<&'a str>>,
) -> Parsed<Statement<'a>> {
    let accumulator = match cursor.peek() {
        Token::Accumulate(accumulator) => accumulator,
        Token::Sign("=") => {
            let defined = defined.get_or_insert_with(|| cursor.defined_before(source));
            return Err(plain_assignment(source, cursor, &name, defined));
        }
        _ => return Err(unknown_statement(cursor, &name)),
    };
    cursor.next();
    not_reserved(&name)?;
    let expression = expression(cursor)?;
    let mut captures = Vec::new();
    let logic = match cursor.peek() {
        Token::Text(text) => {
            let logic = logic(text, cursor.next().span)?;
            captures = captured(cursor)?;
            Some(logic)
        }
        _ => None,
    };
    Ok(Statement::Assign {
        name,
        accumulator,
        expression,
        logic,
        captures,
    })
}

/// Reads `= NUMBER`.
fn value(cursor: &mut Cursor, help: &str) -> Parsed<f64> {
    cursor.expect("=", help)?;
    signed_number(cursor, help)
}
