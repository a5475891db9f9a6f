//! Programs: shapes, loops, and runs on the interpreter.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use lozenge::{Diagnostic, Options, Reading, Surroundings};
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Source, Start, Values, Wish};
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{self, Arrays, Number};
use crate::errors;
use crate::lines::Lines;
use crate::run::{self, Asked};
use crate::waiting::{self, Stop};

/// Results of a run: tensors by name, and the lines that training told.
type Results = (Vec<(String, Py<PyAny>)>, Vec<String>);

/// A program that is accepted.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Text(Arc<Accepted>);

/// A program with its shapes and loops, and the text from which it was read.
pub struct Accepted {
    pub source: String,
    pub name: String,
    pub folder: Option<PathBuf>,
    /// The sizes that stand instead of those of the text.
    sizes: BTreeMap<String, u64>,
    pub reading: Reading,
    /// The program with empty lists in place of values that come from outside, so that all other data can be loaded.
    pub filled: Program,
}

/// A tensor: the name, the shape as a program writes it, the sizes in the order of memory, where the values come from,
/// and the truth of being a parameter.
type Described = (String, String, Vec<u64>, &'static str, bool);

/// A program that is refused.
pub struct Rejected {
    source: String,
    name: String,
    found: Vec<Diagnostic>,
    /// True if the text is wrong, and not the shapes.
    of_text: bool,
}

impl Rejected {
    /// Makes the exception about it.
    pub fn raised(&self, py: Python<'_>) -> PyErr {
        errors::program(py, &self.found, &self.source, &self.name, self.of_text)
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
        let about = source.clone();
        let read = move |_: &Stop| Accepted::read(source, name, folder, sizes);
        match waiting::answer(py, &about, read)? {
            Ok(accepted) => Ok(Text(Arc::new(accepted))),
            Err(rejected) => Err(rejected.raised(py)),
        }
    }

    /// Returns the tensors: the name, the shape as a program writes it, the sizes in the order of memory, where the
    /// values come from, and whether it is a parameter.
    fn tensors(&self, py: Python<'_>) -> PyResult<Vec<Described>> {
        let accepted = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| accepted.tensors())
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
    fn loops(&self, py: Python<'_>) -> PyResult<Vec<(String, usize, String)>> {
        let accepted = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| accepted.loops())
    }

    /// Returns the warnings, as the command prints them.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let accepted = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| {
            let warnings = accepted.reading.warnings.iter();
            warnings.map(|warning| accepted.rendered(warning)).collect()
        })
    }

    /// Runs the program. `given` holds an array of NumPy for each tensor whose values come from outside: contiguous, in
    /// the order of C, of the precision of the run. Returns what is printed, and what was asked for, by name, and the
    /// output of each epoch as JSON.
    ///
    /// # Errors
    /// `ShapeError` where an array has another shape, `ValueError` where one is missing or unknown, `Unknown` at a
    /// limit.
    #[pyo3(signature = (
        given: "dict[str, object]", show: "list[str]", wide: "bool", seed: "int", epochs: "int | None",
        limits: "tuple[int | None, int | None]", progress: "object"
    ) -> "tuple[list[tuple[str, object]], list[str]]")]
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
    ) -> PyResult<Results> {
        let accepted = self.0.clone();
        let asked = Asked {
            seed,
            epochs,
            limits: run::limits(limits),
            shown: accepted.shown(&show)?,
            prints: true,
            progress,
        };
        let done = match wide {
            false => run::answer::<f32>(py, accepted, given, asked)?,
            true => run::answer::<f64>(py, accepted, given, asked)?,
        };
        let named = done.tensors.into_iter();
        let arrays = named.map(|(name, tensor)| Ok((name, array::to_python(py, tensor)?)));
        Ok((arrays.collect::<PyResult<Vec<_>>>()?, done.epochs))
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

impl Accepted {
    /// Reads a program, and infers its shapes and loops.
    ///
    /// # Errors
    /// When it is refused.
    pub fn read(
        source: String,
        name: String,
        folder: Option<PathBuf>,
        sizes: BTreeMap<String, u64>,
    ) -> Result<Accepted, Rejected> {
        let surroundings = Surroundings {
            folder: folder.clone(),
            sizes: sizes.clone(),
            ..Surroundings::default()
        };
        match lozenge::read_in(&source, &surroundings, &Options::default()) {
            Ok(reading) => Ok(Accepted {
                filled: filled(&reading.program),
                source,
                name,
                folder,
                sizes,
                reading,
            }),
            Err(found) => Err(Rejected {
                of_text: lozenge::parse_in(&source, &surroundings).is_err(),
                source,
                name,
                found,
            }),
        }
    }

    fn tensors(&self) -> Vec<Described> {
        let tensors = self.reading.program.tensors.iter();
        let both = tensors.zip(self.reading.inference.shapes.iter());
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

    /// Returns the loop nest of each operation: the tensor that it writes, the line of the program, and the text.
    pub fn loops(&self) -> Vec<(String, usize, String)> {
        let lines = Lines::of(&self.source);
        let steps = self.reading.program.steps.iter();
        let both = steps.zip(&self.reading.inference.nests);
        both.map(|(step, nest)| {
            let written = &self.reading.program[step.operation.slots[0]].name;
            let line = lines.line(step.span.start);
            (written.to_string(), line, lozenge::nest_text(step, nest))
        })
        .collect()
    }

    fn rendered(&self, diagnostic: &Diagnostic) -> String {
        diagnostic.render(&self.source, &self.name, false)
    }

    /// Reads the arrays that are given, of which each has to be for a parameter or for a tensor whose values come from
    /// outside, and of its shape. A parameter that has a value in the program begins with the array in its place.
    ///
    /// # Errors
    /// `ShapeError` for another shape, `ValueError` where an array is missing or unknown.
    pub fn given<N: Number>(
        &self,
        py: Python<'_>,
        given: &Bound<'_, PyDict>,
    ) -> PyResult<Arrays<N>> {
        let program = &self.reading.program;
        let mut arrays = Arrays::new();
        for (name, value) in given.iter() {
            let name: String = name.extract()?;
            let id = self.can_be_given(&name)?;
            let array = array::taken::<N>(&name, &value)?;
            self.has_shape_of(py, id, array.bind(py).shape())?;
            arrays.push((id, array));
        }
        let all = (0..program.tensors.len()).map(TensorId);
        let mut wanted = all.filter(|id| is_outside(&program[*id].source));
        let known: BTreeSet<TensorId> = arrays.iter().map(|(id, _)| *id).collect();
        match wanted.find(|id| !known.contains(id)) {
            None => Ok(arrays),
            Some(id) => {
                let name = &program[id].name;
                let shape = &self.reading.inference.shapes[id.0];
                Err(PyValueError::new_err(format!(
                    "`{name}` has no values: give it an array of the shape {:?}, as run({name}=array)",
                    lozenge::sizes(shape)
                )))
            }
        }
    }

    /// Finds the tensor of this name that a run may be given.
    fn can_be_given(&self, name: &str) -> PyResult<TensorId> {
        let program = &self.reading.program;
        let found = program.find(name);
        if let Some(id) = found.filter(|id| can_be_given(&program[*id].source)) {
            return Ok(id);
        }
        let why = match found {
            Some(_) => "has its values in the program",
            None => "is no tensor of the program",
        };
        let tensors = program.tensors.iter();
        let names = tensors.filter(|tensor| is_outside(&tensor.source));
        let names: Vec<&str> = names.map(|tensor| &*tensor.name).collect();
        let names = match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        Err(PyValueError::new_err(format!(
            "`{name}` {why}: those whose values come from outside are {names}"
        )))
    }

    /// Refuses an array that does not have the shape of a tensor.
    fn has_shape_of(&self, py: Python<'_>, id: TensorId, shape: &[usize]) -> PyResult<()> {
        let own = &self.reading.inference.shapes[id.0];
        let sizes = lozenge::sizes(own);
        let equal = |(size, own): (&usize, &u64)| u64::try_from(*size) == Ok(*own);
        if shape.len() == sizes.len() && shape.iter().zip(&sizes).all(equal) {
            return Ok(());
        }
        let name = &self.reading.program[id].name;
        let message = format!(
            "the array for `{name}` has the shape {shape:?}, and `{name}` is {}, with the sizes {sizes:?}",
            lozenge::shape_text(own),
        );
        Err(errors::shape(py, &message, &[], None, &[]))
    }

    /// Refuses what only the command does.
    pub fn can_run(&self) -> PyResult<()> {
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
        let tensors = match names.is_empty() {
            true => &[][..],
            false => &self.reading.program.tensors,
        };
        let tensors = tensors.iter().enumerate().rev();
        let known: HashMap<&str, TensorId> = tensors
            .map(|(id, tensor)| (&*tensor.name, TensorId(id)))
            .collect();
        let find = |name: &String| match known.get(&**name) {
            Some(id) => Ok((name.clone(), *id)),
            None => Err(PyValueError::new_err(format!(
                "show: the program has no tensor `{name}`"
            ))),
        };
        names.iter().map(find).collect()
    }
}
