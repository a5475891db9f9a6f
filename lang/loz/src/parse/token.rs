//! The tokens of the language: words and signs. Programs and einsum specs share them.
//!
//! Blocks are recognised by the indentation of lines, and a long text is read in portions. A generated lexer, as the
//! crate `logos` makes it, was not tried: it finds words and signs alone, and the rest would stay around it.

use lozenge_vocabulary::operation::{Accumulator, Combine};

use crate::diagnostic::Diagnostic;
use crate::syntax::operator::MISTAKEN;
use lozenge_vocabulary::program::Span;

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// A number as written: digits, optionally with a fraction and an exponent.
    Number(&'a str),
    /// The text between two quotes on one line.
    Text(&'a str),
    /// A sign, one of [`SIGNS`].
    Sign(&'static str),
    /// An accumulating assignment: `=:`, `=+`, `=:+` …
    Accumulate(Accumulator),
    /// A line break that ends a statement.
    End,
    /// The next line begins a block: it is indented more deeply than the line before it, which ends with a colon.
    Indent,
    /// A block ends before the next line.
    Dedent,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed<'a> {
    pub token: Token<'a>,
    pub span: Span,
}

/// Every sign except the accumulating assignments. A sign that begins with another one comes before it.
const SIGNS: [&str; 30] = [
    "...", "..", "@|", ".", "->", "=>", "==", "<>", "<=", ">=", "!=", "**", "*.", "+", "-", "*",
    "/", "<", ">", "=", "(", ")", "[", "]", ",", ";", "|", ":", "{", "}",
];

/// The byte order mark, which some editors put before the first character of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The signs that may follow the `=` and the colon of an assignment.
pub(crate) const COMBINATIONS: [(&str, Combine); 5] = [
    ("+", Combine::Add),
    ("-", Combine::Subtract),
    ("*", Combine::Multiply),
    ("max", Combine::Max),
    ("min", Combine::Min),
];

/// Splits `text` into tokens. `base` is its offset in the program, for the spans.
///
/// Characters that form no token are reported and omitted. Line breaks inside brackets do not end a statement.
pub(crate) fn tokens<'a>(
    text: &'a str,
    base: usize,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Placed<'a>> {
    let mut lexer = Lexer::new(text, base, None);
    lexer.tokens_up_to(usize::MAX);
    errors.append(&mut lexer.errors);
    lexer.tokens
}

/// Lists the logical lines of a whole program, whose blocks are recognised by the indentation of their lines.
pub(crate) fn lines<'a>(text: &'a str, errors: &mut Vec<Diagnostic>) -> Vec<Placed<'a>> {
    let mut lexer = Lexer::of_lines(text);
    lexer.tokens_up_to(usize::MAX);
    errors.append(&mut lexer.errors);
    lexer.tokens
}

/// The tokens of a whole program, some statements at a time: those of a long text have several times its size.
pub(crate) struct Portions<'a>(Lexer<'a>);

impl<'a> Portions<'a> {
    pub(crate) fn of(text: &'a str) -> Portions<'a> {
        Portions(Lexer::of_lines(text))
    }

    /// Adds tokens to those that are left of the portion before. The result is the number of the tokens that belong to
    /// whole statements; the first token of the next statement follows them, if there is one.
    pub(crate) fn next(&mut self, tokens: &mut Vec<Placed<'a>>) -> usize {
        std::mem::swap(tokens, &mut self.0.tokens);
        self.0.tokens_up_to(PORTION);
        std::mem::swap(tokens, &mut self.0.tokens);
        self.0.statement
    }

    /// Tells whether there are no more tokens.
    pub(crate) fn are_all(&self) -> bool {
        self.0.ended
    }

    /// Takes the errors of the characters passed since the last call.
    pub(crate) fn errors(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.0.errors)
    }
}

/// The least number of tokens of a portion, unless the text ends.
const PORTION: usize = 1 << 12;

/// The blocks that are open, by the columns of their lines.
#[derive(Default)]
struct Blocks {
    /// The column of the lines of each open block, and that of the line whose colon opened it.
    open: Vec<(usize, usize)>,
    /// The column of the current line.
    line: usize,
    /// The column of the lines outside of blocks.
    margin: Option<usize>,
    /// True if only the first line of the text has been read, which begins the text.
    is_second: bool,
}

