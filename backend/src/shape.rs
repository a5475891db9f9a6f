//! Shapes: the number of their elements, and the layout of these in memory, row-major.

use crate::error::Error;

/// Counts the elements of a shape; the empty shape has 1.
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

/// Computes the distance in memory between two neighbours along each axis, in elements. The shape must have an
/// [`element_count`].
pub fn strides(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}
