//! The parser of expressions: operator precedence with an explicit stack, so that deep expressions do not overflow the call stack.

use lozenge_vocabulary::operation::{Accumulator, Combine, Function};

use crate::cursor::{Cursor, Parsed};
use crate::diagnostic::Diagnostic;
use crate::operator::{COMPARISON, INFIX, POWER, PREFIX, Primitive};
use crate::syntax::{Argument, Expression, KEYWORDS, Name, Node, NodeKind};
use crate::token::Token;
use lozenge_vocabulary::program::Span;

const OPERAND_HELP: &str =
    "an operand is a tensor, a number, `name(…)` with a function, or an expression in parentheses";

/// A construct that waits for its right operand or its closing bracket.
enum Waiting<'a> {
    Infix(Primitive, u8),
    Prefix(Span),
    Group(Span),
    /// A call with the arguments before the one being read, and the name of that one.
    Call {
        callee: usize,
        before: Vec<Argument<'a>>,
        name: Option<Name<'a>>,
        open: Span,
    },
    List {
        open: Span,
        before: Vec<usize>,
    },
    /// `[element for name in`, followed by what is iterated over.
    Each {
        open: Span,
        element: usize,
        name: Name<'a>,
        from: Option<usize>,
    },
    Index {
        of: usize,
        open: Span,
    },
    /// `of @| (`
    Slice {
        of: usize,
        open: Span,
    },
    /// `then if`
    If {
        then: usize,
        word: Span,
    },
    /// `then if condition else`
    Else {
        then: usize,
        condition: usize,
    },
}

/// Reads an expression up to the first token that cannot belong to it.
pub(crate) fn expression<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Expression<'a>> {
    // All expressions are built in the same buffer, one after the other, and each is then copied to one of the right size.
    let mut parser = Parser {
        nodes: std::mem::take(&mut cursor.spare),
        ..Parser::default()
    };
    loop {
        parser.operand(cursor)?;
        if !parser.after_operand(cursor)? {
            let mut nodes = Vec::with_capacity(parser.nodes.len());
            nodes.append(&mut parser.nodes);
            cursor.spare = parser.nodes;
            return Ok(Expression { nodes });
        }
    }
}

/// Expressions with commas between them.
pub(crate) fn expressions<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Vec<Expression<'a>>> {
    let mut all = vec![expression(cursor)?];
    while cursor.eat(",") {
        all.push(expression(cursor)?);
    }
    Ok(all)
}