/// Tells whether no line of a text stands left of a column. A program in a string of another language often begins
/// behind the quotation mark, and its other lines are indented as the code around it.
fn is_margin(text: &str, column: usize) -> bool {
    let indented = |line: &str| {
        let content = line.trim_start_matches([' ', '\t', '\r']);
        content.is_empty() || content.starts_with('#') || line.len() - content.len() >= column
    };
    text.split('\n').all(indented)
}

struct Lexer<'a> {
    text: &'a str,
    base: usize,
    at: usize,
    /// The number of brackets that are open.
    open: usize,
    /// The open blocks; `None` for a spec, which has none.
    blocks: Option<Blocks>,
    /// True if the last token other than a line break is a colon, which may begin a block.
    header: bool,
    /// True if the next token other than a line break begins a statement outside of blocks.
    begins: bool,
    /// The place in `tokens` of the last token that begins a statement outside of blocks.
    statement: usize,
    /// True if the whole text was passed.
    ended: bool,
    tokens: Vec<Placed<'a>>,
    errors: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, base: usize, blocks: Option<Blocks>) -> Lexer<'a> {
        Lexer {
            text,
            base,
            at: 0,
            open: 0,
            blocks,
            header: false,
            begins: false,
            statement: 0,
            ended: false,
            tokens: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn of_lines(text: &'a str) -> Lexer<'a> {
        let mut lexer = Lexer::new(text, 0, Some(Blocks::default()));
        lexer.line_start();
        lexer
    }

    /// Passes the text up to a token that begins a statement outside of blocks and has at least so many tokens before
    /// it, or to its end.
    fn tokens_up_to(&mut self, enough: usize) {
        self.statement = 0;
        while self.at < self.text.len() {
            self.step();
            if self.statement >= enough {
                return;
            }
        }
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        self.push(Token::End, self.text.len());
        let open = self.blocks.as_ref().map_or(0, |blocks| blocks.open.len());
        for _ in 0..open {
            self.push(Token::Dedent, self.text.len());
        }
        if open > 0 {
            self.push(Token::End, self.text.len());
        }
        self.statement = self.tokens.len();
    }

    /// Passes the indentation at the start of a line, and opens or closes blocks.
    fn line_start(&mut self) {
        let Some(blocks) = &mut self.blocks else {
            return;
        };
        let rest = &self.text[self.at..];
        let indentation = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let after = &rest[indentation..];
        if after.is_empty() || after.starts_with(['\n', '#']) {
            return;
        }
        let tab = rest[..indentation].find('\t');
        let column = indentation;
        let innermost = blocks.open.last().map(|(column, _)| *column);
        let before = std::mem::replace(&mut blocks.line, column);
        let is_second = std::mem::replace(&mut blocks.is_second, self.at == 0 && column == 0);
        let mut problem = None;
        if self.header && column > before {
            blocks.open.push((column, before));
            self.push(Token::Indent, self.at);
        } else if column > innermost.unwrap_or(*blocks.margin.get_or_insert(column))
            && !(is_second && is_margin(rest, column))
        {
            problem = Some((
                "this line is deeper than the block that it stands in",
                "deeper than the line above",
                "the lines of a block are level; only a line that ends with `:` begins a deeper one",
            ));
            blocks.line = before;
        } else {
            if is_second && blocks.open.is_empty() {
                blocks.margin = Some(column);
            }
            let mut closed = 0;
            while let Some((lines, header)) = blocks.open.last() {
                if column >= *lines {
                    break;
                }
                if column > *header {
                    problem = Some((
                        "this line is level with no block",
                        "between two blocks",
                        "move it to the column of the block that it belongs to",
                    ));
                    break;
                }
                blocks.open.pop();
                closed += 1;
            }
            for _ in 0..closed {
                self.push(Token::Dedent, self.at);
            }
        }
        let inside = self.blocks.as_ref().is_some_and(|b| !b.open.is_empty());
        if let (Some(tab), true) = (tab, inside) {
            let start = self.base + self.at + tab;
            self.errors.push(
                Diagnostic::new(start..start + 1, "a tab in an indentation", "a tab")
                    .help("indent with spaces: how wide a tab is differs from editor to editor"),
            );
        } else if let Some((message, label, help)) = problem {
            let start = self.base + self.at;
            self.errors
                .push(Diagnostic::new(start..start + indentation, message, label).help(help));
        }
        self.at += indentation;
        self.begins = !inside;
    }

    /// Reads the next token, space or line break, chosen by its first byte: almost all characters are ASCII.
    fn step(&mut self) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.as_bytes().first() else {
            return;
        };
        match first {
            b'\n' => self.line_break(),
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'#' => self.at += rest.find('\n').unwrap_or(rest.len()),
            b'"' => self.quoted(),
            b'0'..=b'9' => {
                let end = self.at + number_length(rest);
                self.push(Token::Number(&self.text[self.at..end]), end);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'(' | b'[' => {
                self.open += 1;
                self.single(*first);
            }
            b')' | b']' => {
                self.open = self.open.saturating_sub(1);
                self.single(*first);
            }
            b',' | b';' | b'|' | b':' => self.single(*first),
            _ => self.rare(),
        }
    }

    fn word(&mut self) {
        let end = self.at + word_length(&self.text[self.at..]);
        self.push(Token::Word(&self.text[self.at..end]), end);
    }

    /// Reads a sign of one byte that begins no other sign.
    fn single(&mut self, first: u8) {
        let sign = match first {
            b'(' => "(",
            b')' => ")",
            b'[' => "[",
            b']' => "]",
            b',' => ",",
            b';' => ";",
            b'|' => "|",
            _ => ":",
        };
        self.push(Token::Sign(sign), self.at + 1);
    }

    /// Reads the next token if it begins with a character outside ASCII, or with a sign that may be longer than one
    /// byte.
    fn rare(&mut self) {
        let Some(first) = self.text[self.at..].chars().next() else {
            return;
        };
        match first {
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            BYTE_ORDER_MARK if self.base + self.at == 0 => self.at += first.len_utf8(),
            _ if starts_word(first) => self.word(),
            _ => self.sign(first),
        }
    }

    fn push(&mut self, token: Token<'a>, end: usize) {
        let span = self.base + self.at..self.base + end;
        if !matches!(token, Token::End) {
            self.header = matches!(token, Token::Sign(":"));
            if std::mem::take(&mut self.begins) {
                self.statement = self.tokens.len();
            }
        }
        self.tokens.push(Placed { token, span });
        self.at = end;
    }

    fn line_break(&mut self) {
        if self.open == 0 {
            self.push(Token::End, self.at + 1);
            self.line_start();
        } else if starts_statement(&self.text[self.at + 1..]) {
            // A closing bracket was forgotten: the next statement must not become part of this one.
            self.open = 0;
            self.push(Token::End, self.at + 1);
            self.line_start();
        } else {
            self.at += 1;
        }
    }

    fn quoted(&mut self) {
        let inside = &self.text[self.at + 1..];
        // One search for both: a line of many quotes must not be searched to its end at each of them.
        let end = inside.find(['"', '\n']).unwrap_or(inside.len());
        if inside[end..].starts_with('"') {
            self.push(Token::Text(&inside[..end]), self.at + end + 2);
        } else {
            let help = "close it with `\"` on the same line";
            self.error(1, "a quote is not closed", "opened here", help);
            self.at += 1 + end;
        }
    }

    fn sign(&mut self, first: char) {
        let rest = &self.text[self.at..];
        let mistaken = MISTAKEN.iter().find(|(sign, _)| rest.starts_with(sign));
        let slice = rest.starts_with("@|");
        // In a spec `^` joins the parts of an axis.
        let joins = self.blocks.is_none() && first == '^';
        if joins {
            self.push(Token::Sign("^"), self.at + 1);
        } else if let (Some((sign, help)), false) = (mistaken, slice) {
            self.unknown(sign, help);
        } else if let Some((accumulator, length)) = accumulator(rest) {
            self.push(Token::Accumulate(accumulator), self.at + length);
        } else if let Some(sign) = SIGNS.iter().copied().find(|sign| rest.starts_with(sign)) {
            self.push(Token::Sign(sign), self.at + sign.len());
        } else {
            self.unknown(
                &rest[..first.len_utf8()],
                crate::syntax::operator::OPERATORS,
            );
        }
    }

    fn unknown(&mut self, sign: &str, help: &str) {
        let message = format!("`{sign}` is not an operator");
        self.error(sign.len(), &message, "not of the language", help);
        self.at += sign.len();
    }

    fn error(&mut self, length: usize, message: &str, label: &str, help: &str) {
        let start = self.base + self.at;
        let error = Diagnostic::new(start..start + length, message, label).help(help);
        self.errors.push(error);
    }
}

/// Reads the accumulating assignment at the start of `rest`, and its length.
fn accumulator(rest: &str) -> Option<(Accumulator, usize)> {
    let after = rest.strip_prefix('=')?;
    let (erase, after) = match after.strip_prefix(':') {
        Some(after) => (true, after),
        None => (false, after),
    };
    let ends_here = |after: &str| !after.starts_with(continues_word);
    let found = COMBINATIONS.iter().find_map(|(sign, combine)| {
        let rest = after.strip_prefix(sign)?;
        let whole = sign.starts_with(['+', '-', '*']) || ends_here(rest);
        whole.then_some((*combine, sign.len()))
    });
    let (combine, length) = match found {
        Some(found) => found,
        None if erase => (Combine::Replace, 0),
        None => return None,
    };
    let length = 1 + usize::from(erase) + length;
    Some((Accumulator { erase, combine }, length))
}

/// Tells whether the line at the start of `rest` begins a statement by its first word.
fn starts_statement(rest: &str) -> bool {
    let line = rest.trim_start_matches([' ', '\t', '\r']);
    crate::syntax::BEGINNINGS.contains(&&line[..word_length(line)])
}

/// Measures the length of a number: digits, then optionally `.digits`, then optionally an exponent.
fn number_length(rest: &str) -> usize {
    let digits = |from: usize| {
        rest[from..]
            .bytes()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        let fraction = digits(end + 1);
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

fn word_length(rest: &str) -> usize {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = rest.bytes().take_while(|byte| plain(byte)).count();
    match rest.as_bytes().get(length) {
        // The word continues, or another character outside ASCII follows.
        Some(128..) => rest.find(|c| !continues_word(c)).unwrap_or(rest.len()),
        _ => length,
    }
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that come in any order: blocks, lines that stand at no place, brackets that are open, characters of no
    /// token.
    const LINES: [&str; 12] = [
        "let y = f(x, 0.5)",
        "for i in 0..3:",
        "  let z = x *. 2",
        "    let deep = 1",
        "  def g(a):",
        "   a ? b",
        "let open = (x +",
        "?",
        "",
        "# words",
        "print \"a, b\", x: 3",
        "def f(x):",
    ];

    #[test]
    fn the_portions_of_a_text_are_its_tokens() {
        let mut chosen = 1u32;
        let mut most = 0;
        for margin in ["", "  "] {
            let mut text = String::new();
            for _ in 0..20_000 {
                chosen = chosen.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let line = LINES[(chosen >> 16) as usize % LINES.len()];
                text += &format!("{margin}{line}\n");
            }
            let mut errors = Vec::new();
            let whole = lines(&text, &mut errors);
            let mut portions = Portions::of(&text);
            let (mut tokens, mut all, mut found) = (Vec::new(), Vec::new(), Vec::new());
            while !portions.are_all() {
                let of_statements = portions.next(&mut tokens);
                most = most.max(tokens.len());
                all.extend(tokens.drain(..of_statements));
                found.append(&mut portions.errors());
                let count = |sought| all.iter().filter(|p: &&Placed| p.token == sought).count();
                assert_eq!(
                    count(Token::Indent),
                    count(Token::Dedent),
                    "a block was cut"
                );
            }
            assert!(whole.len() > 10 * PORTION && tokens.is_empty());
            assert_eq!(all, whole);
            assert_eq!(found, errors);
            assert!(!errors.is_empty());
        }
        // Blocks end often enough here, so that no portion is much longer than asked for.
        assert!(most < 2 * PORTION, "{most}");
    }
}
