//! A program as it is written: one statement a line, names not yet looked up.

use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::operation::{Accumulator, Shape};

use crate::operator::Primitive;
use crate::shape::Written;
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::program::Values;

/// The words that begin a statement. They are no names.
pub(crate) const KEYWORDS: [&str; 5] = ["data", "param", "const", "let", "size"];

/// A name and its place.
#[derive(Clone, Debug)]
pub(crate) struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// One line of a program.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    /// `data NAME : SHAPE from …` and `data NAME : SHAPE = …`. `place` is that of the values.
    Data {
        name: Name<'a>,
        shape: Option<Written>,
        values: Values,
        place: Span,
    },
    /// `param NAME`, with a shape, an initial value, or both.
    Param {
        name: Name<'a>,
        shape: Option<Written>,
        initial: Option<f64>,
    },
    /// `const NAME = NUMBER`, perhaps with a shape.
    Constant {
        name: Name<'a>,
        shape: Option<Written>,
        value: f64,
    },
    /// `let NAME = EXPRESSION`, perhaps with a shape.
    Let {
        name: Name<'a>,
        shape: Option<Written>,
        expression: Expression<'a>,
    },
    /// `size NAME = SIZE`.
    Size { name: Name<'a>, size: Dim },
    /// `NAME =:+ EXPRESSION` with an optional spec.
    Assign {
        name: Name<'a>,
        accumulator: Accumulator,
        expression: Expression<'a>,
        logic: Option<Logic>,
    },
}

impl<'a> Statement<'a> {
    /// The shape that is written after the name.
    pub(crate) fn shape(&self) -> Option<&Written> {
        match self {
            Statement::Data { shape, .. }
            | Statement::Param { shape, .. }
            | Statement::Constant { shape, .. }
            | Statement::Let { shape, .. } => shape.as_ref(),
            Statement::Size { .. } | Statement::Assign { .. } => None,
        }
    }

    /// The tensor that the statement defines or writes, or the size that it names.
    pub(crate) fn name(&self) -> &Name<'a> {
        match self {
            Statement::Data { name, .. }
            | Statement::Param { name, .. }
            | Statement::Constant { name, .. }
            | Statement::Let { name, .. }
            | Statement::Size { name, .. }
            | Statement::Assign { name, .. } => name,
        }
    }

    /// Whether the statement defines a tensor, and does not update one.
    pub(crate) fn defines(&self) -> bool {
        match self {
            Statement::Assign { accumulator, .. } => accumulator.erase,
            Statement::Size { .. } => false,
            _ => true,
        }
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
    pub open: Option<Open>,
    pub trailing: Vec<Axis>,
}

impl TemplateRow {
    pub(crate) fn axes(&self) -> impl Iterator<Item = &Axis> {
        self.leading.iter().chain(&self.trailing)
    }

    /// Adds an axis at the end.
    pub(crate) fn push(&mut self, axis: Axis) {
        match self.open {
            None => self.leading.push(axis),
            Some(_) => self.trailing.push(axis),
        }
    }

    /// The row variable.
    pub(crate) fn variable(&self) -> Option<&Labelled> {
        match &self.open {
            Some(Open::Variable(variable)) => Some(variable),
            Some(Open::Marker) | None => None,
        }
    }
}

/// Where a row can grow.
#[derive(Debug)]
pub(crate) enum Open {
    /// `...` or `..name..`: a row variable. The name of `...` is empty until its kind is known.
    Variable(Labelled),
    /// `<>`: the marker of a row whose axes are all written.
    Marker,
}

/// A name in a row, and its place.
#[derive(Debug)]
pub(crate) struct Labelled {
    pub name: String,
    pub span: Span,
}

/// An axis of a row.
#[derive(Debug)]
pub(crate) enum Axis {
    /// `label` or `label:SIZE`.
    Label(Labelled, Option<Size>),
    /// A number in a spec: a fixed position, perhaps with the size of its axis.
    Position {
        position: u64,
        span: Span,
        size: Option<Size>,
    },
    /// A number in a shape: a size.
    Size(Dim, Span),
}

/// What stands after the colon of `label:SIZE`.
#[derive(Debug)]
pub(crate) enum Size {
    Written(Dim),
    /// The name of a size.
    Named(Labelled),
}
