//! Points: sizes of the inputs of a model, from and to Python.

use lozenge_gradual_solver::{Given, Point};
use lozenge_graph_vocabulary::Graph;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple};

/// Reads the sizes of inputs, of which each has to be an input of the graph.
///
/// # Errors
/// `TypeError` or `ValueError`, which name the input.
pub fn from_python(given: &Bound<'_, PyDict>, graph: &Graph) -> PyResult<Point> {
    let mut point = Point::new();
    for (name, value) in given.iter() {
        let name: String = name
            .extract()
            .map_err(|_| PyTypeError::new_err("the name of an input is no text"))?;
        // An element of a list of integers is named as in the answer: `k(0)`.
        let of = name
            .strip_suffix(')')
            .and_then(|name| name.rsplit_once('('));
        is_input(&name, graph).or_else(|error| match of {
            Some((input, _)) if is_input(input, graph).is_ok() => Ok(()),
            _ => Err(error),
        })?;
        point.insert(name.clone(), sizes(&name, &value)?);
    }
    Ok(point)
}

/// Refuses a name that is no input of a model.
///
/// # Errors
/// `ValueError`, which says what the inputs are.
pub fn is_input(name: &str, graph: &Graph) -> PyResult<()> {
    let inputs = graph.main().inputs.iter();
    let inputs: Vec<&str> = inputs.map(|id| graph[*id].name.as_str()).collect();
    match inputs.contains(&name) {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!(
            "the model has no input `{name}`: its inputs are {}",
            inputs.join(", ")
        ))),
    }
}

/// Reads the sizes of an input, or the number that it is.
fn sizes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Given> {
    let wrong = |what: &str| {
        PyTypeError::new_err(format!(
            "`{name}` is {what}: give its shape, as (1, 3, 224, 224), an array, or the number of an integer input"
        ))
    };
    if value.is_instance_of::<PyBool>() {
        return Err(wrong("a truth value"));
    }
    if value.is_instance_of::<PyInt>() {
        let number = value.extract().map_err(|_| {
            PyValueError::new_err(format!("`{name}`: the number has more than 64 bits"))
        })?;
        return Ok(Given::Number(number));
    }
    if value.is_instance_of::<PyString>() {
        return Err(wrong("a text"));
    }
    let shape = match value.hasattr("shape")? {
        true => value.getattr("shape")?,
        false => value.clone(),
    };
    let axes = shape
        .try_iter()
        .map_err(|_| wrong(&format!("a {}", kind(&shape))))?;
    let mut sizes = Vec::new();
    for axis in axes {
        let axis = axis?;
        let is_truth = axis.is_instance_of::<PyBool>();
        let number = (!is_truth).then(|| axis.call_method0("__index__").ok());
        let number = number.flatten().ok_or_else(|| {
            wrong(&format!(
                "a shape with a {} at axis {}",
                kind(&axis),
                sizes.len()
            ))
        })?;
        let size = number.extract::<u64>().map_err(|_| {
            PyValueError::new_err(format!(
                "`{name}`: axis {} has the size {number}, and sizes are from 0 to 2**64 - 1",
                sizes.len()
            ))
        })?;
        sizes.push(size);
        if sizes.len() > MOST_AXES {
            return Err(PyValueError::new_err(format!(
                "`{name}`: a shape has at most {MOST_AXES} axes"
            )));
        }
    }
    Ok(Given::Sizes(sizes))
}

/// The largest number of axes of a shape: more is an endless iterator, or no shape.
const MOST_AXES: usize = 1 << 16;

/// Returns the name of the type of an object.
pub fn kind(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().name();
    name.map_or_else(|_| "?".to_owned(), |name| name.to_string())
}

/// Makes a mapping from inputs to their shapes and numbers.
///
/// # Errors
/// Where there is no memory.
pub fn to_python<'py>(py: Python<'py>, point: &Point) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, given) in point {
        match given {
            Given::Number(number) => dict.set_item(name, number)?,
            Given::Sizes(sizes) => dict.set_item(name, PyTuple::new(py, sizes)?)?,
        }
    }
    Ok(dict)
}

/// Returns a point as people write it.
pub fn shown(point: &Point) -> String {
    let parts = point.iter().map(|(name, given)| match given {
        Given::Number(number) => format!("{name}={number}"),
        Given::Sizes(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            format!("{name}=[{}]", sizes.join(", "))
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}
