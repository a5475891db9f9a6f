//! A program whose names are looked up: tensors with the terms of their shapes, and operations.

mod constraints;
mod data;
mod foreign;
mod place;
mod section;
mod surroundings;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::operation::{Operation, Shape, TensorId};
use crate::{DimTerm, RowTerm, Tag, Var};

pub use constraints::{Constraints, Origin};
pub use data::{Column, Columns, Csv, Rows, Separator, Values};
pub use foreign::Foreign;
pub use place::Place;
pub use section::{Cut, Evaluation, Schedule, Section, Turns};
pub use surroundings::{ReadingLimits, Surroundings};

/// A byte range of the program text, on character boundaries.
pub type Span = Range<usize>;

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The tensors; a [`TensorId`] is a place in this list.
    pub tensors: Vec<Tensor>,
    /// The operations in the order in which they run.
    pub steps: Vec<Assignment>,
    /// The calls of functions that made operations.
    pub calls: Vec<Call>,
    /// The calls of functions that every program has, in the order in which they are made. Their operations do not
    /// overlap.
    pub predefined: Vec<Predefined>,
    /// The tensors whose gradients are computed, each with the place where the program asks for that. They have no
    /// axes.
    pub losses: Vec<(TensorId, Span)>,
    /// Actions between operations: to print, save or assert.
    pub requests: Vec<Request>,
    /// The operations that compute the first values of parameters and states.
    pub firsts: Vec<First>,
    /// The lines that are repeated, in the order of the program. They do not overlap.
    pub sections: Vec<Section>,
    /// The requirements that written shapes add to an operation, by the operation and by the first of these
    /// requirements.
    pub checks: BTreeMap<(usize, usize), Check>,
    /// The files that it uses, directly or through others, as they can be opened.
    pub used: Vec<PathBuf>,
    /// The surroundings in which it was read: its folder and the sizes given from outside.
    pub surroundings: Surroundings,
}

/// A shape that is written for a tensor which an operation reads or writes. It may stand many lines below the
/// operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The requirements that it adds to the operation.
    pub requirements: Range<usize>,
    /// The name or the expression for which it is written.
    pub span: Span,
    /// The shape.
    pub shape: Span,
    /// True if it stands in an `assert`; else in a `let`.
    pub asserted: bool,
    /// The call of the function in which it stands, by its place in [`Program::calls`].
    pub call: Option<usize>,
}

/// The operations that compute the first values of a parameter or a state. They run once, in a section before its
/// lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// The parameter.
    pub tensor: TensorId,
    /// The operations, by their places in [`Program::steps`].
    pub steps: Range<usize>,
}

/// A call of a function that the program defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: String,
    /// The call in the program.
    pub span: Span,
    /// The call that this one is part of, by its place in [`Program::calls`].
    pub within: Option<usize>,
}

/// A call of a function that every program has, such as `softmax`. Its meaning for its arguments is checked once shapes
/// are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predefined {
    /// The function.
    pub function: String,
    /// The call in the program.
    pub span: Span,
    /// The call of a function of the program in which it stands, by its place in [`Program::calls`].
    pub call: Option<usize>,
    /// The operations that it made, by their places in [`Program::steps`]: those of a function that gives back its
    /// argument are none.
    pub steps: Range<usize>,
    /// The tensors that it was given, each with its place in the program.
    pub arguments: Vec<(TensorId, Span)>,
}

/// An action on a tensor that is not an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The number of operations that run before it.
    pub after: usize,
    /// The tensor.
    pub tensor: TensorId,
    /// The place of the action in the text.
    pub span: Span,
    /// The action.
    pub what: Wish,
}

/// The action of a [`Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The wish to show the values.
    Print,
    /// The wish to write the values to a file, relative to the folder of the program.
    Save(PathBuf),
    /// The wish to stop unless every value differs from 0.
    Assert,
    /// The wish to stop unless every value is the number of a class: a whole number from 0 below this.
    Classes(u64),
}

/// A tensor of a program.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The name in the program. A part of an expression has the name of the statement's tensor with a number
    /// after a prime, such as `total'1`; a number written in an expression has its digits.
    pub name: Arc<str>,
    /// The place of its definition.
    pub span: Span,
    /// The source of its values.
    pub source: Source,
    /// The three rows: closed for data and for numbers, else a row variable each, such as `<total_output>`.
    pub shape: Shape<RowTerm>,
    /// The rule by which its row variables are closed (Def. 6.1).
    pub tag: Tag,
}

/// The source of the values of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Values that are given with the program.
    Data(Values),
    /// A parameter or a state.
    Param(Parameter),
    /// One value everywhere. An operation of the program fills it.
    Constant(f64),
    /// The operations that write it.
    Intermediate,
}

