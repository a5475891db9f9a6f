//! The words of a text.

use std::ops::Range;

use super::error::GradError;
use crate::name::is_part_of_program_name;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A name or a keyword without quotes.
    Plain(String),
    /// A name in quotes.
    Quoted(String),
    /// A number without a sign.
    Number(u64),
    /// A sign of punctuation or a relation.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// The signs, longer ones first where one begins as another.
const SIGNS: [&str; 15] = [
    "==", "!=", "<=", ">=", "=", "<", ">", "(", ")", "[", "]", ",", ":", "?", "-",
];

/// Reads the word that starts at a place, which is no blank.
pub(super) fn word_at(text: &str, at: usize) -> Result<(Word, Range<usize>), GradError> {
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else {
        return Ok((Word::End, at..at));
    };
    if first == '\'' {
        return quoted(text, at);
    }
    if first.is_ascii_digit() {
        return number(text, at);
    }
    if first.is_alphabetic() || first == '_' {
        let length = rest.find(|c| !is_part_of_program_name(c));
        let end = at + length.unwrap_or(rest.len());
        return Ok((Word::Plain(text[at..end].to_string()), at..end));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((Word::Sign(sign), at..at + sign.len())),
        None => Err(GradError::new(
            at..at + first.len_utf8(),
            "this character has no meaning here",
            "put a name that holds it in quotes: `'like this'`",
        )),
    }
}

fn number(text: &str, at: usize) -> Result<(Word, Range<usize>), GradError> {
    let rest = &text[at..];
    let length = rest.find(|c: char| !c.is_ascii_digit());
    let end = at + length.unwrap_or(rest.len());
    let number = text[at..end].parse::<u64>().ok();
    match number.filter(|number| *number <= crate::LARGEST_SIZE) {
        Some(number) => Ok((Word::Number(number), at..end)),
        None => Err(GradError::new(
            at..end,
            "this number is larger than 2^63 - 1, the largest size that PyTorch has",
            "write a smaller number, or `?`",
        )),
    }
}

fn quoted(text: &str, at: usize) -> Result<(Word, Range<usize>), GradError> {
    let mut name = String::new();
    let mut characters = text[at + 1..].char_indices();
    while let Some((offset, c)) = characters.next() {
        match c {
            '\'' => return Ok((Word::Quoted(name), at..at + 1 + offset + 1)),
            '\\' => name.extend(characters.next().map(|(_, c)| c)),
            c => name.push(c),
        }
    }
    Err(GradError::new(
        at..text.len(),
        "this quote is not closed",
        "close it with `'`",
    ))
}
