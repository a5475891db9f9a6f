//! The standard layout of a text: one statement on a line, two spaces for each open brace, comments kept.
//!
//! A crate of pretty printing, such as `pretty`, was considered and not tried: it chooses line breaks by the width of a
//! page, which stay here as they were written.

use std::collections::BTreeSet;

use lozenge_diagnostic::Diagnostic;

use crate::token::{Placed, Token, tokens};

/// Returns a text in the standard layout. Its meaning does not change.
///
/// # Errors
/// The mistakes of a text that is not a program.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    crate::parse::parse(text)?;
    let tokens = tokens(text).map_err(|error| vec![error])?;
    let mut layout = Layout {
        text,
        out: String::with_capacity(text.len()),
        open: Vec::new(),
        lines: 0,
        before: None,
    };
    for (place, placed) in tokens.iter().enumerate() {
        layout.add(placed, &tokens, place);
    }
    if !layout.out.is_empty() {
        layout.out.push('\n');
    }
    Ok(layout.out)
}

/// A text that is laid out.
struct Layout<'t> {
    text: &'t str,
    out: String,
    /// The brackets and braces that are open.
    open: Vec<Opened>,
    /// The number of line breaks so far.
    lines: usize,
    before: Option<Placed<'t>>,
}

/// A bracket or brace that is open.
struct Opened {
    /// The line on which it stands.
    line: usize,
    kind: Kind,
}

/// A kind of brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Braces,
    Parentheses,
    /// A shape, in which no spaces stand.
    Shape,
    /// A list of values.
    List,
}

impl<'t> Layout<'t> {
    /// Tells whether a bracket begins a list of values: behind `=`, or inside such a list.
    fn begins_list(&self) -> bool {
        let is_value = self
            .before
            .as_ref()
            .is_some_and(|before| before.token == Token::Sign("="));
        is_value || self.open.last().is_some_and(|open| open.kind == Kind::List)
    }

