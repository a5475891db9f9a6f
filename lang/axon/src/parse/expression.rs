//! Statements and expressions, read with a stack of the open parts.

use lozenge_diagnostic::nearest_name::nearest;
use lozenge_diagnostic::{Diagnostic, Parsed, brief};

use super::Parser;
use super::pattern::Written;
use crate::Span;
use crate::syntax::{FunctionId, Node, NodeId, NodeKind, Number};
use crate::table;
use crate::token::Token;

/// Something that is open: it ends behind the expression that is read.
enum Open<'t> {
    /// A statement that binds.
    Binding(Written<'t>, usize),
    /// The values of `print`.
    Print(Vec<NodeId>, usize),
    /// The body of a function.
    Body(FunctionId),
    /// The results of a function.
    Results(Vec<NodeId>),
    /// A parenthesis.
    Parenthesis(Vec<NodeId>, usize),
    /// The arguments of a call.
    Arguments(NodeId, Vec<NodeId>),
    /// An operator between two expressions, of which the left one was read.
    Operator(&'static str, Span, NodeId),
}

/// The part of the text that is read next.
enum Next {
    Statement,
    Operand,
    /// The rest behind an expression.
    After(NodeId),
}

/// Reads all statements of a text.
pub(super) fn statements(parser: &mut Parser<'_>) -> Parsed<()> {
    let mut open = Vec::new();
    let mut next = Next::Statement;
    loop {
        next = match next {
            Next::Statement => match open.last() {
                None if parser.cursor.peek().is_none() => return Ok(()),
                None => parser.at_top(&mut open)?,
                Some(_) => parser.in_body(&mut open)?,
            },
            Next::Operand => parser.operand(&mut open)?,
            Next::After(node) => parser.after(node, &mut open)?,
        };
    }
}

impl<'t> Parser<'t> {
    /// Adds a node.
    pub(super) fn node(&mut self, kind: NodeKind, span: Span) -> NodeId {
        self.program.nodes.push(Node { kind, span });
        self.program.nodes.len() - 1
    }

    fn at_top(&mut self, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        let start = self.cursor.span().start;
        let behind = self.cursor.ahead(1);
        match self.cursor.peek() {
            Some(Token::Word("data")) if matches!(behind, Some(Token::Word(_))) => {
                self.data()?;
                Ok(Next::Statement)
            }
            Some(Token::Word("print"))
                if !matches!(behind, Some(Token::Sign("=" | ",")) | None) =>
            {
                self.cursor.advance();
                open.push(Open::Print(Vec::new(), start));
                Ok(Next::Operand)
            }
            _ if self.cursor.binds() => self.binding(open),
            _ => Err(self
                .cursor
                .unexpected("a statement, such as `f = fn(x) { x }`,")
                .help("every result has a name at the top of a program: write `NAME = …`")),
        }
    }

    /// Reads the left side of a statement that binds.
    fn binding(&mut self, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        let start = self.cursor.span().start;
        let pattern = self.pattern(0)?;
        self.cursor.expect("=", "behind what is bound")?;
        let mut names = Vec::new();
        pattern.names(&mut names);
        self.names.being_bound.push(names);
        open.push(Open::Binding(pattern, start));
        Ok(Next::Operand)
    }

    fn in_body(&mut self, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        if self.cursor.binds() {
            return self.binding(open);
        }
        if self.cursor.is("}") {
            return Err(self
                .cursor
                .unexpected("a result")
                .help("a function ends with its results, such as `a, b`"));
        }
        open.push(Open::Results(Vec::new()));
        Ok(Next::Operand)
    }

    /// Reads an expression up to its first part that has a value.
    fn operand(&mut self, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        let span = self.cursor.span();
        match self.cursor.peek() {
            Some(Token::Word("fn")) => {
                let function = self.header()?;
                open.push(Open::Body(function));
                Ok(Next::Statement)
            }
            Some(Token::Word("inf")) => {
                self.cursor.advance();
                Ok(Next::After(self.number(f64::INFINITY, true, span)))
            }
            Some(Token::Word(text)) => {
                self.cursor.advance();
                Ok(Next::After(self.name(text, span)))
            }
            Some(Token::Number(text)) => {
                self.cursor.advance();
                let number = number(text, &span)?;
                Ok(Next::After(self.number(
                    number.value,
                    number.is_float,
                    span,
                )))
            }
            Some(Token::Sign("(")) => {
                self.cursor.advance();
                open.push(Open::Parenthesis(Vec::new(), span.start));
                Ok(Next::Operand)
            }
            Some(Token::Sign(sign @ ("+" | "-" | "*" | "/"))) => self.sign(sign),
            _ => Err(self.cursor.unexpected("an expression")),
        }
    }

    /// Reads a sign in place of an expression: an operator as a value, or a number with a sign.
    fn sign(&mut self, sign: &'static str) -> Parsed<Next> {
        let start = self.cursor.advance();
        let span = self.cursor.span();
        let whole = start.start..span.end;
        match self.cursor.peek() {
            Some(Token::Sign("," | ")")) => {
                let operator = NodeKind::Operator(sign.into());
                Ok(Next::After(self.node(operator, start)))
            }
            Some(Token::Number(text)) if sign == "-" => {
                self.cursor.advance();
                let number = number(text, &span)?;
                Ok(Next::After(self.number(
                    -number.value,
                    number.is_float,
                    whole,
                )))
            }
            Some(Token::Word("inf")) if sign == "-" => {
                self.cursor.advance();
                Ok(Next::After(self.number(f64::NEG_INFINITY, true, whole)))
            }
            _ => Err(Diagnostic::new(
                start,
                format!("`{sign}` has no expression on its left"),
                "this operator",
            )
            .help(match sign {
                "-" => "write `neg(x)` for the negative of `x`",
                _ => "operators stand between two expressions, or alone as an argument",
            })),
        }
    }

    fn number(&mut self, value: f64, is_float: bool, span: Span) -> NodeId {
        self.node(NodeKind::Number(Number { value, is_float }), span)
    }

    /// Looks up a name.
    fn name(&mut self, text: &'t str, span: Span) -> NodeId {
        if let Some(name) = self.names.find(text) {
            if let Some(owner) = self.program.names[name].owner {
                let inner = self.names.functions();
                for function in inner.take_while(|function| *function != owner) {
                    self.program.functions[function].captured.push(name);
                }
            }
            return self.node(NodeKind::Name(name), span);
        }
        if table::is_operator(text) {
            return self.node(NodeKind::Operator(text.into()), span);
        }
        let error = self.unbound(text, &span);
        self.errors.push(error);
        self.number(0.0, false, span)
    }

    fn unbound(&self, text: &'t str, span: &Span) -> Diagnostic {
        let shown = brief(text);
        let is_inside = self.names.innermost().is_some();
        if is_inside
            && self
                .names
                .being_bound
                .iter()
                .flatten()
                .any(|name| *name == text)
        {
            return Diagnostic::new(
                span.clone(),
                format!("`{shown}` is used in its own definition"),
                "a function cannot call itself",
            )
            .help("use `loop`, `map` or `reduce` to repeat a computation");
        }
        let error = Diagnostic::new(span.clone(), format!("`{shown}` is not bound"), "this name");
        if let Some(below) = self.cursor.bound_below(text) {
            return error
                .other(below, "it is bound here")
                .help("move its statement above this one");
        }
        let mut known: Vec<&str> = self.names.all().collect();
        table::names().for_each(|name| known.push(name));
        known.sort_unstable();
        match nearest(text, known) {
            Some(near) => error.edit(format!("did you mean `{near}`?"), span.clone(), near),
            None => error.help(format!(
                "make it a parameter, or give it a value: `data {shown} : f32 [3] = [1, 2, 3]`"
            )),
        }
    }

    /// Reads what stands behind an expression.
    fn after(&mut self, node: NodeId, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        match self.cursor.peek() {
            Some(Token::Sign("(")) => {
                self.cursor.advance();
                open.push(Open::Arguments(node, Vec::new()));
                if self.cursor.is(")") {
                    return self.finished(None, open);
                }
                Ok(Next::Operand)
            }
            Some(Token::Sign(sign @ ("+" | "-" | "*" | "/"))) => {
                let left = self.applied(node, precedence(sign), open);
                let span = self.cursor.advance();
                open.push(Open::Operator(sign, span, left));
                Ok(Next::Operand)
            }
            _ => {
                let node = self.applied(node, 0, open);
                self.finished(Some(node), open)
            }
        }
    }

    /// Applies the operators that bind at least as tightly as `precedence`.
    fn applied(&mut self, node: NodeId, least: u8, open: &mut Vec<Open<'t>>) -> NodeId {
        let mut right = node;
        while let Some(&Open::Operator(sign, _, left)) = open.last()
            && precedence(sign) >= least
        {
            let Some(Open::Operator(sign, place, _)) = open.pop() else {
                break;
            };
            let span = self.program.nodes[left].span.start..self.program.nodes[right].span.end;
            let callee = self.node(NodeKind::Operator(sign.into()), place);
            let arguments = vec![left, right];
            right = self.node(NodeKind::Call { callee, arguments }, span);
        }
        right
    }

    /// Gives an expression that is complete to what is open around it.
    fn finished(&mut self, node: Option<NodeId>, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        let more = node.is_some() && self.cursor.is(",");
        match open.last_mut() {
            Some(
                Open::Print(values, _)
                | Open::Results(values)
                | Open::Parenthesis(values, _)
                | Open::Arguments(_, values),
            ) => {
                values.extend(node);
                if more {
                    self.cursor.advance();
                    return Ok(Next::Operand);
                }
            }
            Some(Open::Binding(..) | Open::Body(_) | Open::Operator(..)) | None => {}
        }
        match (open.pop(), node) {
            (Some(Open::Binding(pattern, start)), Some(node)) => {
                self.bound_to(pattern, start, node, open)
            }
            (Some(Open::Print(values, start)), _) => {
                self.cursor.takes(";");
                let span = start..self.cursor.last_end();
                self.node(NodeKind::Print(values), span);
                Ok(Next::Statement)
            }
            (Some(Open::Results(values)), _) => {
                self.cursor.takes(";");
                self.function_ended(values, open)
            }
            (Some(Open::Parenthesis(values, start)), _) => {
                self.cursor
                    .expect(")", "or `,` behind an expression in parentheses")?;
                let span = start..self.cursor.last_end();
                Ok(Next::After(self.together(values, span)))
            }
            (Some(Open::Arguments(callee, arguments)), _) => {
                self.cursor.expect(")", "or `,` behind an argument")?;
                let span = self.program.nodes[callee].span.start..self.cursor.last_end();
                let call = NodeKind::Call { callee, arguments };
                Ok(Next::After(self.node(call, span)))
            }
            _ => Err(self.cursor.unexpected("a statement")),
        }
    }

    /// Makes one value of one or several.
    fn together(&mut self, values: Vec<NodeId>, span: Span) -> NodeId {
        match values.as_slice() {
            [single] => *single,
            _ => self.node(NodeKind::Tuple(values), span),
        }
    }

    /// Ends a statement that binds. In a function a `;` ends it, at the top it may.
    fn bound_to(
        &mut self,
        pattern: Written<'t>,
        start: usize,
        node: NodeId,
        open: &[Open<'t>],
    ) -> Parsed<Next> {
        self.names.being_bound.pop();
        let pattern = self.bound(pattern);
        let span = start..self.cursor.last_end();
        self.node(NodeKind::Bind(pattern, node), span);
        if !self.cursor.takes(";") && !open.is_empty() {
            return Err(self
                .cursor
                .unexpected("`;` behind a statement of a function"));
        }
        Ok(Next::Statement)
    }

    fn function_ended(&mut self, values: Vec<NodeId>, open: &mut Vec<Open<'t>>) -> Parsed<Next> {
        self.cursor.expect("}", "at the end of a function")?;
        let Some(Open::Body(function)) = open.pop() else {
            return Err(self.cursor.unexpected("a statement"));
        };
        let end = self.cursor.last_end();
        let span = match (values.first(), values.last()) {
            (Some(first), Some(last)) => {
                self.program.nodes[*first].span.start..self.program.nodes[*last].span.end
            }
            _ => end..end,
        };
        let result = self.together(values, span);
        self.names.leave();
        let nodes = self.program.nodes.len();
        let made = &mut self.program.functions[function];
        made.result = result;
        made.body.end = nodes;
        made.span.end = end;
        made.captured.sort_unstable();
        made.captured.dedup();
        let span = made.span.clone();
        Ok(Next::After(self.node(NodeKind::Function(function), span)))
    }
}

/// Returns how tightly an operator binds.
fn precedence(sign: &str) -> u8 {
    match sign {
        "*" | "/" => 2,
        _ => 1,
    }
}

/// Reads a number: an `f`, a fraction or an exponent makes it an `f32`.
pub(super) fn number(text: &str, span: &Span) -> Parsed<Number> {
    let digits = text.strip_suffix('f').unwrap_or(text);
    let is_float = digits.len() < text.len() || text.contains(['.', 'e', 'E']);
    match digits.parse() {
        Ok(value) => Ok(Number { value, is_float }),
        Err(_) => Err(Diagnostic::new(
            span.clone(),
            format!("`{}` is not a number", brief(text)),
            "this number",
        )
        .help("numbers are written `2`, `0.5` or `1e-3`, with an `f` behind those that are `f32`")),
    }
}
