//! Buffers of a device with numbers of either precision.

use ocl::builders::KernelBuilder;
use ocl::{Buffer, OclPrm, Queue};

use super::discovery::failure;
use crate::error::Error;
use crate::precision::Precision;
use crate::tensor::Tensor;

/// A buffer with its numbers.
#[derive(Clone)]
pub(super) enum Values {
    /// A buffer of numbers in 32 bits.
    Single(Buffer<f32>),
    /// A buffer of numbers in 64 bits.
    Double(Buffer<f64>),
}

impl Values {
    /// Allocates a buffer for so many numbers.
    pub fn new(queue: &Queue, count: usize, precision: Precision) -> ocl::Result<Values> {
        fn buffer<T: OclPrm>(queue: &Queue, count: usize) -> ocl::Result<Buffer<T>> {
            Buffer::builder().queue(queue.clone()).len(count).build()
        }
        Ok(match precision {
            Precision::F32 => Values::Single(buffer(queue, count)?),
            Precision::F64 => Values::Double(buffer(queue, count)?),
        })
    }

    /// Returns the number of values.
    pub fn len(&self) -> u64 {
        match self {
            Values::Single(buffer) => buffer.len() as u64,
            Values::Double(buffer) => buffer.len() as u64,
        }
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        let precision = match self {
            Values::Single(_) => Precision::F32,
            Values::Double(_) => Precision::F64,
        };
        self.len() * precision.bytes()
    }

    /// Writes one number into so many cells from a place on.
    pub fn fill(&self, value: f32, at: usize, count: usize) -> ocl::Result<()> {
        match self {
            Values::Single(buffer) => buffer.cmd().fill(value, Some(count)).offset(at).enq(),
            Values::Double(buffer) => {
                let value = f64::from(value);
                buffer.cmd().fill(value, Some(count)).offset(at).enq()
            }
        }
    }

    /// Copies so many numbers from a place to a place of a buffer of the same precision.
    ///
    /// # Errors
    /// A failure of the device, and buffers of different precisions.
    pub fn copy(&self, from: usize, other: &Values, to: usize, count: usize) -> ocl::Result<()> {
        let (to, count) = (Some(to), Some(count));
        match (self, other) {
            (Values::Single(one), Values::Single(other)) => {
                one.cmd().offset(from).copy(other, to, count).enq()
            }
            (Values::Double(one), Values::Double(other)) => {
                one.cmd().offset(from).copy(other, to, count).enq()
            }
            _ => Err("a copy between buffers of different precisions".into()),
        }
    }

    /// Replaces all numbers by these.
    pub fn write(&self, values: &[f32]) -> ocl::Result<()> {
        match self {
            Values::Single(buffer) => buffer.write(values).enq(),
            Values::Double(buffer) => {
                let wide: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
                buffer.write(&wide).enq()
            }
        }
    }

    /// Replaces all numbers by those of a tensor.
    pub fn write_tensor(&self, tensor: &Tensor) -> ocl::Result<()> {
        match self {
            Values::Single(buffer) => buffer.write(tensor.values()).enq(),
            Values::Double(buffer) => buffer.write(&*tensor.wide_values()).enq(),
        }
    }

    /// Reads the numbers as a tensor of this shape.
    pub fn read(&self, shape: &[u64]) -> Result<Tensor, Error> {
        fn numbers<T: OclPrm>(buffer: &Buffer<T>) -> Result<Vec<T>, Error> {
            let mut values = vec![T::default(); buffer.len()];
            let read = buffer.read(&mut values).enq();
            read.map_err(|error| failure("download a tensor", error))?;
            Ok(values)
        }
        match self {
            Values::Single(buffer) => Tensor::new(shape.to_vec(), numbers(buffer)?),
            Values::Double(buffer) => Tensor::wide(shape.to_vec(), numbers(buffer)?),
        }
    }

    /// Adds it to the arguments of a kernel.
    pub fn argument<'b>(&'b self, kernel: &mut KernelBuilder<'b>) {
        match self {
            Values::Single(buffer) => kernel.arg(buffer),
            Values::Double(buffer) => kernel.arg(buffer),
        };
    }
}
