//! A line of the text of plans, and the error about a place in it.

use std::fmt;

use super::words::{Word, words};

/// Text that is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The description of the mistake, or of the text that was expected there.
    pub problem: String,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misread {
            line,
            column,
            problem,
        } = self;
        write!(f, "line {line}, column {column}: {problem}")
    }
}

/// A line without its comment: its first word, and the others.
pub(super) struct Line<'t> {
    pub(super) number: usize,
    pub(super) first: Word<'t>,
    pub(super) rest: Vec<Word<'t>>,
}

impl<'t> Line<'t> {
    /// Lists the lines of a text that hold words.
    pub(super) fn all(text: &'t str) -> impl Iterator<Item = Line<'t>> {
        text.lines().enumerate().filter_map(|(at, line)| {
            let mut words = words(line).into_iter();
            Some(Line {
                number: at + 1,
                first: words.next()?,
                rest: words.collect(),
            })
        })
    }

    pub(super) fn error(&self, column: usize, problem: impl Into<String>) -> Misread {
        Misread {
            line: self.number,
            column,
            problem: problem.into(),
        }
    }

    /// Makes the error that a word is not what was expected.
    pub(super) fn unexpected(&self, word: Word<'_>, expected: &str) -> Misread {
        self.error(
            word.column,
            format!("`{}`, where {expected} was expected", word.text),
        )
    }

    /// Reads all words behind the first.
    pub(super) fn each<T>(
        &self,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Misread> {
        let one = |word: &Word| read(word.text).ok_or_else(|| self.unexpected(*word, expected));
        self.rest.iter().map(one).collect()
    }

    /// Reads the only word behind the first.
    pub(super) fn one<T>(
        &self,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Misread> {
        match self.each(expected, read)?.into_iter().next() {
            Some(one) if self.rest.len() == 1 => Ok(one),
            _ => Err(self.error(
                self.first.column,
                format!("`{}` needs {expected}", self.first.text),
            )),
        }
    }
}
