//! Arrays of NumPy: numbers are read where they are, and come out without a copy.

use lozenge::backend::{Interpreter, Limits, Precision, Tensor};
use lozenge_vocabulary::operation::TensorId;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// A number of an array, in the precision of a run.
pub trait Number: Element + Copy + 'static {
    /// Makes a tensor of a copy of numbers.
    fn tensor(shape: Vec<u64>, values: &[Self]) -> Result<Tensor, lozenge::backend::Error>;
    /// Loads the data of a program.
    fn load(
        program: &lozenge_vocabulary::program::Program,
        folder: &Path,
    ) -> Result<BTreeMap<TensorId, Vec<Self>>, Box<lozenge::LoadError>>;
    /// Opens the interpreter in this precision.
    fn interpreter<'v>(limits: Limits) -> Interpreter<'v, Self>;
}

impl Number for f32 {
    fn tensor(shape: Vec<u64>, values: &[f32]) -> Result<Tensor, lozenge::backend::Error> {
        Tensor::new(shape, values.to_vec())
    }

    fn load(
        program: &lozenge_vocabulary::program::Program,
        folder: &Path,
    ) -> Result<BTreeMap<TensorId, Vec<f32>>, Box<lozenge::LoadError>> {
        lozenge::load(program, folder)
    }

    fn interpreter<'v>(limits: Limits) -> Interpreter<'v, f32> {
        Interpreter::new(limits)
    }
}

impl Number for f64 {
    fn tensor(shape: Vec<u64>, values: &[f64]) -> Result<Tensor, lozenge::backend::Error> {
        Tensor::wide(shape, values.to_vec())
    }

    fn load(
        program: &lozenge_vocabulary::program::Program,
        folder: &Path,
    ) -> Result<BTreeMap<TensorId, Vec<f64>>, Box<lozenge::LoadError>> {
        lozenge::load_wide(program, folder)
    }

    fn interpreter<'v>(limits: Limits) -> Interpreter<'v, f64> {
        Interpreter::wide(limits)
    }
}

/// Arrays for tensors.
pub type Arrays<N> = Vec<(TensorId, Py<PyArrayDyn<N>>)>;

/// Takes an array of this type of numbers.
///
/// # Errors
/// `TypeError` if it is none.
pub fn taken<N: Number>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Py<PyArrayDyn<N>>> {
    let array = value.cast::<PyArrayDyn<N>>().map_err(|_| {
        PyTypeError::new_err(format!("`{name}` is no array of the precision of the run"))
    })?;
    Ok(array.clone().unbind())
}

/// Does something with the numbers of arrays where they are, while other threads of Python run. The arrays stay alive
/// meanwhile.
///
/// # Errors
/// `RuntimeError` if compiled code writes to one of them at the time; `ValueError` for one that is not contiguous.
pub fn on_numbers<N: Number, T: Send>(
    given: Arrays<N>,
    work: impl FnOnce(&[(TensorId, &[N])]) -> T + Send,
) -> PyResult<T> {
    Python::attach(|py| {
        let held = given.iter().map(|(_, array)| array.bind(py).try_readonly());
        let held: Result<Vec<PyReadonlyArrayDyn<'_, N>>, _> = held.collect();
        let held = held.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let numbers = given.iter().zip(&held);
        let numbers = numbers.map(|((id, _), array)| Ok((*id, array.as_slice()?)));
        let numbers: Result<Vec<(TensorId, &[N])>, numpy::AsSliceError> = numbers.collect();
        let numbers = numbers.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let done = py.detach(|| work(&numbers));
        drop(numbers);
        drop(held);
        drop(given);
        Ok(done)
    })
}

/// Makes an array that owns the numbers of a tensor.
///
/// # Errors
/// An exception of NumPy.
pub fn to_python(py: Python<'_>, tensor: Tensor) -> PyResult<Py<PyAny>> {
    let sizes = tensor.shape().iter().map(|size| usize::try_from(*size));
    let shape: Vec<usize> = sizes
        .collect::<Result<_, _>>()
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    match tensor.precision() {
        Precision::F64 => shaped(py, tensor.into_double_values().unwrap_or_default(), shape),
        _ => shaped(py, tensor.into_values(), shape),
    }
}

fn shaped<N: Element>(py: Python<'_>, values: Vec<N>, shape: Vec<usize>) -> PyResult<Py<PyAny>> {
    let array = PyArray1::from_vec(py, values).reshape(shape)?;
    Ok(array.into_any().unbind())
}

/// Tells where the numbers of an array of single precision are for the compiled part, so that a test sees that it is
/// where they are for Python.
#[pyfunction]
pub fn address(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    let array = taken::<f32>("array", array)?;
    on_numbers(vec![(TensorId(0), array)], |numbers| {
        numbers[0].1.as_ptr() as usize
    })
}
