//! Words of a line of the notation.

use super::ShapesError;
use crate::name::Op;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(i64),
    /// A ragged dimension that is written with its identity, `*1`.
    Ragged(u32),
    /// `+ - * /`.
    Op(Op),
    Open,
    Close,
    OpenList,
    CloseList,
    Comma,
    At,
    Equals,
}

/// A word with its place in the line.
#[derive(Clone, Debug)]
pub(super) struct Placed<'a> {
    pub(super) token: Token<'a>,
    pub(super) column: u32,
    pub(super) length: u32,
}

impl Placed<'_> {
    pub(super) fn error(&self, line: u32, message: impl Into<String>) -> ShapesError {
        ShapesError {
            line,
            column: self.column,
            length: self.length,
            message: message.into(),
            help: None,
        }
    }
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '\''
}

/// Cuts a line into words.
pub(super) fn tokens(line: u32, text: &str) -> Result<Vec<Placed<'_>>, ShapesError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut column = 1_u32;
    while let Some(first) = rest.chars().next() {
        if first == '#' {
            break;
        }
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            column += 1;
            continue;
        }
        let (token, bytes) = token(line, column, rest, first)?;
        // Words are ASCII, so bytes are characters.
        let length = bytes as u32;
        tokens.push(Placed {
            token,
            column,
            length,
        });
        column += length;
        rest = &rest[bytes..];
    }
    Ok(tokens)
}

/// Reads the first word of a text, and returns its length.
fn token(
    line: u32,
    column: u32,
    text: &str,
    first: char,
) -> Result<(Token<'_>, usize), ShapesError> {
    let simple = match first {
        '(' => Some(Token::Open),
        ')' => Some(Token::Close),
        '[' => Some(Token::OpenList),
        ']' => Some(Token::CloseList),
        ',' => Some(Token::Comma),
        '@' => Some(Token::At),
        '=' => Some(Token::Equals),
        '+' => Some(Token::Op(Op::Add)),
        '/' => Some(Token::Op(Op::Divide)),
        _ => None,
    };
    if let Some(simple) = simple {
        return Ok((simple, 1));
    }
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let error = |length: usize, message: String, help: Option<&str>| ShapesError {
        line,
        column,
        length: length as u32,
        message,
        help: help.map(str::to_string),
    };
    match first {
        '*' => match digits(&text[1..]) {
            0 => Ok((Token::Op(Op::Multiply), 1)),
            count => match text[1..=count].parse() {
                Ok(identity) => Ok((Token::Ragged(identity), 1 + count)),
                Err(_) => {
                    let message =
                        format!("`{}` is no identity of a ragged dimension", &text[..=count]);
                    Err(error(
                        1 + count,
                        message,
                        Some("the number after `*` fits 32 bits"),
                    ))
                }
            },
        },
        '-' if digits(&text[1..]) == 0 => Ok((Token::Op(Op::Subtract), 1)),
        '-' | '0'..='9' => {
            let length = usize::from(first == '-') + digits(text.trim_start_matches('-'));
            match text[..length].parse() {
                Ok(number) => Ok((Token::Number(number), length)),
                Err(_) => {
                    let message = format!("`{}` does not fit 64 bits", &text[..length]);
                    Err(error(
                        length,
                        message,
                        Some("sizes are at most 9223372036854775807"),
                    ))
                }
            }
        }
        _ if first.is_ascii_alphabetic() || first == '_' => {
            let length = text.find(|c| !is_name(c)).unwrap_or(text.len());
            Ok((Token::Name(&text[..length]), length))
        }
        _ => {
            let help = "names are of the letters A to Z, digits, `_` and `'`";
            Err(error(
                1,
                format!("`{}` has no meaning here", first.escape_debug()),
                Some(help),
            ))
        }
    }
}
