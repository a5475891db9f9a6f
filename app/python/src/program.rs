//! Programs: shapes, loops, and runs on the interpreter.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lozenge::backend::{Error, Interpreter, Limits, Tensor};
use lozenge::{
    Begin, Checkpoint, Diagnostic, EpochReport, Options, Printed, Reading, RunError, Settings,
    Stopped, Surroundings, Watch,
};
use lozenge_lang::numpy::AsNumbers;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Request, Source, Start, Values, Wish};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};
use serde_json::json;

use crate::errors;
use crate::waiting::{self, Stop};

/// A program that is accepted.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Text(Arc<Accepted>);

struct Accepted {
    source: String,
    name: String,
    folder: Option<PathBuf>,
    /// The sizes that stand instead of those of the text.
    sizes: BTreeMap<String, u64>,
    reading: Reading,
    /// The program with empty lists in place of values that come from outside, so that all other data can be loaded.
    filled: Program,
}

/// The results of a run.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Outcome {
    tensors: Vec<(String, Tensor)>,
    epochs: Vec<String>,
}

#[pymethods]
impl Outcome {
    /// Returns the texts behind `print`, and the names that were asked for.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.tensors.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns the values of a tensor by its place: its shape, the size of a number in bytes, and the bytes of its
    /// numbers.
    fn tensor<'py>(
        &self,
        py: Python<'py>,
        at: usize,
    ) -> PyResult<(Vec<u64>, usize, Bound<'py, PyByteArray>)> {
        let (_, tensor) = self
            .tensors
            .get(at)
            .ok_or_else(|| PyValueError::new_err("there is no tensor of this number"))?;
        let (width, count) = match tensor.double_values() {
            Some(values) => (size_of::<f64>(), values.len()),
            None => (size_of::<f32>(), tensor.values().len()),
        };
        let bytes = PyByteArray::new_with(py, width * count, |bytes| {
            match tensor.double_values() {
                Some(values) => {
                    let parts = bytes.chunks_exact_mut(size_of::<f64>());
                    let each = parts.zip(values);
                    each.for_each(|(part, value)| part.copy_from_slice(&value.to_le_bytes()));
                }
                None => {
                    let parts = bytes.chunks_exact_mut(size_of::<f32>());
                    let each = parts.zip(tensor.values());
                    each.for_each(|(part, value)| part.copy_from_slice(&value.to_le_bytes()));
                }
            }
            Ok(())
        })?;
        Ok((tensor.shape().to_vec(), width, bytes))
    }

    /// Returns the output of each epoch, as JSON.
    #[getter]
    fn epochs(&self) -> Vec<String> {
        self.epochs.clone()
    }
}

#[pymethods]
impl Text {
    /// Reads a program, and infers its shapes and loops.
    #[new]
    #[pyo3(signature = (source: "str", name: "str", folder: "str | None", sizes: "dict[str, int]"))]
    fn new(
        py: Python<'_>,
        source: String,
        name: String,
        folder: Option<PathBuf>,
        sizes: BTreeMap<String, u64>,
    ) -> PyResult<Text> {
        let surroundings = Surroundings {
            folder: folder.clone(),
            sizes: sizes.clone(),
            ..Surroundings::default()
        };
        let about = source.clone();
        let read = move |_: &Stop| {
            let options = Options::default();
            match lozenge::read_in(&source, &surroundings, &options) {
                Ok(reading) => Ok((reading, source)),
                Err(found) => {
                    let of_text = lozenge::parse_in(&source, &surroundings).is_err();
                    Err((found, source, of_text))
                }
            }
        };
        match waiting::answer(py, &about, read)? {
            Ok((reading, source)) => Ok(Text(Arc::new(Accepted {
                filled: filled(&reading.program),
                source,
                name,
                folder,
                sizes,
                reading,
            }))),
            Err((found, source, of_text)) => {
                Err(errors::program(py, &found, &source, &name, of_text))
            }
        }
    }

