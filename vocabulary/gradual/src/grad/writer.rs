//! Programs as texts. Written text reads back.

use std::fmt;

use crate::name::is_plain_in_program;
use crate::{Body, Declaration, Expression, ExpressionId, Observation, Program, Restriction};

/// A part that is still to be written.
enum Piece<'b> {
    Expression(ExpressionId),
    Observation(&'b Observation),
    Text(String),
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut waiting = vec![Piece::Expression(self.root())];
        while let Some(next) = waiting.pop() {
            let pieces = match next {
                Piece::Text(text) => {
                    f.write_str(&text)?;
                    continue;
                }
                Piece::Expression(at) => expression(&self[at]),
                Piece::Observation(observed) => observation(observed),
            };
            waiting.extend(pieces.into_iter().rev());
        }
        Ok(())
    }
}

fn text<'b>(text: impl Into<String>) -> Piece<'b> {
    Piece::Text(text.into())
}

/// Gives an expression piece by piece.
fn expression(expression: &Expression) -> Vec<Piece<'_>> {
    match expression {
        Expression::Variable(name) => vec![text(Name(name).to_string())],
        Expression::Reshape { of, target } => vec![
            text("reshape("),
            Piece::Expression(*of),
            text(format!(", {target})")),
        ],
        Expression::Conv2d {
            in_channels,
            out_channels,
            kernel,
            of,
        } => {
            let kernel: Vec<String> = kernel.iter().map(ToString::to_string).collect();
            let kernel = kernel.join(", ");
            vec![
                text(format!(
                    "conv2d({in_channels}, {out_channels}, ({kernel}), "
                )),
                Piece::Expression(*of),
                text(")"),
            ]
        }
        Expression::Add(left, right) => vec![
            text("add("),
            Piece::Expression(*left),
            text(", "),
            Piece::Expression(*right),
            text(")"),
        ],
        Expression::If {
            condition,
            then,
            otherwise,
        } => vec![
            text("if "),
            Piece::Observation(&condition.left),
            text(format!(" {} ", condition.relation)),
            Piece::Observation(&condition.right),
            text(" then "),
            Piece::Expression(*then),
            text(" else "),
            Piece::Expression(*otherwise),
        ],
    }
}

fn observation(observation: &Observation) -> Vec<Piece<'_>> {
    match observation {
        Observation::Number(number) => vec![text(number.to_string())],
        Observation::Rank(of) => vec![text("dim("), Piece::Expression(*of), text(")")],
        Observation::Size { of, axis } => vec![
            text("size("),
            Piece::Expression(*of),
            text(format!(")[{axis}]")),
        ],
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : {}", Name(&self.name), self.annotation)
    }
}

impl fmt::Display for Restriction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Restriction::Holds(condition) => write!(f, "{condition}"),
            Restriction::Static { of, axis } => {
                write!(f, "{}", crate::condition::Name(of))?;
                if let Some(axis) = axis {
                    write!(f, "[{axis}]")?;
                }
                f.write_str(" static")
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for declaration in &self.declarations {
            writeln!(f, "{declaration}")?;
        }
        for (place, restriction) in self.restrictions.iter().enumerate() {
            let before = if place == 0 { "where " } else { ", " };
            write!(f, "{before}{restriction}")?;
        }
        if !self.restrictions.is_empty() {
            writeln!(f)?;
        }
        writeln!(f, "return {}", self.body)
    }
}

/// A name, in quotes where it would not be read as one.
struct Name<'n>(&'n str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match is_plain_in_program(self.0) {
            true => f.write_str(self.0),
            false => {
                let escaped = self.0.replace('\\', "\\\\").replace('\'', "\\'");
                write!(f, "'{escaped}'")
            }
        }
    }
}
