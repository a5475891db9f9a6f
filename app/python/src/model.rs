//! Models: which sizes they take.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use lozenge_gradual_solver::{Answer, Branches, Migration, Options, PointAnswer, Relax, Sizes};
use lozenge_graph::Limits;
use lozenge_graph_vocabulary::{Format, Graph};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use serde_json::json;

use crate::conditions::read_conditions;
use crate::errors;
use crate::point;
use crate::proof::{self, Wanted};
use crate::waiting;

/// A model with the sizes that it takes.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Model {
    graph: Arc<Graph>,
    options: Options,
    answer: Arc<Mutex<Answer>>,
    /// The command that asks about the same model.
    about: String,
}

/// Returns the answer, whoever asked before. A question that ended with a panic leaves nothing half done: what it had
/// made is kept terms.
fn held(answer: &Mutex<Answer>) -> MutexGuard<'_, Answer> {
    answer.lock().unwrap_or_else(|held| held.into_inner())
}

#[pymethods]
impl Model {
    /// Reads a model, from a file or from the content of one, and computes which sizes it takes.
    #[new]
    #[pyo3(signature = (content: "bytes | None", path: "str | None", relax: "list[str] | bool", conditions: "str", limits: "dict[str, int]"))]
    fn new(
        py: Python<'_>,
        content: Option<PyBackedBytes>,
        path: Option<PathBuf>,
        relax: &Bound<'_, PyAny>,
        conditions: &str,
        limits: &Bound<'_, PyDict>,
    ) -> PyResult<Model> {
        let limits = read_limits(limits)?;
        let about = match (&content, &path) {
            (None, Some(path)) => format!("lozenge sizes {}", path.display()),
            (content, _) => format!(
                "lozenge sizes, with the {} bytes that were given",
                content.as_ref().map_or(0, |content| content.len())
            ),
        };
        let read = waiting::answer(py, &about, move |_| match (content, path) {
            (Some(content), _) => lozenge_graph::read(content.to_vec(), &limits),
            (None, path) => lozenge_graph::read_file(&path.unwrap_or_default(), &limits),
        })?;
        let graph = Arc::new(read.map_err(|error| errors::model(py, &error))?);
        let options = Options {
            relax: relaxed(relax, &graph)?,
            conditions: read_conditions(conditions)?,
        };
        if let Some(name) = Answer::unknown_name(&graph, &options) {
            return Err(no_such_size(&name, &graph));
        }
        let (for_answer, asked) = (graph.clone(), options.clone());
        let answer = waiting::answer(py, &about, move |_| Sizes::of(for_answer, &asked))?;
        Ok(Model {
            graph,
            options,
            answer: Arc::new(Mutex::new(answer)),
            about,
        })
    }