    /// Returns the tensors: the name, the shape as a program writes it, the sizes in the order of memory, where the
    /// values come from, and whether it is a parameter.
    fn tensors(&self) -> Vec<(String, String, Vec<u64>, &'static str, bool)> {
        let reading = &self.0.reading;
        let tensors = reading.program.tensors.iter();
        let both = tensors.zip(reading.inference.shapes.iter());
        both.map(|(tensor, shape)| {
            let text = lozenge::shape_text(shape);
            (
                tensor.name.to_string(),
                text,
                lozenge::sizes(shape),
                origin(&tensor.source),
                matches!(&tensor.source, Source::Param(parameter) if !parameter.state),
            )
        })
        .collect()
    }

    /// Returns the page that `lozenge view` writes of the program.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let accepted = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| {
            let folder = accepted.folder.clone().unwrap_or_default();
            let sizes = accepted.sizes.clone().into_iter().collect();
            let path = folder.join(&accepted.name);
            lozenge_cli::page(&accepted.source, &path, sizes)
        })?
        .map_err(PyRuntimeError::new_err)
    }

    /// Returns the loop nest of each operation: the tensor that it writes, the line of the program, and the text.
    fn loops(&self) -> Vec<(String, usize, String)> {
        let reading = &self.0.reading;
        let steps = reading.program.steps.iter();
        let both = steps.zip(&reading.inference.nests);
        both.map(|(step, nest)| {
            let written = &reading.program[step.operation.slots[0]].name;
            let (line, _) = lozenge_lang::place(&self.0.source, step.span.start);
            (written.to_string(), line, lozenge::nest_text(step, nest))
        })
        .collect()
    }

    /// Returns the warnings, as the command prints them.
    fn warnings(&self) -> Vec<String> {
        let warnings = self.0.reading.warnings.iter();
        warnings.map(|warning| self.0.rendered(warning)).collect()
    }

    /// Runs the program. `given` holds the shape and the bytes of the numbers of each tensor whose values come from
    /// outside.
    ///
    /// # Errors
    /// `ShapeError` where an array has another shape, `ValueError` where one is missing or unknown, `Unknown` at a
    /// limit.
    #[pyo3(signature = (
        given: "dict[str, tuple[tuple[int, ...], bytes]]", show: "list[str]", wide: "bool", seed: "int", epochs: "int | None",
        limits: "tuple[int | None, int | None]", progress: "object"
    ) -> "Outcome")]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are the settings of one function of Python"
    )]
    fn run(
        &self,
        py: Python<'_>,
        given: &Bound<'_, PyDict>,
        show: Vec<String>,
        wide: bool,
        seed: u64,
        epochs: Option<u64>,
        limits: (Option<u64>, Option<u64>),
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Outcome> {
        let defaults = Limits::default();
        let limits = Limits {
            bytes: limits.0.unwrap_or(defaults.bytes),
            points: limits.1.unwrap_or(defaults.points),
        };
        let accepted = self.0.clone();
        let given = accepted.given(py, given, wide)?;
        accepted.can_run()?;
        let shown = accepted.shown(&show)?;
        let run = move |stop: &Stop| {
            let settings = Settings {
                seed,
                epochs,
                keep: Some(shown.iter().map(|(_, id)| *id).collect()),
                begin: Begin::Anew,
            };
            let watcher = Watcher {
                accepted: &accepted,
                stop,
                progress,
                tensors: Vec::new(),
                epochs: Vec::new(),
                raised: None,
            };
            let done = match given {
                Arrays::Single(given) => {
                    let mut device = Interpreter::new(limits);
                    accepted.run(given, &mut device, settings, watcher)
                }
                Arrays::Double(given) => {
                    let mut device = Interpreter::wide(limits);
                    accepted.run(given, &mut device, settings, watcher)
                }
            };
            (done, shown, accepted)
        };
        let (done, shown, accepted) = waiting::answer(py, &self.0.source, run)?;
        let (results, mut kept, epochs) = done.map_err(|failed| accepted.raised(py, failed))?;
        for (name, id) in shown {
            kept.push((name, results[id.0].clone()));
        }
        Ok(Outcome {
            tensors: kept,
            epochs,
        })
    }
}

/// Returns the program with empty lists in place of values that come from outside.
fn filled(program: &Program) -> Program {
    let mut filled = program.clone();
    for tensor in &mut filled.tensors {
        if tensor.source == Source::Data(Values::Outside) {
            tensor.source = Source::Data(Values::Listed(Vec::new()));
        }
    }
    filled
}

