//! The syntax of a program, in the order in which it is computed.
//!
//! The language has no branches, so the body of a function is a straight line of nodes, each of which uses only nodes
//! before it. All nodes of a text form one list: those of a function lie between its [`NodeKind::Enter`] and its
//! [`NodeKind::Function`]. Whatever walks a program walks this list, and no walk recurses.

use std::ops::Range;

use crate::Span;

/// A place in [`Program::nodes`].
pub type NodeId = usize;

/// A place in [`Program::functions`].
pub type FunctionId = usize;

/// A place in [`Program::names`].
pub type NameId = usize;

/// A program whose names are looked up.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The nodes, in the order in which they are computed.
    pub nodes: Vec<Node>,
    /// The functions, in the order in which they begin.
    pub functions: Vec<Function>,
    /// The names that are bound: by a statement, as a parameter, as data.
    pub names: Vec<Name>,
    /// The tensors that are given with the text.
    pub data: Vec<Data>,
}

/// A step of a program, which has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The computation of the node.
    pub kind: NodeKind,
    /// The place in the text.
    pub span: Span,
}

/// The computation of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A number.
    Number(Number),
    /// An operator of the language, by its name: `matmul`, `+`.
    Operator(Box<str>),
    /// The value of a name.
    Name(NameId),
    /// Several values, as one.
    Tuple(Vec<NodeId>),
    /// The result of a function.
    Call {
        /// The function.
        callee: NodeId,
        /// The values that it is given.
        arguments: Vec<NodeId>,
    },
    /// The begin of a function; it has no value.
    Enter(FunctionId),
    /// A function, whose body lies before it.
    Function(FunctionId),
    /// The binding of names to the parts of a value; it has no value itself.
    Bind(Pattern, NodeId),
    /// Data that become known under a name; it has no value itself.
    Data(usize),
    /// Values to be shown; it has no value itself.
    Print(Vec<NodeId>),
}

/// A number of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The value.
    pub value: f64,
    /// True if it is an `f32` because it has an `f`, a fraction or an exponent, or is infinite. Else it is of any
    /// element type.
    pub is_float: bool,
}

/// A name that is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: Box<str>,
    /// The place where it is bound.
    pub span: Span,
    /// The function in whose parameters or body it is bound; none at the top.
    pub owner: Option<FunctionId>,
}

/// The left side of a statement: the names that it binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A name for the value.
    Name(NameId),
    /// Nothing, written `_`.
    Ignored(Span),
    /// A pattern for each part of a tuple.
    Tuple(Vec<Pattern>, Span),
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The type that is written for its result.
    pub result_type: Option<Type>,
    /// The nodes of its body, between [`NodeKind::Enter`] and [`NodeKind::Function`]; those of functions inside it are
    /// among them.
    pub body: Range<NodeId>,
    /// The node that is its result.
    pub result: NodeId,
    /// The names of functions around it that its body uses, each once.
    pub captured: Vec<NameId>,
    /// The function around it.
    pub within: Option<FunctionId>,
    /// The place in the text, from `fn` to `}`.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: NameId,
    /// The type that is written for it.
    pub annotation: Option<Type>,
}

/// A tensor that is given with the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// The name.
    pub name: NameId,
    /// The type that is written for it.
    pub annotation: Type,
    /// The values.
    pub source: Source,
    /// The place of the values.
    pub span: Span,
}

/// The source of given values.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Values in the text, the leftmost axis slowest.
    Values(Vec<f64>),
    /// A list for each element of the outermost axis, of a ragged tensor.
    Rows(Vec<Vec<f64>>),
    /// The numbers from 0 below this.
    Range(u64),
    /// A file, relative to the folder of the program.
    File(String),
    /// Nothing: the values are not known.
    Outside,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A tensor.
    Tensor {
        /// The element type: `f32`, or the name of one.
        element: Word,
        /// The shape.
        shape: Shape,
    },
    /// Several values.
    Tuple(Vec<Type>, Span),
    /// A function.
    Function(Vec<Type>, Box<Type>, Span),
    /// Anything at all. Only signatures of operators have it.
    Any(Word),
}

impl Type {
    /// Returns the place in the text.
    pub fn span(&self) -> Span {
        match self {
            Type::Tensor { element, shape } => {
                element.span.start..shape.span.end.max(element.span.end)
            }
            Type::Tuple(_, span) | Type::Function(_, _, span) => span.clone(),
            Type::Any(word) => word.span.clone(),
        }
    }
}

/// A word of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, without a quote before it.
    pub text: Box<str>,
    /// True if a quote stands before it, so that inference may not refine it.
    pub is_rigid: bool,
    /// The place.
    pub span: Span,
}

/// A shape as written: parts that are appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The parts, the outermost first. Without parts it is that of a scalar.
    pub parts: Vec<Part>,
    /// The place; empty if nothing is written.
    pub span: Span,
}

/// A part of a shape as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Axes in brackets.
    Axes(Vec<Dim>),
    /// A name.
    Name(Word),
    /// Any shape, written `..`.
    Any(Span),
}

/// A dimension as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A constant.
    Number(i64, Span),
    /// A ragged dimension, written `*`.
    Ragged(Span),
    /// Any dimension, written `_`.
    Any(Span),
    /// A name.
    Name(Word),
    /// A dimension that is known when the program has run so far, written `?n`.
    Runtime(Word),
    /// An operator, one of `+ - * /`, between two dimensions.
    Operator(char, Box<Dim>, Box<Dim>, Span),
}

impl Dim {
    /// Returns the place in the text.
    pub fn span(&self) -> Span {
        match self {
            Dim::Number(_, span)
            | Dim::Ragged(span)
            | Dim::Any(span)
            | Dim::Operator(_, _, _, span) => span.clone(),
            Dim::Runtime(word) | Dim::Name(word) => word.span.clone(),
        }
    }
}