    /// Returns the names of the inputs.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        let inputs = self.graph.main().inputs.iter();
        inputs.map(|id| self.graph[*id].name.clone()).collect()
    }

    /// Returns the kind of file: `onnx`, `torch.export`, `torch.fx` or `grad`.
    #[getter]
    fn format(&self) -> &'static str {
        match self.graph.format {
            Format::Onnx => "onnx",
            Format::TorchExport => "torch.export",
            Format::Fx => "torch.fx",
            Format::Grad => "grad",
        }
    }

    /// Counts the nodes of the graph.
    #[getter]
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }

    /// Returns the answer for people, as the command prints it.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let answer = self.answer.clone();
        waiting::answer(py, &self.about, move |_| held(&answer).text())
    }

    /// Returns the answer as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let answer = self.answer.clone();
        waiting::answer(py, &self.about, move |_| {
            json!(held(&answer).report()).to_string()
        })
    }

    /// Returns the shapes of all values of a case in input symbols, as JSON.
    fn layers(&self, py: Python<'_>, case: usize) -> PyResult<String> {
        let answer = self.answer.clone();
        waiting::answer(py, &self.about, move |_| {
            json!(held(&answer).node_shapes(case)).to_string()
        })
    }

    /// Says whether these sizes are admitted; nothing where that is not known.
    #[pyo3(signature = (given: "dict[str, object]") -> "bool | None")]
    fn admits(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Option<bool>> {
        let point = point::from_python(given, &self.graph)?;
        let answer = self.answer.clone();
        waiting::answer(py, &self.about, move |_| held(&answer).admits(&point))
    }

    /// Answers about these sizes, as JSON.
    #[pyo3(signature = (given: "dict[str, object]"))]
    fn at(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<String> {
        let point = point::from_python(given, &self.graph)?;
        let answer = self.answer.clone();
        let found = waiting::answer(py, &self.about, move |_| held(&answer).at(&point))?;
        Ok(point_json(&found))
    }

    /// Returns the nearest admitted sizes along each axis, as JSON.
    #[pyo3(signature = (given: "dict[str, object]"))]
    fn nearest(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<String> {
        let point = point::from_python(given, &self.graph)?;
        let answer = self.answer.clone();
        waiting::answer(py, &self.about, move |_| {
            json!(held(&answer).nearest(&point)).to_string()
        })
    }

    /// Returns the conditions on which the model branches, with what is known about each, as JSON.
    fn branches(&self, py: Python<'_>) -> PyResult<String> {
        let (graph, options) = (self.graph.clone(), self.options.clone());
        waiting::answer(py, &self.about, move |_| {
            json!(Branches::of(&graph, &options)).to_string()
        })
    }

    /// Returns the annotations that the inputs may get, as JSON.
    fn migrate(&self, py: Python<'_>) -> PyResult<String> {
        let (graph, options) = (self.graph.clone(), self.options.clone());
        waiting::answer(py, &self.about, move |_| {
            json!(Migration::of(graph, &options)).to_string()
        })
    }

    /// Returns the set as it is written into a lock file, as JSON.
    ///
    /// # Errors
    /// `Unknown` where the set is not known, or has an input of undeclared rank.
    fn lock(&self, py: Python<'_>) -> PyResult<String> {
        let answer = self.answer.clone();
        let lock = waiting::answer(py, &self.about, move |_| held(&answer).lock())?;
        let lock = lock.map_err(|error| errors::unknown(py, &error.to_string()))?;
        Ok(json!(lock).to_string())
    }

    /// Returns the differences from a set that was written down, as JSON.
    ///
    /// # Errors
    /// `ValueError` where the text is none that `lock` made; `Unknown` where one of the sets is not known.
    fn against(&self, py: Python<'_>, lock: &str) -> PyResult<String> {
        let read: lozenge_gradual_solver::Lock = serde_json::from_str(lock)
            .map_err(|error| PyValueError::new_err(format!("this is no lock file: {error}")))?;
        let answer = self.answer.clone();
        let found = waiting::answer(py, &self.about, move |_| held(&answer).against(&read))?;
        let found = found.map_err(|error| match error {
            lozenge_gradual_solver::LockError::Damaged => PyValueError::new_err(error.to_string()),
            other => errors::unknown(py, &other.to_string()),
        })?;
        Ok(json!(found.differences).to_string())
    }

    /// Proves that all sizes of a pattern are admitted, and returns what was taken for granted.
    ///
    /// # Errors
    /// `ShapeError` with sizes that are refused, `Unknown` where a limit is reached.
    #[pyo3(signature = (patterns: "dict[str, str | int]", outputs: "dict[str, str]", conditions: "str"))]
    fn prove(
        &self,
        py: Python<'_>,
        patterns: &Bound<'_, PyDict>,
        outputs: &Bound<'_, PyDict>,
        conditions: &str,
    ) -> PyResult<Vec<(String, String)>> {
        let wanted = Wanted::read(patterns, outputs, conditions, &self.graph)?;
        let (graph, options) = (self.graph.clone(), self.options.clone());
        let found = waiting::answer(py, &self.about, move |_| {
            proof::prove(&graph, &options, &wanted)
        })?;
        found.map_err(|failure| failure.raised(py))
    }
}

/// Returns the answer about a point as JSON.
fn point_json(found: &PointAnswer) -> String {
    let limits: Vec<String> = found.limits.iter().map(ToString::to_string).collect();
    json!({
        "admitted": found.admitted,
        "outputs": found.outputs,
        "refusals": found.refusals,
        "unknown": found.unknown,
        "limits": limits,
    })
    .to_string()
}

/// Reads the limits of reading a file.
fn read_limits(given: &Bound<'_, PyDict>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        let number = || {
            value.extract::<u64>().map_err(|_| {
                PyValueError::new_err(format!("`{name}` is no number from 0 to 2**64 - 1"))
            })
        };
        match name.as_str() {
            "max_file_bytes" => limits.max_file_bytes = number()?,
            "max_nodes" => limits.max_nodes = number()?,
            "max_levels" => limits.max_levels = u32::try_from(number()?).unwrap_or(u32::MAX),
            "max_values" => limits.max_values = number()?,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "`{name}` is no limit: there are max_file_bytes, max_nodes, max_levels and max_values"
                )));
            }
        }
    }
    Ok(limits)
}

/// Reads which declared sizes are freed: those of all inputs, or of some.
fn relaxed(given: &Bound<'_, PyAny>, graph: &Graph) -> PyResult<Relax> {
    if let Ok(all) = given.extract::<bool>() {
        return Ok(match all {
            true => Relax::All,
            false => Relax::Nothing,
        });
    }
    let names: Vec<String> = given.extract()?;
    names
        .iter()
        .try_for_each(|name| point::is_input(name, graph))?;
    Ok(Relax::Inputs(names))
}

/// Refuses a name in a condition that is neither an axis, an input nor a node.
fn no_such_size(name: &str, graph: &Arc<Graph>) -> PyErr {
    let names = Sizes::of(graph.clone(), &Options::default()).names();
    let inputs = graph.main().inputs.iter();
    let inputs: Vec<&str> = inputs.map(|id| graph[*id].name.as_str()).collect();
    PyValueError::new_err(format!(
        "where: nothing is called `{name}`: there are the sizes {}, those of the inputs {} as in `{}[0]`, and those of nodes by their names",
        names.join(", "),
        inputs.join(", "),
        inputs.first().unwrap_or(&"x"),
    ))
}