/// Tells whether the values of a tensor come from outside.
fn is_outside(source: &Source) -> bool {
    match source {
        Source::Data(values) => *values == Values::Outside,
        Source::Param(parameter) => parameter.start == Start::Outside,
        Source::Constant(_) | Source::Intermediate => false,
    }
}

/// Tells whether a run may be given the values of a tensor.
fn can_be_given(source: &Source) -> bool {
    is_outside(source) || matches!(source, Source::Param(_))
}

/// Names the origin of the values of a tensor, in one word.
fn origin(source: &Source) -> &'static str {
    match source {
        _ if is_outside(source) => "outside",
        Source::Data(_) => "data",
        Source::Param(parameter) if parameter.state => "state",
        Source::Param(_) => "param",
        Source::Constant(_) => "constant",
        Source::Intermediate => "computed",
    }
}

/// Arrays that a run is given: the shape and the numbers of each.
type Given<N> = BTreeMap<TensorId, (Vec<u64>, Vec<N>)>;

/// Arrays in the precision of the run.
enum Arrays {
    Single(Given<f32>),
    Double(Given<f64>),
}

/// A number of an array.
trait Number: Sized + Copy {
    /// Reads the numbers of an array from its bytes.
    fn all(bytes: &[u8]) -> Vec<Self>;
    /// Makes a tensor of numbers.
    fn tensor(shape: Vec<u64>, values: Vec<Self>) -> Result<Tensor, Error>;
    /// Loads the data of a program.
    fn load(
        program: &Program,
        folder: &std::path::Path,
    ) -> Result<BTreeMap<TensorId, Vec<Self>>, Box<lozenge::LoadError>>;
}

impl Number for f32 {
    fn all(bytes: &[u8]) -> Vec<f32> {
        let (parts, _) = bytes.as_chunks();
        parts.iter().map(|part| f32::from_le_bytes(*part)).collect()
    }

    fn tensor(shape: Vec<u64>, values: Vec<f32>) -> Result<Tensor, Error> {
        Tensor::new(shape, values)
    }

    fn load(
        program: &Program,
        folder: &std::path::Path,
    ) -> Result<BTreeMap<TensorId, Vec<f32>>, Box<lozenge::LoadError>> {
        lozenge::load(program, folder)
    }
}

impl Number for f64 {
    fn all(bytes: &[u8]) -> Vec<f64> {
        let (parts, _) = bytes.as_chunks();
        parts.iter().map(|part| f64::from_le_bytes(*part)).collect()
    }

    fn tensor(shape: Vec<u64>, values: Vec<f64>) -> Result<Tensor, Error> {
        Tensor::wide(shape, values)
    }

    fn load(
        program: &Program,
        folder: &std::path::Path,
    ) -> Result<BTreeMap<TensorId, Vec<f64>>, Box<lozenge::LoadError>> {
        lozenge::load_wide(program, folder)
    }
}

/// The failure of a run.
enum Failed {
    Load(Box<lozenge::LoadError>),
    Run(RunError),
    /// An assertion of the program, or an exception of the observer.
    Raised(Raised),
}

/// The cause that stopped a run.
enum Raised {
    Assertion(Box<Diagnostic>),
    Exception(PyErr),
}

type Done = Result<(Vec<Tensor>, Vec<(String, Tensor)>, Vec<String>), Failed>;

impl Accepted {
    fn rendered(&self, diagnostic: &Diagnostic) -> String {
        diagnostic.render(&self.source, &self.name, false)
    }

    /// Reads the arrays that are given, of which each has to be for a parameter or for a tensor whose values come from
    /// outside, and of its shape. A parameter that has a value in the program begins with the array in its place.
    fn given(&self, py: Python<'_>, given: &Bound<'_, PyDict>, wide: bool) -> PyResult<Arrays> {
        match wide {
            false => Ok(Arrays::Single(self.read(py, given)?)),
            true => Ok(Arrays::Double(self.read(py, given)?)),
        }
    }

