//! Values at given sizes: tensors of the text that is written, with their shapes.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::elements::Elements;
use crate::Span;
use crate::syntax::{FunctionId, NameId};

/// A tensor of the text, by its place in the list of lines' tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TensorId(pub(super) usize);

/// A `map` around an operation, by its depth. A tensor that depends on its element has an axis for it.
pub(super) type MapAxis = usize;

/// A tensor: its axes are those of the maps around it on which it depends, the outermost first, and behind them those
/// of its shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensor {
    pub(super) id: TensorId,
    pub(super) maps: Vec<MapAxis>,
    pub(super) shape: Vec<u64>,
    pub(super) elements: Elements,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Tensor(Tensor),
    /// A ragged tensor: its elements along the outermost axis, not all of one length.
    Rows(Rc<[Tensor]>),
    Tuple(Rc<[Value]>),
    Operator(Rc<str>),
    Function(Rc<Closure>),
}

/// A function with the values of the names that it uses from functions around it.
#[derive(Debug)]
pub(super) struct Closure {
    pub(super) function: FunctionId,
    pub(super) captured: FxHashMap<NameId, Value>,
}

/// A value that a program shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The place of its expression.
    pub span: Span,
    /// Its tensors, each with its name in the text and its shape.
    pub tensors: Vec<(String, Vec<u64>)>,
    /// The places among these at which the elements of a ragged tensor stand.
    pub rows: Vec<Range<usize>>,
}

/// Returns the tensors of a value, in order.
pub(super) fn tensors(value: &Value) -> Vec<Tensor> {
    let mut waiting = vec![value.clone()];
    let mut tensors = Vec::new();
    while let Some(value) = waiting.pop() {
        match value {
            Value::Tensor(tensor) => tensors.push(tensor),
            Value::Rows(rows) => tensors.extend(rows.iter().cloned()),
            Value::Tuple(parts) => waiting.extend(parts.iter().rev().cloned()),
            Value::Operator(_) | Value::Function(_) => {}
        }
    }
    tensors
}

/// Returns the places of the elements of ragged tensors among the tensors of a value.
pub(super) fn rows(value: &Value) -> Vec<Range<usize>> {
    let mut waiting = vec![value];
    let (mut rows, mut place) = (Vec::new(), 0);
    while let Some(value) = waiting.pop() {
        match value {
            Value::Tensor(_) => place += 1,
            Value::Rows(elements) => {
                rows.push(place..place + elements.len());
                place += elements.len();
            }
            Value::Tuple(parts) => waiting.extend(parts.iter().rev()),
            Value::Operator(_) | Value::Function(_) => {}
        }
    }
    rows
}

/// Returns a shape as it is written.
pub(super) fn shape_text(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("[{}]", sizes.join(","))
}
