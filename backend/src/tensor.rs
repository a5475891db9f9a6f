//! Dense tensors of `f32`, stored row-major: the last axis is contiguous.

use crate::error::Error;
use crate::memory::Limits;

/// The number of elements of a shape; 1 for the empty shape.
///
/// # Errors
/// [`Error::EmptyAxis`] for an axis of size 0, [`Error::TooManyElements`] if the bytes exceed the address space.
pub fn element_count(shape: &[u64]) -> Result<usize, Error> {
    if let Some(axis) = shape.iter().position(|size| *size == 0) {
        let shape = shape.to_vec();
        return Err(Error::EmptyAxis { shape, axis });
    }
    let addressable = isize::MAX as u64 / size_of::<f32>() as u64;
    shape
        .iter()
        .try_fold(1u64, |count, size| count.checked_mul(*size))
        .filter(|count| *count <= addressable)
        .map(|count| count as usize)
        .ok_or_else(|| Error::TooManyElements {
            shape: shape.to_vec(),
        })
}

/// Checks that a shape has this number of values.
pub(crate) fn check_length(shape: &[u64], found: usize) -> Result<(), Error> {
    let expected = element_count(shape)?;
    match found == expected {
        true => Ok(()),
        false => Err(Error::DataLength {
            shape: shape.to_vec(),
            expected,
            found,
        }),
    }
}

/// The distance in memory between two neighbours along each axis, in elements. The shape must have an [`element_count`].
pub fn strides(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// A tensor with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    shape: Vec<u64>,
    values: Vec<f32>,
}

impl Tensor {
    /// A tensor of the values given in row-major order.
    ///
    /// # Errors
    /// Those of [`element_count`], and [`Error::DataLength`] for too few or too many values.
    pub fn new(shape: Vec<u64>, values: Vec<f32>) -> Result<Tensor, Error> {
        check_length(&shape, values.len())?;
        Ok(Tensor { shape, values })
    }

    /// A tensor that holds one value everywhere.
    ///
    /// # Errors
    /// Those of [`element_count`], and [`Error::Memory`] if the tensor alone exceeds the limit.
    pub fn filled(shape: &[u64], value: f32, limits: Limits) -> Result<Tensor, Error> {
        limits.check(shape, 0)?;
        Ok(Tensor {
            shape: shape.to_vec(),
            values: vec![value; element_count(shape)?],
        })
    }

    /// The sizes of its axes.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Its values in row-major order.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Its values in row-major order, for modification.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Its values in row-major order, without the shape.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }
}
