//! Types, shapes and dimensions as written.

use lozenge_axon_vocabulary::Op;
use lozenge_diagnostic::{Diagnostic, Parsed, brief};

use super::cursor::Cursor;
use crate::Span;
use crate::syntax::{Dim, Part, Shape, Type, Word};
use crate::token::Token;

/// The deepest nesting of types and of dimensions.
pub(crate) const DEEPEST: usize = 64;

/// The largest number of operators in one dimension.
const LARGEST: usize = 256;

impl<'t> Cursor<'t> {
    /// Reads a type.
    pub(crate) fn type_at(&mut self, depth: usize) -> Parsed<Type> {
        let start = self.span().start;
        if self.is("(") {
            self.shallow(depth)?;
            self.advance();
            let types = self.types(depth + 1)?;
            let result = match self.takes("->") {
                true => Some(self.result_type(depth + 1)?),
                false => None,
            };
            self.expect(")", "at the end of the type")?;
            let span = start..self.last_end();
            return Ok(match result {
                Some(result) => Type::Function(types, Box::new(result), span),
                None => match <[Type; 1]>::try_from(types) {
                    Ok([single]) => single,
                    Err(types) => Type::Tuple(types, span),
                },
            });
        }
        if self.takes("?") {
            let (text, span) = self.word("the name of a type")?;
            return Ok(Type::Any(named(text, span)));
        }
        let (text, span) = self.word("a type, such as `f32 [n]`,")?;
        let element = named(text, span);
        let shape = match self.begins_shape() {
            true => self.shape(depth)?,
            false => Shape {
                parts: Vec::new(),
                span: element.span.end..element.span.end,
            },
        };
        Ok(Type::Tensor { element, shape })
    }

    /// Reads the type of a parameter: a function of one argument needs no parentheses.
    pub(super) fn parameter_type(&mut self) -> Parsed<Type> {
        let start = self.span().start;
        let first = self.type_at(0)?;
        if !self.takes("->") {
            return Ok(first);
        }
        let result = self.type_at(1)?;
        let span = start..self.last_end();
        Ok(Type::Function(vec![first], Box::new(result), span))
    }

    /// Reads several types with commas between them.
    pub(crate) fn types(&mut self, depth: usize) -> Parsed<Vec<Type>> {
        let mut types = vec![self.type_at(depth)?];
        while self.takes(",") {
            types.push(self.type_at(depth)?);
        }
        Ok(types)
    }

    /// Reads the result of a function: several types are a tuple.
    pub(crate) fn result_type(&mut self, depth: usize) -> Parsed<Type> {
        let start = self.span().start;
        let types = self.types(depth)?;
        Ok(match <[Type; 1]>::try_from(types) {
            Ok([single]) => single,
            Err(types) => Type::Tuple(types, start..self.last_end()),
        })
    }

    fn begins_shape(&self) -> bool {
        match self.peek() {
            Some(Token::Word(word)) => word != "from",
            Some(Token::Rigid(_)) => true,
            Some(Token::Sign(sign)) => matches!(sign, "[" | ".." | "?"),
            _ => false,
        }
    }

    /// Reads a shape: its parts with `@` between them.
    pub(crate) fn shape(&mut self, depth: usize) -> Parsed<Shape> {
        let start = self.span().start;
        let mut parts = vec![self.part(depth)?];
        while self.takes("@") {
            parts.push(self.part(depth)?);
        }
        let span = start..self.last_end();
        Ok(Shape { parts, span })
    }

    fn part(&mut self, depth: usize) -> Parsed<Part> {
        let span = self.span();
        match self.peek() {
            Some(Token::Word(text)) => Ok(Part::Name(named(text, self.advance()))),
            Some(Token::Rigid(text)) => Ok(Part::Name(rigid(text, self.advance()))),
            Some(Token::Sign("..")) => {
                self.advance();
                Ok(Part::Any(span))
            }
            Some(Token::Sign("[")) => {
                self.advance();
                let mut axes = Vec::new();
                while !self.takes("]") {
                    axes.push(self.axis(depth)?);
                    if !self.is("]") {
                        self.expect(",", "between axes")?;
                    }
                }
                Ok(Part::Axes(axes))
            }
            Some(Token::Sign("?")) => Err(self
                .unexpected("a shape, such as `[n]` or `s`,")
                .help("the rank of a tensor is known before it is computed; only a dimension may be known later, `[?n]`")),
            _ => Err(self.unexpected("a shape, such as `[n]` or `s`,")),
        }
    }

    /// Reads the dimension of an axis, which is at least 1 if it is constant.
    fn axis(&mut self, depth: usize) -> Parsed<Dim> {
        let mut left = LARGEST;
        let dim = self.dim(depth, &mut left)?;
        match constant(&dim)? {
            Some(value) if value < 1 => Err(Diagnostic::new(
                dim.span(),
                format!("a dimension is at least 1, and this one is {value}"),
                "this dimension",
            )
            .help("leave the axis out, or give it a size of at least 1")),
            _ => Ok(dim),
        }
    }

    /// Reads sums and differences. `left` counts the operators that may still follow.
    fn dim(&mut self, depth: usize, left: &mut usize) -> Parsed<Dim> {
        let mut sum = self.product(depth, left)?;
        while let Some(Token::Sign(sign @ ("+" | "-"))) = self.peek() {
            let place = self.advance();
            let other = self.product(depth, left)?;
            sum = operator(sign, place, sum, other, left)?;
        }
        Ok(sum)
    }

    fn product(&mut self, depth: usize, left: &mut usize) -> Parsed<Dim> {
        let mut product = self.factor(depth, left)?;
        while let Some(Token::Sign(sign @ ("*" | "/"))) = self.peek() {
            let place = self.advance();
            let other = self.factor(depth, left)?;
            product = operator(sign, place, product, other, left)?;
        }
        Ok(product)
    }

