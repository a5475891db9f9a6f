//! The standard layout of a text: one statement on a line, two spaces for each open brace, comments kept.

use lozenge_diagnostic::Diagnostic;

use crate::token::{Placed, Token, tokens};

/// Returns a text in the standard layout. What it means does not change.
///
/// # Errors
/// The mistakes of a text that is not a program.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    crate::parse::parse(text)?;
    let tokens = tokens(text).map_err(|error| vec![error])?;
    let mut layout = Layout {
        text,
        out: String::with_capacity(text.len()),
        braces: 0,
        brackets: 0,
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
    braces: usize,
    brackets: usize,
    before: Option<Placed<'t>>,
}

impl<'t> Layout<'t> {
    fn add(&mut self, placed: &Placed<'t>, tokens: &[Placed<'t>], place: usize) {
        if placed.token == Token::Sign("}") {
            self.braces = self.braces.saturating_sub(1);
        }
        match self.separation(placed, tokens, place) {
            Separation::None => {}
            Separation::Space => self.out.push(' '),
            Separation::Line(empty) => {
                self.out.push('\n');
                if empty {
                    self.out.push('\n');
                }
                let depth = self.braces + self.brackets;
                self.out.extend(std::iter::repeat_n("  ", depth.min(64)));
            }
        }
        self.out.push_str(match placed.token {
            Token::Comment(text) => text,
            _ => &self.text[placed.span.clone()],
        });
        match placed.token {
            Token::Sign("{") => self.braces += 1,
            Token::Sign("(" | "[") => self.brackets += 1,
            Token::Sign(")" | "]") => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        self.before = Some(placed.clone());
    }

    /// Returns the line breaks of the text before a token.
    fn breaks(&self, placed: &Placed<'_>) -> usize {
        let from = self.before.as_ref().map_or(0, |before| before.span.end);
        self.text[from..placed.span.start].matches('\n').count()
    }

    fn separation(&self, placed: &Placed<'t>, tokens: &[Placed<'t>], place: usize) -> Separation {
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
            _ if self.braces + self.brackets == 0 && starts(tokens, place) => {
                Separation::Line(empty)
            }
            (_, _) if self.brackets > 0 && breaks > 0 && is_wrapped(before) => {
                Separation::Line(false)
            }
            (left, right) => self.space(left, right, place, tokens),
        }
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
            (_, Token::Sign("," | ";" | ")" | "]" | ":"))
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

/// What stands between two tokens.
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
