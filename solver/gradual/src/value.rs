//! Values that flow between nodes: tensors of known shape and other values of which sizes may be a function.

use crate::term::{Formula, Int, Term};
use lozenge_graph_vocabulary::ElementType;
use std::sync::Arc;

/// The sizes of the axes of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The axes that are known one by one.
    pub(crate) axes: Arc<[Term]>,
    /// One or more further axes, of an input whose rank is large.
    pub(crate) block: Option<Block>,
}

/// Axes that are not known one by one, and stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The number of known axes before it.
    pub(crate) at: usize,
    /// The product of its sizes.
    pub(crate) product: Term,
}

impl Shape {
    pub(crate) fn new(axes: impl Into<Arc<[Term]>>) -> Self {
        Self {
            axes: axes.into(),
            block: None,
        }
    }

    /// Returns the same with other axes at the same places.
    pub(crate) fn with_axes(&self, axes: Vec<Term>) -> Self {
        Self {
            axes: axes.into(),
            block: self.block,
        }
    }
}

/// A number in a tensor: an integer term, over a positive number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) term: Term,
    pub(crate) over: Int,
}

/// The knowledge about the elements of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Unknown,
    /// All of them, in the order of rows. All sizes are numbers.
    Numbers(Arc<[Ratio]>),
    /// The least and the greatest, which both occur unless there is no element.
    Range(Term, Term),
}

/// A tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tensor {
    /// Its shape, or nothing where that depends on what is not modelled.
    pub(crate) shape: Option<Shape>,
    pub(crate) element: Option<ElementType>,
    pub(crate) content: Content,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Tensor(Tensor),
    /// An integer of Python.
    Integer(Term),
    /// A truth value of Python.
    Truth(Formula),
    Float(f64),
    Text(Arc<str>),
    /// A list or a tuple of Python, a sequence of ONNX, or the sizes of a tensor.
    List(Arc<[Value]>),
    /// A sequence of ONNX with as many tensors as a size says.
    Pieces(Arc<Pieces>),
    /// The sizes of a tensor that has a block.
    Sizes(Shape),
    Slice(Arc<[Value; 3]>),
    Ellipsis,
    None,
    /// Something on which no size depends.
    Other,
    /// Something of which nothing is known.
    Any,
}

/// Tensors of one shape, but perhaps for the last: the pieces of a tensor that was cut along an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pieces {
    /// The number of the pieces.
    pub(crate) length: Term,
    /// The shape of each.
    pub(crate) each: Shape,
    pub(crate) element: Option<ElementType>,
    /// The axis that was cut, and its size before, where the last piece may be shorter.
    pub(crate) cut: Option<(usize, Term)>,
}

impl Tensor {
    pub(crate) fn new(shape: Shape, element: Option<ElementType>) -> Self {
        Self {
            shape: Some(shape),
            element,
            content: Content::Unknown,
        }
    }

    /// Returns the integers that are the elements, if they are known and integers.
    pub(crate) fn integers(&self) -> Option<Vec<Term>> {
        match &self.content {
            Content::Numbers(numbers) => numbers
                .iter()
                .map(|number| (number.over == 1).then_some(number.term))
                .collect(),
            _ => None,
        }
    }
}

impl Value {
    pub(crate) fn tensor(shape: Shape, element: Option<ElementType>) -> Self {
        Self::Tensor(Tensor::new(shape, element))
    }

    /// Returns a tensor of rank 1 of integers.
    pub(crate) fn vector(terms: &mut crate::term::Terms, numbers: Vec<Term>) -> Self {
        let length = terms.number(Int::try_from(numbers.len()).unwrap_or(Int::MAX));
        let content = numbers
            .into_iter()
            .map(|term| Ratio { term, over: 1 })
            .collect();
        Self::Tensor(Tensor {
            shape: Some(Shape::new([length])),
            element: Some(ElementType::Int64),
            content: Content::Numbers(content),
        })
    }

    /// Returns a tensor of rank 0 of one integer.
    pub(crate) fn scalar(number: Term) -> Self {
        let content = Content::Numbers(Arc::from([Ratio {
            term: number,
            over: 1,
        }]));
        Self::Tensor(Tensor {
            shape: Some(Shape::new([])),
            element: Some(ElementType::Int64),
            content,
        })
    }
}