#[derive(Default)]
struct Parser<'a> {
    nodes: Vec<Node<'a>>,
    /// Nodes that are not yet an operand of another node.
    values: Vec<usize>,
    waiting: Vec<Waiting<'a>>,
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

    /// The last value, which the parser has just read.
    fn top(&self) -> usize {
        self.values[self.values.len() - 1]
    }

    fn take(&mut self) -> usize {
        self.values.pop().expect("an operand was read")
    }

    /// Reads prefixes and opening brackets, then a name, a number or a text.
    fn operand(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<()> {
        loop {
            let span = cursor.span();
            match cursor.peek() {
                Token::Sign("-") => self.waiting.push(Waiting::Prefix(span)),
                Token::Sign("(") => self.waiting.push(Waiting::Group(span)),
                Token::Sign("[") => {
                    cursor.next();
                    if cursor.peek() == Token::Sign("]") {
                        let end = cursor.next().span.end;
                        self.push(NodeKind::List(Vec::new()), span.start..end);
                        return Ok(());
                    }
                    let before = Vec::new();
                    self.waiting.push(Waiting::List { open: span, before });
                    continue;
                }
                Token::Number(text) => return self.number(cursor, text, span),
                Token::Text(text) => {
                    cursor.next();
                    let captured = captured(cursor)?;
                    self.push(NodeKind::Text(text, captured), span.start..cursor.end());
                    return Ok(());
                }
                Token::Word(name) if KEYWORDS.contains(&name) => {
                    return Err(Diagnostic::new(
                        span,
                        format!("`{name}` begins a statement"),
                        "no operand",
                    )
                    .help("put it on a line of its own"));
                }
                Token::Word(name) => {
                    cursor.next();
                    self.push(NodeKind::Name(name), span);
                    return Ok(());
                }
                _ => return Err(cursor.unexpected("an operand", OPERAND_HELP)),
            }
            cursor.next();
        }
    }

    /// A number, or a size with a basis.
    fn number(&mut self, cursor: &mut Cursor<'_, 'a>, text: &'a str, span: Span) -> Parsed<()> {
        let based = match cursor.peek_second() {
            Token::Word(word) => word.starts_with('_') && cursor.second_span().start == span.end,
            _ => false,
        };
        if based {
            let dim = crate::row::size(cursor, text)?;
            self.push(NodeKind::Size(dim), span.start..cursor.end());
            return Ok(());
        }
        cursor.next();
        let value = number(text, span.clone())?;
        self.push(NodeKind::Number(value), span);
        Ok(())
    }

    /// After an operand: closes the constructs that end here, and returns whether another operand follows.
    fn after_operand(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<bool> {
        loop {
            match cursor.peek() {
                Token::Sign("(") if self.can_be_called() => {
                    if self.call(cursor)? {
                        return Ok(true);
                    }
                }
                Token::Sign(".") => self.field(cursor)?,
                Token::Sign("[") if self.can_be_called() => {
                    let open = cursor.next().span;
                    let of = self.take();
                    self.waiting.push(Waiting::Index { of, open });
                    return Ok(true);
                }
                Token::Sign("@|") => {
                    if self.slice(cursor)? {
                        return Ok(true);
                    }
                }
                Token::Sign(")") if self.inside(|w| !w.is_list()) => self.close(cursor)?,
                Token::Sign("]") if self.inside(|w| w.is_list()) => self.close(cursor)?,
                Token::Sign(",") if self.inside(|_| true) => {
                    self.finish(cursor)?;
                    let another = self.comma(cursor)?;
                    if another {
                        return Ok(true);
                    }
                }
                Token::Sign("..") if self.inside(|w| w.is_list()) => {
                    self.finish(cursor)?;
                    match self.waiting.last_mut() {
                        Some(Waiting::Each {
                            from: from @ None, ..
                        }) => *from = self.values.pop(),
                        _ => {
                            return Err(
                                cursor.unexpected("`]`", "a range is written `for i in 0..12`")
                            );
                        }
                    }
                    cursor.next();
                    return Ok(true);
                }
                Token::Word("for") if self.inside(|w| w.is_list()) => {
                    self.finish(cursor)?;
                    self.each(cursor)?;
                    return Ok(true);
                }
                Token::Word("if") => {
                    let word = cursor.next().span;
                    self.reduce(0)?;
                    let then = self.take();
                    self.waiting.push(Waiting::If { then, word });
                    return Ok(true);
                }
                Token::Word("else") => {
                    self.reduce(0)?;
                    self.otherwise(cursor)?;
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

    fn can_be_called(&self) -> bool {
        let top = &self.nodes[self.top()];
        !matches!(
            top.kind,
            NodeKind::Number(_) | NodeKind::Size(_) | NodeKind::Text(..)
        )
    }

    /// Whether the innermost open bracket is of this sort.
    fn inside(&self, sort: impl Fn(&Waiting) -> bool) -> bool {
        let bracket = self.waiting.iter().rev().find(|w| w.is_bracket());
        bracket.is_some_and(sort)
    }

    /// `(` after an operand; returns whether an argument follows.
    fn call(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<bool> {
        cursor.next();
        let callee = self.take();
        let open = self.nodes[callee].span.clone();
        if cursor.peek() == Token::Sign(")") {
            let end = cursor.next().span.end;
            let start = self.nodes[callee].span.start;
            self.push(NodeKind::Call(callee, Vec::new()), start..end);
            return Ok(false);
        }
        let name = argument_name(cursor)?;
        self.waiting.push(Waiting::Call {
            callee,
            before: Vec::new(),
            name,
            open,
        });
        Ok(true)
    }

    fn field(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<()> {
        cursor.next();
        let name = cursor.word(
            "a name",
            "after the point stands the name of a parameter, or `grad`: `w.grad`",
        )?;
        let of = self.take();
        let span = self.nodes[of].span.start..name.span.end;
        self.push(NodeKind::Field(of, name), span);
        Ok(())
    }

    /// `@|` and an index; returns whether the index is an expression in parentheses.
    fn slice(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<bool> {
        cursor.next();
        let of = self.take();
        let span = cursor.span();
        match cursor.peek() {
            Token::Number(text) => {
                cursor.next();
                let position = number(text, span.clone())?;
                self.push(NodeKind::Number(position), span.clone());
            }
            Token::Word(name) if !KEYWORDS.contains(&name) => {
                cursor.next();
                self.push(NodeKind::Name(name), span.clone());
            }
            Token::Sign("(") => {
                let open = cursor.next().span;
                self.waiting.push(Waiting::Slice { of, open });
                return Ok(true);
            }
            _ => {
                return Err(cursor.unexpected(
                    "an index",
                    "a slice is `x @| 0`, `x @| i` with the name of a loop, or `x @| (i + 1)`",
                ));
            }
        }
        let index = self.take();
        let whole = self.nodes[of].span.start..span.end;
        self.push(NodeKind::Slice(of, index), whole);
        Ok(false)
    }

    /// `for NAME in` in a list.
    fn each(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<()> {
        const HELP: &str = "a list is `[a, b]` or `[f(i) for i in 0..12]`";
        let word = cursor.next().span;
        let (open, before) = match self.waiting.pop() {
            Some(Waiting::List { open, before }) => (open, before),
            _ => {
                return Err(
                    Diagnostic::new(word, "a second `for` in a list", "one is enough").help(HELP),
                );
            }
        };
        if !before.is_empty() {
            return Err(
                Diagnostic::new(word, "`for` after a comma", "repeats one element").help(HELP),
            );
        }
        let element = self.take();
        let name = cursor.word("a name", HELP)?;
        if !cursor.eat_word("in") {
            return Err(cursor.unexpected("`in`", HELP));
        }
        self.waiting.push(Waiting::Each {
            open,
            element,
            name,
            from: None,
        });
        Ok(())
    }

    fn otherwise(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<()> {
        self.choices();
        match self.waiting.pop() {
            Some(Waiting::If { then, .. }) => {
                cursor.next();
                let condition = self.take();
                self.waiting.push(Waiting::Else { then, condition });
                Ok(())
            }
            _ => Err(cursor.unexpected("an operator", "a choice is `a if condition else b`")),
        }
    }

    fn infix(&mut self, cursor: &mut Cursor, primitive: Primitive, binds: u8) -> Parsed<()> {
        let sign = cursor.next().span;
        if matches!(cursor.peek(), Token::Number(_))
            && primitive == Primitive::Function(&Function::Multiply)
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

    /// Applies the waiting operators that bind at least as tightly as `binds`, up to a bracket. A comparison is not applied for
    /// another comparison, since comparisons do not chain.
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

    /// Completes the choices whose last part has been read.
    fn choices(&mut self) {
        while let Some(Waiting::Else { then, condition }) = self.waiting.last() {
            let (then, condition) = (*then, *condition);
            self.waiting.pop();
            let otherwise = self.take();
            let span = self.nodes[then].span.start..self.nodes[otherwise].span.end;
            let kind = NodeKind::Choice {
                then,
                condition,
                otherwise,
            };
            self.push(kind, span);
        }
    }

    /// Applies everything up to a bracket.
    fn finish(&mut self, cursor: &Cursor) -> Parsed<()> {
        self.reduce(0)?;
        self.choices();
        match self.waiting.last() {
            Some(Waiting::If { word, .. }) => Err(cursor
                .unexpected("`else`", "a choice has two sides: `a if condition else b`")
                .other(word.clone(), "the choice")),
            _ => Ok(()),
        }
    }

    /// Negates the last value; a number becomes the negative number.
    fn negate(&mut self, start: usize) {
        let top = self.top();
        match &mut self.nodes[top] {
            Node {
                kind: NodeKind::Number(value),
                span,
                ..
            } => {
                *value = -*value;
                span.start = start;
            }
            _ => self.apply(Primitive::Function(&Function::Negate), 1, Some(start)),
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

    /// The bracket that closes the innermost open one.
    fn close(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<()> {
        self.finish(cursor)?;
        let end = cursor.next().span.end;
        let last = self.take();
        let (kind, start) = match self.waiting.pop() {
            Some(Waiting::Group(open)) => {
                self.nodes[last].grouped = true;
                self.nodes[last].span = open.start..end;
                self.values.push(last);
                return Ok(());
            }
            Some(Waiting::Call {
                callee,
                mut before,
                name,
                ..
            }) => {
                before.push(Argument { name, value: last });
                let start = self.nodes[callee].span.start;
                (NodeKind::Call(callee, before), start)
            }
            Some(Waiting::List { open, mut before }) => {
                before.push(last);
                (NodeKind::List(before), open.start)
            }
            Some(Waiting::Each {
                open,
                element,
                name,
                from,
            }) => {
                let (from, to) = match from {
                    Some(from) => (from, Some(last)),
                    None => (last, None),
                };
                let kind = NodeKind::Each {
                    element,
                    name,
                    from,
                    to,
                };
                (kind, open.start)
            }
            Some(Waiting::Index { of, .. }) => {
                (NodeKind::Index(of, last), self.nodes[of].span.start)
            }
            Some(Waiting::Slice { of, .. }) => {
                (NodeKind::Slice(of, last), self.nodes[of].span.start)
            }
            _ => unreachable!("`close` is called inside brackets"),
        };
        self.push(kind, start..end);
        Ok(())
    }

    /// A comma inside brackets; returns whether an operand follows.
    fn comma(&mut self, cursor: &mut Cursor<'_, 'a>) -> Parsed<bool> {
        let comma = cursor.next().span;
        let last = self.take();
        match self.waiting.last_mut() {
            Some(Waiting::Call { before, name, .. }) => {
                let name = std::mem::replace(name, argument_name(cursor)?);
                before.push(Argument { name, value: last });
                Ok(true)
            }
            Some(Waiting::List { before, .. }) => {
                if cursor.peek() == Token::Sign("]") {
                    self.values.push(last);
                    return Ok(false);
                }
                before.push(last);
                Ok(true)
            }
            _ => Err(Diagnostic::new(
                comma,
                "a comma stands between operands of a function",
                "no function here",
            )
            .help("leave it out, or put the name of a function before the parenthesis")),
        }
    }

    /// Ends the expression; it is an error if a bracket is still open.
    fn end(&mut self, cursor: &Cursor) -> Parsed<bool> {
        self.finish(cursor)?;
        let Some(waiting) = self.waiting.pop() else {
            return Ok(false);
        };
        let (sign, open) = match waiting {
            Waiting::Group(open) | Waiting::Call { open, .. } | Waiting::Slice { open, .. } => {
                ("`)`", open)
            }
            Waiting::List { open, .. }
            | Waiting::Each { open, .. }
            | Waiting::Index { open, .. } => ("`]`", open),
            Waiting::Infix(..) | Waiting::Prefix(_) | Waiting::If { .. } | Waiting::Else { .. } => {
                unreachable!("`finish` applies every operator")
            }
        };
        let help = match sign {
            "`)`" => "close the parenthesis, or put an operator here",
            _ => "close the bracket, or put an operator here",
        };
        Err(cursor.unexpected(sign, help).other(open, "opened here"))
    }
}

impl Waiting<'_> {
    fn is_bracket(&self) -> bool {
        !matches!(
            self,
            Waiting::Infix(..) | Waiting::Prefix(_) | Waiting::If { .. } | Waiting::Else { .. }
        )
    }

    /// Whether `]` closes it.
    fn is_list(&self) -> bool {
        matches!(
            self,
            Waiting::List { .. } | Waiting::Each { .. } | Waiting::Index { .. }
        )
    }
}

/// `NAME =` before an argument.
fn argument_name<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Option<Name<'a>>> {
    let named = match (cursor.peek(), cursor.peek_second()) {
        (Token::Word(_), Token::Sign("=")) => true,
        (Token::Word(_), Token::Accumulate(accumulator)) => {
            // `f(a=-1)` reads like an assignment.
            let negative = Accumulator {
                erase: false,
                combine: Combine::Subtract,
            };
            if accumulator == negative {
                cursor.next();
                return Err(cursor.unexpected("`=` with spaces around it", "write `name = -1`"));
            }
            false
        }
        _ => false,
    };
    if !named {
        return Ok(None);
    }
    let name = cursor.word("a name", OPERAND_HELP)?;
    cursor.next();
    Ok(Some(name))
}

/// `[a, b]` after a spec.
pub(crate) fn captured<'a>(cursor: &mut Cursor<'_, 'a>) -> Parsed<Vec<Name<'a>>> {
    const HELP: &str = "brackets behind a spec name the sizes of its labels: `\"n|->c => n|\" [c]`";
    let mut names = Vec::new();
    if !cursor.eat("[") {
        return Ok(names);
    }
    loop {
        names.push(cursor.word("a label of the spec", HELP)?);
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect("]", HELP)?;
    Ok(names)
}

/// Whether a waiting operator is applied before one with precedence `binds` takes its left operand.
fn stronger(waits: u8, binds: u8) -> bool {
    let waits_for_the_right = waits == binds && matches!(binds, COMPARISON | POWER);
    waits >= binds && !waits_for_the_right
}

/// A number in the range of `f32`; it need not be represented exactly.
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