/// The properties of a parameter or a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The source of its first values.
    pub start: Start,
    /// True if it is a state: a parameter that has no gradient.
    pub state: bool,
}

/// The source of the first values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// Values from outside the program.
    Outside,
    /// One value everywhere, with which an operation of the program fills it.
    Value(f64),
    /// Values that operations of the program compute, which run once.
    Computed,
}

/// An operation of a program, with its places in the text.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The operation.
    pub operation: Operation,
    /// The family that it belongs to, which decides its requirements on the rows.
    pub logic: Family,
    /// The word for the scalar function in the program, such as `+` or `square`; empty when nothing is written.
    pub word: &'static str,
    /// The part of the program that it computes.
    pub span: Span,
    /// The place of the tensor of each slot in the text. Slot 0 is the result.
    pub slot_spans: Vec<Span>,
    /// The call whose function made it, by its place in [`Program::calls`].
    pub call: Option<usize>,
    /// The value that a fill writes, where only inference or a run decides it.
    pub late: Option<Box<Late>>,
    /// The operation whose index maps this one takes over, for an operation of a backward program. It states no
    /// requirements.
    pub record: Option<Box<Record>>,
}

/// A value written by a fill that the text alone does not determine.
#[derive(Clone, Debug, PartialEq)]
pub enum Late {
    /// The product of the sizes of all axes of these rows.
    Product(Vec<RowTerm>),
    /// Random values, a function of the key and of the number of the cell.
    Random {
        /// True if they are of the normal distribution with mean 0 and variance 1; else they are uniform in [0, 1).
        normal: bool,
        /// The key.
        key: u64,
    },
    /// The number of the cell, from 0, in the order of memory.
    Cells,
    /// The number of the step of the section, from 0.
    Step,
    /// The number of the epoch of the section, from 0.
    Epoch,
}

/// The forward operation whose index maps an operation of the backward program uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The forward operation, by its place in [`Program::steps`].
    pub step: usize,
    /// The slot of the forward operation whose index map each slot of the backward operation uses.
    pub slots: Vec<usize>,
}

/// A family of operations: what relates the rows of the operands to those of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Row by row, with broadcasting.
    Pointwise,
    /// The left operand's input against the right operand's output, with broadcasting.
    Compose,
    /// Input and output change places, with broadcasting.
    Transpose,
    /// A spec, without broadcasting.
    Einsum,
    /// One value for each cell: nothing is read and nothing is required.
    Fill,
}

impl Family {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Family::Pointwise => "pointwise",
            Family::Compose => "compose",
            Family::Transpose => "transpose",
            Family::Einsum => "einsum",
            Family::Fill => "fill",
        }
    }
}

/// The tensor with a number of this program, as the places of a list are written.
///
/// # Panics
/// For a number of another program that has more tensors, as a list does for a place beyond its end.
/// [`Program::tensor`] is for numbers that may belong to another program; nothing else in the project panics on them.
impl std::ops::Index<TensorId> for Program {
    type Output = Tensor;

    fn index(&self, id: TensorId) -> &Tensor {
        &self.tensors[id.0]
    }
}

impl Program {
    /// Returns the tensor with this number; `None` if the number belongs to another program. `program[id]` is the
    /// tensor itself.
    pub fn tensor(&self, id: TensorId) -> Option<&Tensor> {
        self.tensors.get(id.0)
    }

    /// Returns the tensor with this name.
    pub fn find(&self, name: &str) -> Option<TensorId> {
        self.tensors
            .iter()
            .position(|tensor| *tensor.name == *name)
            .map(TensorId)
    }

    /// Returns the operations, in the order in which they run.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = &Operation> {
        self.steps.iter().map(|step| &step.operation)
    }

    /// Returns the tag of each variable of the tensors' shapes (Def. 6.1). A dimension variable may be in several
    /// shapes; it has the tag of a parameter if one of them is a parameter's.
    pub fn tags(&self) -> BTreeMap<Var, Tag> {
        let mut tags = BTreeMap::new();
        for tensor in &self.tensors {
            for row in tensor.shape.rows() {
                if let Some(var) = &row.var {
                    tags.insert(Var::Row(var.clone()), tensor.tag);
                }
                for axis in row.axes() {
                    if let DimTerm::Var(var) = axis {
                        let tag = tags.entry(Var::Dim(var.clone())).or_insert(tensor.tag);
                        if tensor.tag == Tag::Param {
                            *tag = Tag::Param;
                        }
                    }
                }
            }
        }
        tags
    }
}
