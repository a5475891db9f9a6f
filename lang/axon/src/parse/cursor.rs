//! A position among the tokens of a text.

use lozenge_diagnostic::{Diagnostic, Parsed, brief};

use crate::Span;
use crate::token::{Placed, Token};

/// The tokens of a text without its comments, and how many of them were read.
pub(crate) struct Cursor<'t> {
    tokens: Vec<Placed<'t>>,
    at: usize,
    end: usize,
}

impl<'t> Cursor<'t> {
    /// Returns a cursor before the first token of a text of this many bytes.
    pub(crate) fn new(mut tokens: Vec<Placed<'t>>, end: usize) -> Cursor<'t> {
        tokens.retain(|placed| !matches!(placed.token, Token::Comment(_)));
        Cursor { tokens, at: 0, end }
    }

    /// Returns the token that is some places ahead.
    pub(crate) fn ahead(&self, places: usize) -> Option<Token<'t>> {
        self.tokens.get(self.at + places).map(|placed| placed.token)
    }

    /// Returns the next token.
    pub(crate) fn peek(&self) -> Option<Token<'t>> {
        self.ahead(0)
    }

    /// Returns the place of the next token; the end of the text if there is none.
    pub(crate) fn span(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(placed) => placed.span.clone(),
            None => self.end..self.end,
        }
    }

    /// Returns the end of the token that was read last.
    pub(crate) fn last_end(&self) -> usize {
        self.at
            .checked_sub(1)
            .map_or(0, |at| self.tokens[at].span.end)
    }

    /// Goes on by one token, and returns its place.
    pub(crate) fn advance(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    /// Tells whether the next token is a sign.
    pub(crate) fn is(&self, sign: &str) -> bool {
        self.peek() == Some(Token::Sign(crate::token::sign(sign)))
    }

    /// Reads a sign if it is next, and tells whether it was.
    pub(crate) fn takes(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    /// Reads a sign.
    ///
    /// # Errors
    /// If another token is next; `what` it belongs to is said.
    pub(crate) fn expect(&mut self, sign: &str, what: &str) -> Parsed<Span> {
        if self.is(sign) {
            return Ok(self.advance());
        }
        Err(self.unexpected(&format!("`{sign}` {what}")))
    }

    /// Reads a word.
    ///
    /// # Errors
    /// If another token is next.
    pub(crate) fn word(&mut self, what: &str) -> Parsed<(&'t str, Span)> {
        match self.peek() {
            Some(Token::Word(word)) => Ok((word, self.advance())),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Makes the error for a token in place of the expected one.
    pub(crate) fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            None => "the text ends".to_string(),
            Some(Token::Word(text) | Token::Number(text)) => format!("`{}` stands", brief(text)),
            Some(Token::Rigid(text)) => format!("`'{}` stands", brief(text)),
            Some(Token::Text(text)) => format!("`\"{}\"` stands", brief(text)),
            Some(Token::Sign(sign)) => format!("`{sign}` stands"),
            Some(Token::Comment(_)) => "a comment stands".to_string(),
        };
        let span = self.span();
        Diagnostic::new(
            span,
            format!("{found} where {expected} is expected"),
            format!("{expected} is expected here"),
        )
    }

    /// Tells whether a statement that binds names is next: a pattern with an `=` behind it.
    pub(crate) fn binds(&self) -> bool {
        let rest = &self.tokens[self.at.min(self.tokens.len())..];
        let is_pattern = |placed: &&Placed<'_>| match placed.token {
            Token::Word(word) => word != "fn",
            Token::Sign(sign) => matches!(sign, "," | "(" | ")"),
            _ => false,
        };
        let pattern = rest.iter().take_while(is_pattern).count();
        let behind = rest.get(pattern).map(|placed| placed.token);
        pattern > 0 && behind == Some(Token::Sign("="))
    }

    /// Returns the place where a name is bound by a statement further down.
    pub(crate) fn bound_below(&self, name: &'t str) -> Option<Span> {
        let rest = self.tokens.get(self.at..)?;
        let pair = rest
            .windows(2)
            .find(|pair| pair[0].token == Token::Word(name) && pair[1].token == Token::Sign("="))?;
        Some(pair[0].span.clone())
    }
}
