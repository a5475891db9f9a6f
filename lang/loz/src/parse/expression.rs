//! The parser of expressions: operator precedence with an explicit stack, so that deep expressions do not overflow the
//! call stack. Crates of parser combinators, such as `winnow` and `chumsky`, were not tried: a rule that contains
//! itself, as brackets do, is a recursive function there.
//!
//! | file | what it does |
//! |---|---|
//! | `expression/operators.rs` | operators and choices, by precedence |
//! | `expression/brackets.rs` | brackets: calls, lists, positions |

mod brackets;
mod operators;

use super::cursor::Cursor;
use super::number::number;
use super::token::Token;
use crate::diagnostic::{Diagnostic, Parsed, brief};
use crate::syntax::operator::{INFIX, Primitive};
use crate::syntax::{Arguments, Expression, Few, Name, Node, NodeKind, Place, is_keyword};
use lozenge_vocabulary::program::Span;
use smallvec::SmallVec;

/// The advice for `w -= g`, as other languages write an update.
const UPDATE_HELP: &str =
    "an update has its operator behind the sign: `w =- 0.1 *. w.grad`; `==` compares";

const LAMBDA_HELP: &str = "functions have names: put `def f(a): a + 1` above, and write `f` here";
const QUOTIENT_HELP: &str = "the whole part of a quotient is `floor(a / b)`";
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
        before: Arguments<'a>,
        name: Option<Box<Name<'a>>>,
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
    /// `of @| (` with the places before the one being read.
    Slice {
        of: usize,
        open: Span,
        before: Vec<Place>,
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
pub(crate) fn expression<'a>(cursor: &mut Cursor<'a>) -> Parsed<Expression<'a>> {
    // All expressions are built in the same buffer, one after the other, and each is then copied to one of the right
    // size.
    let mut parser = Parser {
        nodes: std::mem::take(&mut cursor.spare),
        values: std::mem::take(&mut cursor.spare_values),
        ..Parser::default()
    };
    loop {
        parser.operand(cursor)?;
        if !parser.after_operand(cursor)? {
            let mut nodes = Vec::with_capacity(parser.nodes.len());
            nodes.append(&mut parser.nodes);
            parser.values.clear();
            (cursor.spare, cursor.spare_values) = (parser.nodes, parser.values);
            return Ok(Expression { nodes });
        }
    }
}

/// Expressions with commas between them.
pub(crate) fn expressions<'a>(cursor: &mut Cursor<'a>) -> Parsed<Few<Expression<'a>>> {
    let mut all = Few::One(expression(cursor)?);
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
    waiting: SmallVec<[Waiting<'a>; 4]>,
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

    /// Returns the last value, which the parser has just read.
    fn top(&self) -> usize {
        self.values[self.values.len() - 1]
    }

    fn take(&mut self) -> usize {
        self.values.pop().expect("an operand was read")
    }

    /// Reads prefixes and opening brackets, then a name, a number or a text.
    fn operand(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
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
                Token::Word(name) if is_keyword(name) => {
                    return Err(Diagnostic::new(
                        span,
                        format!("`{name}` begins a statement"),
                        "no operand",
                    )
                    .help(match name {
                        "size" => "the number of cells is `count(x)`; a size is given a name on a line of its own, `size n = 8`",
                        _ => "put it on a line of its own",
                    }));
                }
                Token::Word("lambda") if matches!(cursor.peek_second(), Token::Word(_)) => {
                    return Err(cursor.unexpected("an operand", LAMBDA_HELP));
                }
                Token::Word(name) => {
                    cursor.next();
                    self.push(NodeKind::Name(name), span);
                    return Ok(());
                }
                Token::Sign("=") if cursor.before() == Some(Token::Sign("..")) => {
                    return Err(inclusive(cursor));
                }
                Token::Sign("=") => return Err(cursor.unexpected("an operand", UPDATE_HELP)),
                Token::Sign(":") if self.is_index() => return Err(no_range(cursor)),
                Token::Sign("/") => return Err(cursor.unexpected("an operand", QUOTIENT_HELP)),
                _ => return Err(cursor.unexpected("an operand", OPERAND_HELP)),
            }
            cursor.next();
        }
    }

    /// Reads a number, or a size with a basis.
    fn number(&mut self, cursor: &mut Cursor<'a>, text: &'a str, span: Span) -> Parsed<()> {
        let based = match cursor.peek_second() {
            Token::Word(word) => word.starts_with('_') && cursor.second_span().start == span.end,
            _ => false,
        };
        if based {
            let dim = super::extent::size(cursor, text)?;
            self.push(NodeKind::Size(dim), span.start..cursor.end());
            return Ok(());
        }
        cursor.next();
        let value = number(text, span.clone())?;
        if let Token::Word(word) = cursor.peek()
            && cursor.span().start == span.end
            && !is_keyword(word)
        {
            let (text, word) = (brief(text), brief(word));
            return Err(Diagnostic::new(
                span.start..cursor.span().end,
                format!("a number and `{word}` with nothing between them"),
                "a name begins with a letter, and a product has a sign",
            )
            .edit(
                format!("write `{text} *. {word}`"),
                span.end..span.end,
                " *. ",
            ));
        }
        self.push(NodeKind::Number(value), span);
        Ok(())
    }

    /// Closes the constructs that end after an operand. Returns true if another operand follows.
    fn after_operand(&mut self, cursor: &mut Cursor<'a>) -> Parsed<bool> {
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

    fn field(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
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

    /// Tells whether the innermost bracket is that of an index.
    fn is_index(&self) -> bool {
        matches!(self.waiting.last(), Some(Waiting::Index { .. }))
    }

    /// Ends the expression; it is an error if a bracket is still open.
    fn end(&mut self, cursor: &Cursor) -> Parsed<bool> {
        self.finish(cursor)?;
        if cursor.peek() == Token::Sign(":") && self.is_index() {
            return Err(no_range(cursor));
        }
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

/// Returns the error about `..=`, with which a range contains its bound in other languages.
fn inclusive(cursor: &Cursor) -> Diagnostic {
    let sign = cursor.span();
    let error = Diagnostic::new(
        sign.clone(),
        "a range ends before its bound",
        "`=` stands here",
    );
    match cursor.peek_second() {
        Token::Number(bound) if let Ok(last) = bound.parse::<u32>() => {
            let next = u64::from(last) + 1;
            error.edit(
                format!("`..{next}` contains {last}, as its last number"),
                sign.start..cursor.second_span().end,
                next.to_string(),
            )
        }
        _ => error.help("leave the `=` out, and write a bound that is 1 more: `1..4` is 1, 2, 3"),
    }
}

/// Returns the error that brackets contain a range of places, as in NumPy.
fn no_range(cursor: &Cursor) -> Diagnostic {
    Diagnostic::new(
        cursor.span(),
        "brackets take no range of an axis",
        "`:` stands here",
    )
    .help(
        "a spec takes it, here the first two of a batch: `map(x, \"a:2^_|->c => a|->c\")`; one place is `x @| 0`, or a number in a spec: `map(x, \"n|->0 => n|\")`",
    )
}

/// Reads `[a, b]` after a spec.
pub(crate) fn captured<'a>(cursor: &mut Cursor<'a>) -> Parsed<Vec<Name<'a>>> {
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
