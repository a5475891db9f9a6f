//! Dense tensors of `f32`, stored row-major: the last axis is contiguous.

use crate::error::Error;
use crate::memory::Limits;
use crate::shape::{check_length, element_count};

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
