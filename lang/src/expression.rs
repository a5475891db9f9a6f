//! Expressions, by operator precedence with a stack of its own: depth costs memory and no stack.

use lozenge_vocabulary::operation::Function;

use crate::cursor::{Cursor, Parsed, brief};
use crate::diagnostic::Diagnostic;
use crate::operator::{COMPARISON, FUNCTIONS, INFIX, POWER, PREFIX, Primitive};
use crate::syntax::{Expression, KEYWORDS, Node, NodeKind};
use crate::token::Token;
use lozenge_vocabulary::program::Span;

const OPERAND_HELP: &str =
    "an operand is a tensor, a number, `name(…)` with a function, or an expression in parentheses";

/// What waits for its right operand or its closing parenthesis.
enum Waiting {
    Infix(Primitive, u8),
    Prefix(Span),
    Group(Span),
    /// A function with how many operands were complete before the one being read.
    Call {
        primitive: Primitive,
        name: Span,
        complete: usize,
    },
}

/// Reads an expression up to the first token that cannot belong to it.
pub(crate) fn expression<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Expression<'a>> {
    let mut parser = Parser::default();
    loop {
        parser.operand(cursor)?;
        if !parser.after_operand(cursor)? {
            let nodes = parser.nodes;
            return Ok(Expression { nodes });
        }
    }
}

#[derive(Default)]
struct Parser<'a> {
    nodes: Vec<Node<'a>>,
    /// Nodes that nothing has read yet.
    values: Vec<usize>,
    waiting: Vec<Waiting>,
}

impl<'a> Parser<'a> {
    fn push(&mut self, kind: NodeKind<'a>, span: Span) {
        self.values.push(self.nodes.len());
        self.nodes.push(Node {
            kind,
            span,
            grouped: false,
        });
    }

