//! A cursor over tokens, and the errors about a token that does not fit.

use hashbrown::HashSet;

use super::token::{Placed, Portions, Token, lines};
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::{Name, Node};
use lozenge_vocabulary::program::Span;

/// A place in a list of tokens, the last of which is [`Token::End`].
pub(crate) struct Cursor<'a> {
    tokens: Vec<Placed<'a>>,
    at: usize,
    /// The other tokens of a program, and the number of `tokens` that belong to whole statements.
    more: Option<(Portions<'a>, usize)>,
    /// A buffer for the parts of an expression, kept to save allocations; empty between expressions.
    pub spare: Vec<Node<'a>>,
    /// A buffer for the places of the parts that are no operands yet, kept likewise.
    pub spare_values: Vec<usize>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(tokens: Vec<Placed<'a>>) -> Self {
        Cursor {
            tokens,
            at: 0,
            more: None,
            spare: Vec::new(),
            spare_values: Vec::new(),
        }
    }

    /// Makes a cursor over the tokens of a program. [`Cursor::fetch`] gets the first ones.
    pub(crate) fn of(portions: Portions<'a>) -> Self {
        Cursor {
            more: Some((portions, 0)),
            ..Cursor::new(Vec::new())
        }
    }

    /// Gets the tokens of a statement outside of blocks before it is read, if they are not there, and forgets the
    /// tokens that were passed. The result is the errors of characters that form no token.
    pub(crate) fn fetch(&mut self) -> Vec<Diagnostic> {
        match &mut self.more {
            Some((portions, whole)) if self.at >= *whole && !portions.are_all() => {
                // The token before this one stays, since the end of a statement is that of its last token.
                let passed = self.at.saturating_sub(1);
                self.tokens.drain(..passed);
                self.at -= passed;
                *whole = portions.next(&mut self.tokens);
                portions.errors()
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn peek(&self) -> Token<'a> {
        self.tokens[self.at].token
    }

    /// Returns the token after the next one.
    pub(crate) fn peek_second(&self) -> Token<'a> {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token
    }

    /// Returns the place of the token after the next one.
    pub(crate) fn second_span(&self) -> Span {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
            .span
            .clone()
    }

    /// Returns the token before the next one, unless it was forgotten.
    pub(crate) fn before(&self) -> Option<Token<'a>> {
        let before = self.at.checked_sub(1)?;
        Some(self.tokens[before].token)
    }

    /// Returns the place of the next token.
    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].span.clone()
    }

    /// Returns the place after the token before.
    pub(crate) fn end(&self) -> usize {
        match self.at.checked_sub(1) {
            Some(before) => self.tokens[before].span.end,
            None => self.span().start,
        }
    }

    /// Passes the next token; the last one stays.
    pub(crate) fn next(&mut self) -> Placed<'a> {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Tells whether nothing but the last token is left.
    pub(crate) fn at_last(&self) -> bool {
        let all = self.more.as_ref().is_none_or(|(more, _)| more.are_all());
        all && self.at + 1 == self.tokens.len()
    }

    /// Passes the next token if it is this sign.
    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        self.eat_token(|token| matches!(token, Token::Sign(s) if s == sign))
    }

    /// Passes the next token if it is this word.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        self.eat_token(|token| matches!(token, Token::Word(w) if w == word))
    }

    fn eat_token(&mut self, fits: impl FnOnce(Token<'a>) -> bool) -> bool {
        let found = fits(self.peek());
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: &str, help: &str) -> Parsed<()> {
        if self.eat(sign) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{sign}`"), help))
        }
    }

    /// Passes a word, whichever it is.
    pub(crate) fn word(&mut self, what: &str, help: &str) -> Parsed<Name<'a>> {
        match self.peek() {
            Token::Word(text) => Ok(Name {
                text,
                span: self.next().span,
            }),
            _ => Err(self.unexpected(what, help)),
        }
    }

    /// Finds the names that a text defines before this token, as far as tokens alone show it: those after a defining
    /// word, and those before an assignment.
    pub(crate) fn defined_before(&self, text: &'a str) -> HashSet<&'a str> {
        let mut found = HashSet::new();
        let mut defines = false;
        let tokens = lines(&text[..self.span().start], &mut Vec::new());
        for two in tokens.windows(2) {
            match (two[0].token, two[1].token) {
                (Token::Word("data" | "param" | "state" | "const" | "let"), Token::Word(name)) => {
                    found.insert(name);
                    defines = true;
                }
                // Several names behind one `let`.
                (Token::Sign(","), Token::Word(name)) if defines => {
                    found.insert(name);
                }
                (Token::Word(name), Token::Accumulate(_)) => {
                    found.insert(name);
                    defines = false;
                }
                (_, Token::Word(_) | Token::Sign(",")) => {}
                _ => defines = false,
            }
        }
        found
    }

    /// Returns the error that something else was expected here.
    pub(crate) fn unexpected(&self, expected: &str, help: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::End | Token::Dedent => "it ends here".into(),
            Token::Indent => "a block begins here".into(),
            Token::Word(text) | Token::Number(text) => format!("`{}` stands here", brief(text)),
            Token::Text(text) => format!("`\"{}\"` stands here", brief(text)),
            Token::Sign(sign) => format!("`{sign}` stands here"),
            Token::Accumulate(accumulator) => format!("`{accumulator}` stands here"),
        };
        let mut span = self.span();
        if matches!(self.peek(), Token::End | Token::Dedent | Token::Indent) {
            span = self.end()..self.end();
        }
        Diagnostic::new(span, format!("{expected} is expected"), found).help(help)
    }

    /// Passes the rest of the line.
    pub(crate) fn skip_line(&mut self) {
        while self.peek() != Token::End {
            self.next();
        }
        self.next();
    }
}