    fn read<N: Number>(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Given<N>> {
        let program = &self.reading.program;
        let all = (0..program.tensors.len()).map(TensorId);
        let wanted = all.filter(|id| is_outside(&program[*id].source));
        let wanted: Vec<TensorId> = wanted.collect();
        let names = || {
            let names: Vec<&str> = wanted.iter().map(|id| &*program[*id].name).collect();
            match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            }
        };
        let mut arrays = BTreeMap::new();
        for (name, value) in given.iter() {
            let name: String = name.extract()?;
            let found = program
                .find(&name)
                .filter(|id| can_be_given(&program[*id].source));
            let Some(id) = found else {
                let why = match program.find(&name) {
                    Some(_) => "has its values in the program",
                    None => "is no tensor of the program",
                };
                return Err(PyValueError::new_err(format!(
                    "`{name}` {why}: those whose values come from outside are {}",
                    names()
                )));
            };
            let (shape, bytes): (Vec<u64>, Bound<'_, PyBytes>) = value.extract()?;
            let own = &self.reading.inference.shapes[id.0];
            if shape != lozenge::sizes(own) {
                let message = format!(
                    "the array for `{name}` has the shape {shape:?}, and `{name}` is {}, with the sizes {:?}",
                    lozenge::shape_text(own),
                    lozenge::sizes(own)
                );
                return Err(errors::shape(py, &message, &[], None, &[]));
            }
            let values = N::all(bytes.as_bytes());
            arrays.insert(id, (shape, values));
        }
        let missing = wanted.iter().find(|id| !arrays.contains_key(*id));
        match missing {
            None => Ok(arrays),
            Some(id) => {
                let name = &program[*id].name;
                let shape = &self.reading.inference.shapes[id.0];
                Err(PyValueError::new_err(format!(
                    "`{name}` has no values: give it an array of the shape {:?}, as run({name}=array)",
                    lozenge::sizes(shape)
                )))
            }
        }
    }

    /// Refuses what only the command does.
    fn can_run(&self) -> PyResult<()> {
        let requests = &self.reading.program.requests;
        let saves = requests
            .iter()
            .find(|request| matches!(request.what, Wish::Save(_)));
        saves.map_or(Ok(()), |request| {
            let (line, _) = lozenge_lang::place(&self.source, request.span.start);
            Err(PyValueError::new_err(format!(
                "line {line}: `save` writes a file, which only the command does: take the line out, and the array with `print` or show=[…]"
            )))
        })
    }

    /// Returns the tensors with these names.
    fn shown(&self, names: &[String]) -> PyResult<Vec<(String, TensorId)>> {
        let find = |name: &String| match self.reading.program.find(name) {
            Some(id) => Ok((name.clone(), id)),
            None => Err(PyValueError::new_err(format!(
                "show: the program has no tensor `{name}`"
            ))),
        };
        names.iter().map(find).collect()
    }

    /// Runs the program.
    fn run<N: Number>(
        &self,
        given: Given<N>,
        device: &mut dyn lozenge::backend::Device,
        mut settings: Settings,
        mut watcher: Watcher<'_>,
    ) -> Done
    where
        Vec<N>: AsNumbers,
    {
        let folder = self.folder.clone().unwrap_or_default();
        let mut data = N::load(&self.filled, &folder).map_err(Failed::Load)?;
        let mut begin = Checkpoint::default();
        for (id, (shape, values)) in given {
            match &self.filled[id].source {
                Source::Param(_) => {
                    let tensor = N::tensor(shape, values);
                    let tensor = tensor.map_err(|error| Failed::Run(RunError::Device(error)))?;
                    begin
                        .tensors
                        .insert(self.filled[id].name.to_string(), tensor);
                }
                _ => {
                    data.insert(id, values);
                }
            }
        }
        if !begin.tensors.is_empty() {
            settings.begin = Begin::Given(begin);
        }
        let inference = &self.reading.inference;
        let done = lozenge::run_settled(
            &self.filled,
            &inference.shapes,
            &inference.nests,
            &data,
            device,
            &settings,
            &mut watcher,
        );
        match (done, watcher.raised) {
            (Ok(tensors), _) => Ok((tensors, watcher.tensors, watcher.epochs)),
            (Err(RunError::Stopped), Some(raised)) => Err(Failed::Raised(raised)),
            (Err(error), _) => Err(Failed::Run(error)),
        }
    }

    /// Makes the exception about a run.
    fn raised(&self, py: Python<'_>, failed: Failed) -> PyErr {
        let found = |diagnostic: &Diagnostic| {
            errors::program(
                py,
                std::slice::from_ref(diagnostic),
                &self.source,
                &self.name,
                true,
            )
        };
        match failed {
            Failed::Load(error) => found(&error.diagnostic()),
            Failed::Raised(Raised::Exception(error)) => error,
            Failed::Raised(Raised::Assertion(diagnostic)) => found(&diagnostic),
            Failed::Run(RunError::Class(error)) => found(&error.diagnostic()),
            Failed::Run(error) => {
                let (message, limit) = with_limit(&error);
                match limit {
                    true => errors::unknown(py, &message),
                    false => PyValueError::new_err(message),
                }
            }
        }
    }
}

/// Returns the message of an error, and whether it is a limit that can be raised.
fn with_limit(error: &RunError) -> (String, bool) {
    let of_device = match error {
        RunError::Device(error)
        | RunError::Tensor { error, .. }
        | RunError::Operation { error, .. } => error,
        other => return (other.to_string(), false),
    };
    let argument = match of_device {
        Error::TooManyPoints { .. } => "max_points",
        Error::Memory { .. } | Error::SharedMemory { .. } => "max_bytes",
        _ => return (error.to_string(), false),
    };
    (format!("{error}; run(…, {argument}=…) raises it"), true)
}

/// An observer of a run, which keeps what is printed.
struct Watcher<'a> {
    accepted: &'a Accepted,
    stop: &'a Stop,
    progress: Option<Py<PyAny>>,
    tensors: Vec<(String, Tensor)>,
    epochs: Vec<String>,
    raised: Option<Raised>,
}