    fn factor(&mut self, depth: usize, left: &mut usize) -> Parsed<Dim> {
        let span = self.span();
        match self.peek() {
            Some(Token::Number(text)) => {
                self.advance();
                Ok(Dim::Number(whole(text, &span)?, span))
            }
            Some(Token::Word("_")) => Ok(Dim::Any(self.advance())),
            Some(Token::Word(text)) => Ok(Dim::Name(named(text, self.advance()))),
            Some(Token::Rigid(text)) => Ok(Dim::Name(rigid(text, self.advance()))),
            Some(Token::Sign("*")) => Ok(Dim::Ragged(self.advance())),
            Some(Token::Sign("?")) => {
                self.advance();
                let (text, name) = self.word("the name of a dimension, such as `?n`,")?;
                let name = named(&format!("?{text}"), span.start..name.end);
                Ok(Dim::Runtime(name))
            }
            Some(Token::Sign("(")) => {
                self.shallow(depth)?;
                self.advance();
                let inner = self.in_parentheses(depth + 1, span.start, left)?;
                self.expect(")", "at the end of the dimension")?;
                Ok(inner)
            }
            _ => Err(self.unexpected("a dimension, such as `3`, `n` or `(+ n 1)`,")),
        }
    }

    /// Reads what stands between parentheses: an operator before its operands, or a dimension.
    fn in_parentheses(&mut self, depth: usize, start: usize, left: &mut usize) -> Parsed<Dim> {
        let Some(Token::Sign(sign @ ("+" | "-" | "*" | "/"))) = self.peek() else {
            return self.dim(depth, left);
        };
        let place = self.advance();
        let first = self.factor(depth, left)?;
        let second = self.factor(depth, left)?;
        let mut made = operator(sign, place, first, second, left)?;
        if let Dim::Operator(_, _, _, span) = &mut made {
            *span = start..self.span().end;
        }
        Ok(made)
    }

    /// Refuses to nest deeper than [`DEEPEST`].
    fn shallow(&self, depth: usize) -> Parsed<()> {
        match depth < DEEPEST {
            true => Ok(()),
            false => Err(Diagnostic::new(
                self.span(),
                format!("types and dimensions nest at most {DEEPEST} deep"),
                "this parenthesis is nested deeper",
            )
            .help("name an inner part by a name of its own")),
        }
    }
}

fn named(text: &str, span: Span) -> Word {
    Word {
        text: text.into(),
        is_rigid: false,
        span,
    }
}

fn rigid(text: &str, span: Span) -> Word {
    Word {
        is_rigid: true,
        ..named(text, span)
    }
}

/// Makes an operator of two dimensions.
fn operator(sign: &str, place: Span, first: Dim, second: Dim, left: &mut usize) -> Parsed<Dim> {
    let Some(fewer) = left.checked_sub(1) else {
        return Err(Diagnostic::new(
            place,
            format!("a dimension has at most {LARGEST} operators"),
            "this one is more",
        )
        .help("give a part of it a name"));
    };
    *left = fewer;
    if sign == "/" && constant(&second)? == Some(0) {
        return Err(Diagnostic::new(
            second.span(),
            "a dimension is divided by 0",
            "this divisor is 0",
        )
        .help("divide by a number of at least 1"));
    }
    let sign = sign.chars().next().unwrap_or('+');
    let span = first.span().start.min(place.start)..second.span().end;
    Ok(Dim::Operator(sign, Box::new(first), Box::new(second), span))
}

/// Reads a whole number without a zero before it.
fn whole(text: &str, span: &Span) -> Parsed<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!(
            "a dimension is a whole number, and `{}` is none",
            brief(text)
        );
        return Err(Diagnostic::new(span.clone(), message, "this number")
            .help("write digits alone, such as `3`"));
    }
    if text.len() > 1 && text.starts_with('0') {
        let shorter = match text.trim_start_matches('0') {
            "" => "0",
            digits => digits,
        };
        let message = format!("`{}` begins with a zero that means nothing", brief(text));
        return Err(Diagnostic::new(span.clone(), message, "this number").edit(
            format!("write `{}`", brief(shorter)),
            span.clone(),
            shorter,
        ));
    }
    text.parse().map_err(|_| {
        let message = format!("`{}` does not fit 64 bits", brief(text));
        Diagnostic::new(span.clone(), message, "this dimension")
            .help(format!("the largest dimension is {}", i64::MAX))
    })
}

/// Returns the operator of a sign.
pub(crate) fn operation(sign: char) -> Op {
    match sign {
        '-' => Op::Subtract,
        '*' => Op::Multiply,
        '/' => Op::Divide,
        _ => Op::Add,
    }
}

/// Computes a dimension without names; none if it has some.
///
/// # Errors
/// If a number on the way does not fit 64 bits; the message names the expression.
fn constant(dim: &Dim) -> Parsed<Option<i64>> {
    let Dim::Operator(sign, first, second, span) = dim else {
        return Ok(match dim {
            Dim::Number(number, _) => Some(*number),
            _ => None,
        });
    };
    let (Some(first), Some(second)) = (constant(first)?, constant(second)?) else {
        return Ok(None);
    };
    let value = operation(*sign).apply(first.into(), second.into());
    match value.and_then(|value| i64::try_from(value).ok()) {
        Some(value) => Ok(Some(value)),
        None => Err(Diagnostic::new(
            span.clone(),
            format!("`({sign} {first} {second})` does not fit 64 bits"),
            "this dimension",
        )
        .help(format!("the largest dimension is {}", i64::MAX))),
    }
}