    fn add(&mut self, placed: &Placed<'t>, tokens: &[Placed<'t>], place: usize) {
        let is_in_shape = self.is_in_shape();
        let mut level = self.lines + 1;
        if let Token::Sign("}" | ")" | "]") = placed.token {
            let closed = self.open.pop();
            // It stands below the line on which its bracket was opened.
            level = closed.map_or(level, |closed| closed.line);
        }
        match self.separation(placed, tokens, place, is_in_shape) {
            Separation::None => {}
            Separation::Space => self.out.push(' '),
            Separation::Line(empty) => {
                self.out.push('\n');
                if empty {
                    self.out.push('\n');
                }
                self.lines += 1;
                self.out
                    .extend(std::iter::repeat_n("  ", self.depth(level).min(64)));
            }
        }
        self.out.push_str(match placed.token {
            Token::Comment(text) => text,
            _ => &self.text[placed.span.clone()],
        });
        let kind = match placed.token {
            Token::Sign("{") => Some(Kind::Braces),
            Token::Sign("(") => Some(Kind::Parentheses),
            Token::Sign("[") if self.begins_list() => Some(Kind::List),
            Token::Sign("[") => Some(Kind::Shape),
            _ => None,
        };
        let line = self.lines;
        self.open.extend(kind.map(|kind| Opened { line, kind }));
        self.before = Some(placed.clone());
    }

    fn is_in_shape(&self) -> bool {
        let shape = self
            .open
            .iter()
            .rposition(|opened| opened.kind == Kind::Shape);
        // An operator of dimensions in parentheses has spaces between its parts.
        shape.is_some_and(|shape| shape + 1 == self.open.len())
    }

    /// Returns the number of levels of a new line: what is opened on one line counts once, and only lines before
    /// `level` count.
    fn depth(&self, level: usize) -> usize {
        let lines = self.open.iter().map(|opened| opened.line);
        let lines: BTreeSet<usize> = lines.filter(|line| *line < level).collect();
        lines.len()
    }

    /// Returns the line breaks of the text before a token.
    fn breaks(&self, placed: &Placed<'_>) -> usize {
        let from = self.before.as_ref().map_or(0, |before| before.span.end);
        self.text[from..placed.span.start].matches('\n').count()
    }

    fn separation(
        &self,
        placed: &Placed<'t>,
        tokens: &[Placed<'t>],
        place: usize,
        is_in_shape: bool,
    ) -> Separation {
        let Some(before) = &self.before else {
            return Separation::None;
        };
        let breaks = self.breaks(placed);
        let empty = breaks > 1;
        let is_comment = matches!(placed.token, Token::Comment(_));
        match (before.token, placed.token) {
            (Token::Comment(_), _) => Separation::Line(empty),
            _ if is_comment && breaks == 0 => Separation::Space,
            _ if is_comment => Separation::Line(empty),
            (Token::Sign("{"), _) | (_, Token::Sign("}")) => Separation::Line(false),
            (Token::Sign(";"), _) => Separation::Line(empty),
            _ if self.open.is_empty() && starts(tokens, place) => Separation::Line(empty),
            (Token::Sign(","), _) if is_in_shape => Separation::None,
            (_, Token::Sign(")" | "]")) if breaks > 0 => Separation::Line(false),
            _ if breaks > 0 && is_wrapped(before) && self.is_in_brackets() => {
                Separation::Line(false)
            }
            (left, right) => self.space(left, right, place, tokens),
        }
    }

    fn is_in_brackets(&self) -> bool {
        self.open
            .last()
            .is_some_and(|opened| opened.kind != Kind::Braces)
    }

    fn space(
        &self,
        left: Token<'t>,
        right: Token<'t>,
        place: usize,
        tokens: &[Placed<'t>],
    ) -> Separation {
        let is_operator = |token| matches!(token, Token::Sign("+" | "-" | "*" | "/"));
        match (left, right) {
            (_, Token::Sign("," | ";" | ")" | "]"))
            | (Token::Sign("(" | "[" | "@" | "?"), _)
            | (_, Token::Sign("@")) => Separation::None,
            (Token::Word("fn") | Token::Sign(")"), Token::Sign("(")) => Separation::None,
            (Token::Word(_), Token::Sign("(")) => Separation::None,
            (sign, Token::Number(_) | Token::Word("inf"))
                if sign == Token::Sign("-") && is_prefix(tokens, place - 1) =>
            {
                Separation::None
            }
            (left, Token::Sign("(")) if is_operator(left) => Separation::Space,
            _ => Separation::Space,
        }
    }
}

/// The space between two tokens.
enum Separation {
    None,
    Space,
    /// A line break, and perhaps an empty line.
    Line(bool),
}

/// Tells whether a line that the writer broke behind this token stays broken.
fn is_wrapped(before: &Placed<'_>) -> bool {
    matches!(before.token, Token::Sign("," | "(" | "["))
}

/// Tells whether a sign stands where an expression begins.
fn is_prefix(tokens: &[Placed<'_>], place: usize) -> bool {
    match place.checked_sub(1).map(|before| tokens[before].token) {
        Some(Token::Sign(sign)) => !matches!(sign, ")" | "]" | "}"),
        Some(Token::Comment(_)) | None => true,
        Some(_) => false,
    }
}

/// Tells whether a statement starts at a token outside all brackets: data, `print`, or names with `=` behind them.
fn starts(tokens: &[Placed<'_>], place: usize) -> bool {
    let rest = &tokens[place..];
    let second = rest.get(1).map(|placed| placed.token);
    match (rest[0].token, second) {
        (Token::Word("data"), Some(Token::Word(_))) => true,
        (Token::Word("print"), Some(Token::Word(_) | Token::Number(_))) => true,
        (Token::Word(_) | Token::Sign("("), _) => {
            let before = place.checked_sub(1).map(|before| tokens[before].token);
            let continues =
                matches!(before, Some(Token::Sign(sign)) if !matches!(sign, "}" | ")" | "]" | ";"));
            let is_pattern = |placed: &&Placed<'_>| match placed.token {
                Token::Word(word) => word != "fn",
                Token::Sign(sign) => matches!(sign, "," | "(" | ")"),
                _ => false,
            };
            let pattern = rest.iter().take_while(is_pattern).count();
            let behind = rest.get(pattern).map(|placed| placed.token);
            let in_list = matches!(before, Some(Token::Word("data")));
            !continues && !in_list && behind == Some(Token::Sign("="))
        }
        _ => false,
    }
}