impl Watcher<'_> {
    /// Returns the text behind `print` in the program.
    fn written(&self, request: &Request) -> String {
        let text = self.accepted.source.get(request.span.clone());
        text.unwrap_or_default().to_owned()
    }

    fn keep(&mut self, name: String, tensor: Tensor) {
        match self.tensors.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = tensor,
            None => self.tensors.push((name, tensor)),
        }
    }

    fn go_on(&self) -> Result<(), Stopped> {
        match self.stop.is_set() {
            true => Err(Stopped),
            false => Ok(()),
        }
    }
}

impl Watch for Watcher<'_> {
    fn request(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Stopped> {
        match request.what {
            Wish::Print => {
                let name = self.written(request);
                self.keep(name, tensor.clone());
            }
            Wish::Assert => {
                if let Some(at) = tensor.wide_values().iter().position(|value| *value == 0.0) {
                    let label = format!("0 in cell {at} of {}", tensor.wide_values().len());
                    let message = "an assertion does not hold";
                    let diagnostic = Diagnostic::new(request.span.clone(), message, label);
                    self.raised = Some(Raised::Assertion(Box::new(diagnostic)));
                    return Err(Stopped);
                }
            }
            Wish::Save(_) | Wish::Classes(_) => {}
        }
        self.go_on()
    }

    fn epoch(
        &mut self,
        report: &EpochReport,
        _: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        let mut printed = serde_json::Map::new();
        for (request, found) in &report.printed {
            let name = self.written(&self.accepted.reading.program.requests[*request]);
            match (found.mean(), found) {
                (Some(mean), _) => {
                    printed.insert(name, json!(mean));
                }
                (None, Printed::Tensor(tensor)) => self.keep(name, tensor.clone()),
                (None, Printed::Steps(_)) => {}
            }
        }
        let line = json!({
            "section": report.section, "epoch": report.epoch, "epochs": report.epochs, "step": report.step, "printed": printed,
        })
        .to_string();
        self.epochs.push(line.clone());
        if let Some(progress) = &self.progress {
            let called = Python::attach(|py| progress.call1(py, (line,)).map(drop));
            if let Err(error) = called {
                self.raised = Some(Raised::Exception(error));
                return Err(Stopped);
            }
        }
        self.go_on()
    }
}
