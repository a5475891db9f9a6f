//! Dense tensors, stored row-major: the last axis is contiguous.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::error::Error;
use crate::memory::Limits;
use crate::precision::Precision;
use crate::shape::{check_length, element_count};

/// A tensor with its values, in 32 bits or in 64 bits.
///
/// Every tensor has values in 32 bits, so that whoever needs no more digits reads them alike. The values of a tensor
/// in 64 bits are rounded, when they are first asked for.
#[derive(Clone, Debug)]
pub struct Tensor {
    shape: Vec<u64>,
    /// The values in 32 bits, unless nobody has asked for them yet.
    values: OnceLock<Vec<f32>>,
    wide: Option<Vec<f64>>,
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Tensor) -> bool {
        let same = self.shape == other.shape && self.wide == other.wide;
        same && (self.wide.is_some() || self.values() == other.values())
    }
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
            values: OnceLock::from(values),
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
            values: OnceLock::new(),
            wide: Some(values),
        })
    }

    /// Makes a tensor that was not computed: it holds NaN everywhere, and takes no memory until it is read.
    ///
    /// # Errors
    /// The errors of [`element_count`].
    pub fn unknown(shape: &[u64]) -> Result<Tensor, Error> {
        element_count(shape)?;
        Ok(Tensor {
            shape: shape.to_vec(),
            values: OnceLock::new(),
            wide: None,
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
        self.values.get_or_init(|| self.narrow())
    }

    /// Makes the values in 32 bits that nobody has asked for yet.
    fn narrow(&self) -> Vec<f32> {
        match &self.wide {
            Some(values) => values.iter().map(|value| *value as f32).collect(),
            None => vec![f32::NAN; element_count(&self.shape).unwrap_or_default()],
        }
    }

    /// Returns the values in row-major order in 64 bits, if they have these.
    pub fn double_values(&self) -> Option<&[f64]> {
        self.wide.as_deref()
    }

    /// Returns the values in row-major order, in 64 bits, widened if they have 32.
    pub fn wide_values(&self) -> Cow<'_, [f64]> {
        match &self.wide {
            Some(values) => Cow::Borrowed(values),
            None => Cow::Owned(
                self.values()
                    .iter()
                    .map(|value| f64::from(*value))
                    .collect(),
            ),
        }
    }

    /// Returns the values in row-major order, for modification. They have 32 bits from then on.
    pub fn values_mut(&mut self) -> &mut [f32] {
        if self.values.get().is_none() {
            self.values = OnceLock::from(self.narrow());
        }
        self.wide = None;
        self.values.get_mut().map_or(&mut [], Vec::as_mut_slice)
    }

    /// Returns the values in row-major order, without the shape, rounded to 32 bits if they have 64.
    pub fn into_values(mut self) -> Vec<f32> {
        self.values.take().unwrap_or_else(|| self.narrow())
    }

    /// Returns the values in row-major order in 64 bits, without the shape, if they have these.
    pub fn into_double_values(self) -> Option<Vec<f64>> {
        self.wide
    }
}
