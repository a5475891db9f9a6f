//! Exceptions: the classes are written in Python, in `lozenge._errors`.

use lozenge::Diagnostic;
use lozenge_graph::{ModelError, Where};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::point;

/// Makes an exception of a class of `lozenge._errors`; where that fails, the exception that says why.
fn made(py: Python<'_>, class: &str, message: &str, fields: &Bound<'_, PyDict>) -> PyErr {
    let made = py
        .import("lozenge._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call((message,), Some(fields)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Makes an exception that has a message and nothing else.
fn plain(py: Python<'_>, class: &str, message: &str) -> PyErr {
    made(py, class, message, &PyDict::new(py))
}

/// Makes the exception about a panic of the library, with what reproduces it.
pub fn internal(py: Python<'_>, panic: &str, about: &str) -> PyErr {
    let version = env!("CARGO_PKG_VERSION");
    let message = format!(
        "a defect of lozenge {version}: {panic}\nPlease report it with what reproduces it: {about}"
    );
    plain(py, "InternalError", &message)
}

/// Makes the error that a limit was reached, which the message names.
pub fn unknown(py: Python<'_>, message: &str) -> PyErr {
    plain(py, "Unknown", message)
}

/// Makes the exception about what is no model.
pub fn model(py: Python<'_>, error: &ModelError) -> PyErr {
    let place = match &error.place {
        Where::File => None,
        place => Some(place.to_string().trim_end_matches(": ").to_owned()),
    };
    let message = error.to_string();
    let fields = PyDict::new(py);
    let filled = fields
        .set_item("place", place)
        .and_then(|()| fields.set_item("help", &error.help));
    match filled {
        Ok(()) => made(py, "ModelError", &message, &fields),
        Err(error) => error,
    }
}

/// Makes the exception about sizes that do not fit, with the nodes that refuse them, sizes that show it, and notes.
pub fn shape(
    py: Python<'_>,
    message: &str,
    nodes: &[String],
    witness: Option<&lozenge_gradual_solver::Point>,
    notes: &[String],
) -> PyErr {
    let fill = || {
        let fields = PyDict::new(py);
        fields.set_item("nodes", nodes)?;
        fields.set_item("notes", notes)?;
        if let Some(witness) = witness {
            fields.set_item("witness", point::to_python(py, witness)?)?;
        }
        Ok(fields)
    };
    match fill() {
        Ok(fields) => made(py, "ShapeError", message, &fields),
        Err(error) => error,
    }
}

/// Makes the exception about a program: what is wrong with its text, or with its shapes, at the place of the first
/// message.
pub fn program(
    py: Python<'_>,
    found: &[Diagnostic],
    source: &str,
    name: &str,
    of_text: bool,
) -> PyErr {
    let texts: Vec<String> = found
        .iter()
        .map(|diagnostic| diagnostic.render(source, name, false))
        .collect();
    let message = texts.join("\n");
    let (class, place) = match (of_text, found.first()) {
        (true, Some(first)) => ("ProgramError", Some(first.place(source))),
        _ => ("ShapeError", None),
    };
    let fields = PyDict::new(py);
    let filled = place.map_or(Ok(()), |(line, column)| {
        fields.set_item("line", line)?;
        fields.set_item("column", column)
    });
    match filled {
        Ok(()) => made(py, class, message.trim_end(), &fields),
        Err(error) => error,
    }
}

/// Makes the exception about a text that is no set of constraints.
pub fn notation(py: Python<'_>, message: &str) -> PyErr {
    plain(py, "ProgramError", message)
}
