//! Operators and choices: a waiting operator is applied as soon as one follows that does not bind more tightly.

use lozenge_vocabulary::operation::Function;

use super::{Parser, Waiting};
use crate::diagnostic::{Diagnostic, Parsed};
use crate::parse::cursor::Cursor;
use crate::parse::token::Token;
use crate::syntax::operator::{COMPARISON, POWER, PREFIX, Primitive};
use crate::syntax::{Node, NodeKind, Operands};

impl<'a> Parser<'a> {
    pub(super) fn otherwise(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
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

    pub(super) fn infix(
        &mut self,
        cursor: &mut Cursor,
        primitive: Primitive,
        binds: u8,
    ) -> Parsed<()> {
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

    /// Applies the waiting operators that bind at least as tightly as `binds`, up to a bracket. A comparison is not
    /// applied for another comparison, since comparisons do not chain.
    pub(super) fn reduce(&mut self, binds: u8) -> Parsed<()> {
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
    pub(super) fn choices(&mut self) {
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
    pub(super) fn finish(&mut self, cursor: &Cursor) -> Parsed<()> {
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
    pub(super) fn negate(&mut self, start: usize) {
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
    pub(super) fn apply(&mut self, primitive: Primitive, arity: usize, start: Option<usize>) {
        let operands: Operands = self.values.drain(self.values.len() - arity..).collect();
        let (first, last) = (operands[0], operands[arity - 1]);
        let start = start.unwrap_or(self.nodes[first].span.start);
        let span = start..self.nodes[last].span.end;
        self.push(NodeKind::Apply(primitive, operands), span);
    }
}

/// Tells whether a waiting operator is applied before one with precedence `binds` takes its left operand.
fn stronger(waits: u8, binds: u8) -> bool {
    let waits_for_the_right = waits == binds && matches!(binds, COMPARISON | POWER);
    waits >= binds && !waits_for_the_right
}
