//! Constants: tensors whose values lie in the file or beside it.

use std::ops::Range;

use serde::Serialize;

use crate::ElementType;

/// A tensor of known sizes: an initializer, a parameter, a buffer, or an attribute of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Constant {
    /// The name by which files of weights know it. Tensors in attributes may have none.
    pub name: String,
    /// The type of the elements, or nothing where the file has one that this vocabulary lacks.
    pub element: Option<ElementType>,
    /// The size of each axis.
    pub sizes: Vec<u64>,
    /// The values, as far as they were read.
    pub data: Data,
}

impl Constant {
    /// Gives the number of elements, or nothing if it does not fit.
    pub fn elements(&self) -> Option<u64> {
        if self.sizes.contains(&0) {
            return Some(0);
        }
        self.sizes
            .iter()
            .try_fold(1u64, |product, &size| product.checked_mul(size))
    }

    /// Gives the values of integers or truth values, in the order of rows, if they were read.
    pub fn integers(&self) -> Option<&[i64]> {
        match &self.data {
            Data::Integers(values) => Some(values),
            _ => None,
        }
    }

    /// Gives the values of real numbers, in the order of rows, if they were read.
    pub fn floats(&self) -> Option<&[f64]> {
        match &self.data {
            Data::Floats(values) => Some(values),
            _ => None,
        }
    }
}

/// The values of a constant. Shapes depend on few values, so a reader leaves large constants where they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// Integers, or truth values as 0 and 1. Values of 64 bits without sign that do not fit are unread.
    Integers(Vec<i64>),
    /// Real numbers. A reader takes at most about a thousand of them, since sizes depend on few.
    Floats(Vec<f64>),
    /// More values than the limit `max_values`, or values of another kind. The range holds the bytes of the file in
    /// which the constant is encoded, where it is known.
    Unread(Option<Range<u64>>),
    /// Values in another file, which is never opened.
    External,
    /// No values: a parameter of which the file states the sizes alone.
    Absent,
}
