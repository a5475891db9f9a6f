//! Dense tensors, stored row-major: the last axis is contiguous.

use std::borrow::Cow;

use crate::error::Error;
use crate::memory::Limits;
use crate::precision::Precision;
use crate::shape::{check_length, element_count};

/// A tensor with its values, in 32 bits or in 64 bits.
///
/// Every tensor has values in 32 bits, so that whoever needs no more digits reads them alike. The values of a tensor
/// in 64 bits are rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    shape: Vec<u64>,
    values: Vec<f32>,
    wide: Option<Vec<f64>>,
}

impl Tensor {
    /// Makes a tensor of the values given in row-major order.
    ///
    /// # Errors
    /// The errors of [`element_count`], and [`Error::DataLength`] for too few or too many values.
    pub fn new(shape: Vec<u64>, values: Vec<f32>) -> Result<Tensor, Error> {
        check_length(&shape, values.len())?;
        Ok(Tensor {
            shape,
            values,
            wide: None,
        })
    }

    /// Makes a tensor in 64 bits of the values given in row-major order.
    ///
    /// # Errors
    /// As for [`Tensor::new`].
    pub fn wide(shape: Vec<u64>, values: Vec<f64>) -> Result<Tensor, Error> {
        check_length(&shape, values.len())?;
        Ok(Tensor {
            shape,
            values: values.iter().map(|value| *value as f32).collect(),
            wide: Some(values),
        })
    }

    /// Makes a tensor that holds one value everywhere.
    ///
    /// # Errors
    /// The errors of [`element_count`], and [`Error::Memory`] if the tensor alone exceeds the limit.
    pub fn filled(shape: &[u64], value: f32, limits: Limits) -> Result<Tensor, Error> {
        limits.check(shape, 0, Precision::F32)?;
        Tensor::new(shape.to_vec(), vec![value; element_count(shape)?])
    }

    /// Returns the sizes of the axes.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the precision of the values.
    pub fn precision(&self) -> Precision {
        match self.wide {
            None => Precision::F32,
            Some(_) => Precision::F64,
        }
    }

    /// Returns the values in row-major order, rounded to 32 bits if they have 64.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the values in row-major order in 64 bits, if they have these.
    pub fn double_values(&self) -> Option<&[f64]> {
        self.wide.as_deref()
    }

    /// Returns the values in row-major order, in 64 bits, widened if they have 32.
    pub fn wide_values(&self) -> Cow<'_, [f64]> {
        match &self.wide {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(self.values.iter().map(|value| f64::from(*value)).collect()),
        }
    }

    /// Returns the values in row-major order, for modification. They have 32 bits from then on.
    pub fn values_mut(&mut self) -> &mut [f32] {
        self.wide = None;
        &mut self.values
    }

    /// Returns the values in row-major order, without the shape, rounded to 32 bits if they have 64.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }
}
