//! The tokens of a text: words, numbers and signs, each with its bytes.
//!
//! A generated lexer, as the crate `logos` makes it, was not tried: a handful of kinds is read by one function.

use lozenge_diagnostic::{Diagnostic, Parsed, brief};

use crate::Span;

/// A word, a number or a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// A name or a keyword; primes may end it.
    Word(&'t str),
    /// A name behind a quote, which an annotation promises to leave general.
    Rigid(&'t str),
    /// A number as written, with an `f` behind it if it has one.
    Number(&'t str),
    /// The text between two quotes on one line.
    Text(&'t str),
    /// A sign, one of [`SIGNS`].
    Sign(&'static str),
    /// A comment, from its `#` to the end of the line.
    Comment(&'t str),
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed<'t> {
    pub(crate) token: Token<'t>,
    pub(crate) span: Span,
}

/// Every sign. A sign that begins with another one comes before it.
const SIGNS: [&str; 18] = [
    "->", "..", "(", ")", "{", "}", "[", "]", ",", ";", ":", "=", "+", "-", "*", "/", "@", "?",
];

/// Splits a text into tokens, comments among them.
///
/// # Errors
/// The first character that begins no token, or a quoted text that does not end on its line.
pub(crate) fn tokens(text: &str) -> Parsed<Vec<Placed<'_>>> {
    let mut tokens = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = token(&text[at..], at)?;
        let span = at..at + length;
        tokens.push(Placed { token, span });
        at += length;
    }
    Ok(tokens)
}

/// Reads the token at the front of `rest`, which begins at byte `at` of the text, and returns it with its length.
fn token(rest: &str, at: usize) -> Parsed<(Token<'_>, usize)> {
    let first = rest.chars().next().unwrap_or(' ');
    if first.is_ascii_alphabetic() || first == '_' {
        let length = word_length(rest);
        return Ok((Token::Word(&rest[..length]), length));
    }
    if first.is_ascii_digit() {
        let length = number_length(rest);
        return Ok((Token::Number(&rest[..length]), length));
    }
    match first {
        '#' => {
            let length = rest.find('\n').unwrap_or(rest.len());
            Ok((Token::Comment(rest[..length].trim_end()), length))
        }
        '\'' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            let length = word_length(&rest[1..]);
            Ok((Token::Rigid(&rest[1..=length]), length + 1))
        }
        '"' => {
            let line = rest[1..].find('\n').unwrap_or(rest.len() - 1);
            match rest[1..=line].find('"') {
                Some(end) => Ok((Token::Text(&rest[1..=end]), end + 2)),
                None => Err(Diagnostic::new(
                    at..at + 1 + line,
                    "the quoted text does not end on its line",
                    "it begins here",
                )
                .help("write `\"` behind it")),
            }
        }
        _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => Ok((Token::Sign(sign), sign.len())),
            None => Err(unknown_character(first, at)),
        },
    }
}

/// Returns the bytes of the word at the front, with the primes behind it.
fn word_length(rest: &str) -> usize {
    let letters = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let letters = letters.unwrap_or(rest.len());
    let primes = rest[letters..].find(|c| c != '\'');
    letters + primes.unwrap_or(rest.len() - letters)
}

/// Returns the bytes of the number at the front: digits, a fraction, an exponent, and letters behind them.
fn number_length(rest: &str) -> usize {
    let digits = |from: usize| {
        let end = rest[from..].find(|c: char| !c.is_ascii_digit());
        end.map_or(rest.len(), |end| from + end)
    };
    let mut end = digits(0);
    let follows = |at: usize, wanted: char| rest[at..].starts_with(wanted);
    if follows(end, '.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        end = digits(end + 1);
    }
    if follows(end, 'e') || follows(end, 'E') {
        let signed = rest[end + 1..].starts_with(['+', '-']);
        let from = end + 1 + usize::from(signed);
        if rest[from..].starts_with(|c: char| c.is_ascii_digit()) {
            end = digits(from);
        }
    }
    let letters = rest[end..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    letters.map_or(rest.len(), |letters| end + letters)
}

fn unknown_character(first: char, at: usize) -> Diagnostic {
    let span = at..at + first.len_utf8();
    let shown = brief(&first.escape_debug().to_string());
    let error = Diagnostic::new(
        span.clone(),
        format!("`{shown}` begins no word of the language"),
        "this character",
    );
    match first {
        '∈' => error.edit("shapes are appended by `@`", span, "@"),
        '×' | '·' => error.edit("multiplication is written `*`", span, "*"),
        '−' => error.edit("subtraction is written `-`", span, "-"),
        '→' => error.edit("an arrow is written `->`", span, "->"),
        '\'' => error.help("a quote stands before a name, `'n`, or behind one, `n'`"),
        _ => error.help("names are made of ASCII letters, digits and `_`, and may end with primes"),
    }
}

/// Returns the sign of this text, as it stands in the list of signs.
pub(crate) fn sign(text: &str) -> &'static str {
    SIGNS
        .iter()
        .find(|sign| **sign == text)
        .copied()
        .unwrap_or("")
}
