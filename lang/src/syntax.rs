//! A program as it is written: one statement a line, names not yet looked up.

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Accumulator, Shape};

use crate::operator::Primitive;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::Values;

/// The words that begin a statement. They are no names.
pub(crate) const KEYWORDS: [&str; 4] = ["data", "param", "const", "let"];

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// One line of a program.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    /// `data NAME : SHAPE from …` and `data NAME : SHAPE = …`.
    Data {
        name: Name<'a>,
        shape: Shape<Vec<Dim>>,
        values: Values,
    },
    /// `param NAME` and `param NAME = NUMBER`.
    Param {
        name: Name<'a>,
        initial: Option<f64>,
    },
    /// `const NAME = NUMBER`.
    Constant { name: Name<'a>, value: f64 },
    /// `let NAME = EXPRESSION`.
    Let {
        name: Name<'a>,
        expression: Expression<'a>,
    },
    /// `NAME =:+ EXPRESSION` with an optional spec.
    Assign {
        name: Name<'a>,
        accumulator: Accumulator,
        expression: Expression<'a>,
        logic: Option<Logic>,
    },
}

impl<'a> Statement<'a> {
    /// The tensor that the statement defines or writes.
    pub(crate) fn name(&self) -> &Name<'a> {
        match self {
            Statement::Data { name, .. }
            | Statement::Param { name, .. }
            | Statement::Constant { name, .. }
            | Statement::Let { name, .. }
            | Statement::Assign { name, .. } => name,
        }
    }

    /// Whether the statement defines its tensor, and does not update one.
    pub(crate) fn defines(&self) -> bool {
        !matches!(self, Statement::Assign { accumulator, .. } if !accumulator.erase)
    }
}

/// An expression as a list in which operands come before what reads them; the last node is the whole.
///
/// A list and not a tree: the depth of an expression costs no stack.
#[derive(Debug)]
pub(crate) struct Expression<'a> {
    pub nodes: Vec<Node<'a>>,
}

impl<'a> Expression<'a> {
    pub(crate) fn root(&self) -> &Node<'a> {
        self.nodes
            .last()
            .expect("an expression has at least one node")
    }
}

/// A part of an expression.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub kind: NodeKind<'a>,
    pub span: Span,
    /// Whether it stands in parentheses of its own.
    pub grouped: bool,
}

#[derive(Debug)]
pub(crate) enum NodeKind<'a> {
    Tensor(&'a str),
    Number(f64),
    /// A primitive of earlier nodes.
    Apply(Primitive, Vec<usize>),
}

/// How an assignment relates the rows of its operands to those of its result.
#[derive(Debug)]
pub(crate) enum Logic {
    /// `"."`
    Pointwise,
    /// `"@"`
    Compose(Span),
    /// `"T"`
    Transpose(Span),
    /// Any other text.
    Einsum(Box<Spec>),
}

/// An einsum spec: a template for each operand, and one for the result.
#[derive(Debug)]
pub(crate) struct Spec {
    pub operands: Vec<Template>,
    pub result: Template,
    /// The whole text.
    pub span: Span,
}

/// The template of one tensor.
pub(crate) type Template = Shape<TemplateRow>;

/// A row of a template, in the order in which it is written.
#[derive(Debug, Default)]
pub(crate) struct TemplateRow {
    pub leading: Vec<Axis>,
    pub variable: Option<Labelled>,
    pub trailing: Vec<Axis>,
}

impl TemplateRow {
    pub(crate) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.leading.iter().chain(&self.trailing)
    }
}

/// A label or the name of a row variable, and its place.
#[derive(Debug)]
pub(crate) struct Labelled {
    pub name: String,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum Axis {
    Label(Labelled),
    /// A fixed position.
    Fixed(u64),
}