    /// Reads prefixes and opening parentheses, then a tensor or a number.
    fn operand(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<()> {
        loop {
            let span = cursor.span();
            match cursor.peek() {
                Token::Sign("-") => self.waiting.push(Waiting::Prefix(span)),
                Token::Sign("(") => self.waiting.push(Waiting::Group(span)),
                Token::Number(text) => {
                    let value = number(text, span.clone())?;
                    self.push(NodeKind::Number(value), span);
                    cursor.next();
                    return Ok(());
                }
                Token::Word(name) => {
                    cursor.next();
                    let called = cursor.peek() == Token::Sign("(");
                    if !self.word(name, span, called)? {
                        return Ok(());
                    }
                }
                _ => return Err(cursor.unexpected("an operand", OPERAND_HELP)),
            }
            cursor.next();
        }
    }

    /// A tensor, or a function before its parenthesis: then `true`.
    fn word(&mut self, name: &'a str, span: Span, called: bool) -> Parsed<bool> {
        let function = FUNCTIONS.iter().find(|(word, _)| *word == name);
        match (function, called) {
            (Some((_, primitive)), true) => {
                self.waiting.push(Waiting::Call {
                    primitive: *primitive,
                    name: span,
                    complete: 0,
                });
                Ok(true)
            }
            (Some(_), false) => Err(Diagnostic::new(
                span,
                format!("`{name}` is a function"),
                "its operands are missing",
            )
            .help(format!(
                "write `{name}(…)` with the operands in parentheses"
            ))),
            (None, true) => Err(unknown_function(name, span)),
            (None, false) if KEYWORDS.contains(&name) => {
                Err(
                    Diagnostic::new(span, format!("`{name}` begins a statement"), "no operand")
                        .help("put it on a line of its own"),
                )
            }
            (None, false) => {
                self.push(NodeKind::Tensor(name), span);
                Ok(false)
            }
        }
    }

    /// After an operand: closes what ends here; whether another operand follows.
    fn after_operand(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<bool> {
        loop {
            match cursor.peek() {
                Token::Sign(")") if self.inside_parentheses() => {
                    self.close(cursor.next().span)?;
                }
                Token::Sign(",") if self.inside_parentheses() => {
                    self.reduce(0)?;
                    self.next_operand_of_call(cursor.next().span)?;
                    return Ok(true);
                }
                Token::Sign(sign) => {
                    let Some(infix) = INFIX.iter().find(|(s, ..)| *s == sign) else {
                        return self.end(cursor);
                    };
                    self.infix(cursor, infix.1, infix.2)?;
                    return Ok(true);
                }
                _ => return self.end(cursor),
            }
        }
    }

    fn inside_parentheses(&self) -> bool {
        self.waiting
            .iter()
            .rev()
            .any(|w| matches!(w, Waiting::Group(_) | Waiting::Call { .. }))
    }

    fn infix(&mut self, cursor: &mut Cursor, primitive: Primitive, binds: u8) -> Parsed<()> {
        let sign = cursor.next().span;
        if matches!(cursor.peek(), Token::Number(_))
            && primitive == Primitive::Function(Function::Multiply)
            && cursor.span().start == sign.end
        {
            let span = sign.start..cursor.span().end;
            return Err(Diagnostic::new(
                span,
                "`*.` and a number with nothing between them",
                "this reads like a fraction",
            )
            .help("write `a *. 5` with a space, or `a *. 0.5` with a digit before the point"));
        }
        self.reduce(binds)?;
        if binds == COMPARISON
            && let Some(Waiting::Infix(_, COMPARISON)) = self.waiting.last()
        {
            return Err(
                Diagnostic::new(sign, "comparisons do not chain", "a second comparison")
                    .help("compare one pair at a time: `(a < b) *. (b < c)`"),
            );
        }
        self.waiting.push(Waiting::Infix(primitive, binds));
        Ok(())
    }

    /// Applies what waits and binds at least as tightly as `binds`, up to a parenthesis. A comparison stays for a comparison.
    fn reduce(&mut self, binds: u8) -> Parsed<()> {
        loop {
            match self.waiting.last() {
                Some(Waiting::Infix(primitive, tighter)) if stronger(*tighter, binds) => {
                    let primitive = *primitive;
                    self.apply(primitive, 2, None);
                }
                Some(Waiting::Prefix(span)) if PREFIX >= binds => {
                    let start = span.start;
                    self.negate(start);
                }
                _ => return Ok(()),
            }
            self.waiting.pop();
        }
    }

    /// Negates the last value; a number becomes the negative number.
    fn negate(&mut self, start: usize) {
        let top = self.values[self.values.len() - 1];
        match &mut self.nodes[top] {
            Node {
                kind: NodeKind::Number(value),
                span,
                ..
            } => {
                *value = -*value;
                span.start = start;
            }
            _ => self.apply(Primitive::Function(Function::Negate), 1, Some(start)),
        }
    }

    /// Makes a node of the last `arity` values; it begins at `start`, or where the first of them begins.
    fn apply(&mut self, primitive: Primitive, arity: usize, start: Option<usize>) {
        let operands = self.values.split_off(self.values.len() - arity);
        let (first, last) = (operands[0], operands[arity - 1]);
        let start = start.unwrap_or(self.nodes[first].span.start);
        let span = start..self.nodes[last].span.end;
        self.push(NodeKind::Apply(primitive, operands), span);
    }

    fn close(&mut self, parenthesis: Span) -> Parsed<()> {
        self.reduce(0)?;
        match self.waiting.pop() {
            Some(Waiting::Group(open)) => {
                let top = self.values[self.values.len() - 1];
                self.nodes[top].grouped = true;
                self.nodes[top].span = open.start..parenthesis.end;
                Ok(())
            }
            Some(Waiting::Call {
                primitive,
                name,
                complete,
            }) => {
                let given = complete + 1;
                if given != primitive.arity() {
                    return Err(wrong_arity(primitive, given, name.start..parenthesis.end));
                }
                self.apply(primitive, given, Some(name.start));
                let top = self.nodes.len() - 1;
                self.nodes[top].span.end = parenthesis.end;
                Ok(())
            }
            _ => unreachable!("`close` is called inside parentheses"),
        }
    }

    fn next_operand_of_call(&mut self, comma: Span) -> Parsed<()> {
        match self.waiting.last_mut() {
            Some(Waiting::Call { complete, .. }) => {
                *complete += 1;
                Ok(())
            }
            _ => Err(Diagnostic::new(
                comma,
                "a comma stands between operands of a function",
                "no function here",
            )
            .help("leave it out, or put the name of a function before the parenthesis")),
        }
    }

    /// The expression ends: nothing may wait for a parenthesis any more.
    fn end(&mut self, cursor: &Cursor) -> Parsed<bool> {
        self.reduce(0)?;
        match self.waiting.pop() {
            None => Ok(false),
            Some(Waiting::Group(open) | Waiting::Call { name: open, .. }) => Err(cursor
                .unexpected("`)`", "close the parenthesis, or put an operator here")
                .other(open, "opened here")),
            Some(_) => unreachable!("`reduce(0)` applies every operator"),
        }
    }
}

/// Whether an operator that waits is applied before one that binds by `binds` takes its left operand.
fn stronger(waits: u8, binds: u8) -> bool {
    let waits_for_the_right = waits == binds && matches!(binds, COMPARISON | POWER);
    waits >= binds && !waits_for_the_right
}

fn wrong_arity(primitive: Primitive, given: usize, span: Span) -> Diagnostic {
    let (word, arity) = (primitive.word(), primitive.arity());
    let plural = |n: usize| if n == 1 { "operand" } else { "operands" };
    let form = ["a", "a, b"][arity - 1];
    Diagnostic::new(
        span,
        format!("`{word}` has {arity} {}", plural(arity)),
        format!("{given} {} given", plural(given)),
    )
    .help(format!("write `{word}({form})`"))
}

fn unknown_function(name: &str, span: Span) -> Diagnostic {
    let words = FUNCTIONS.map(|(word, _)| word);
    let message = format!("unknown function `{}`", brief(name));
    let error = Diagnostic::new(span.clone(), message, "not of the language");
    match crate::suggestion::nearest(name, words) {
        Some(near) => error.edit(format!("did you mean `{near}`?"), span, near),
        None => error.help(format!(
            "the functions are {}",
            words.map(|w| format!("`{w}`")).join(", ")
        )),
    }
}

/// A number that `f32` can hold, if not exactly.
pub(crate) fn number(text: &str, span: Span) -> Parsed<f64> {
    let value: f64 = text.parse().unwrap_or(f64::INFINITY);
    if (value as f32).is_finite() {
        return Ok(value);
    }
    Err(
        Diagnostic::new(span, "the number does not fit", "too large").help(format!(
            "values are 32-bit floats: the largest is {:e}",
            f32::MAX
        )),
    )
}
