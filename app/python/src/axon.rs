//! Axon programs: their types, and their runs at the sizes of arrays.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lozenge::Diagnostic;
use lozenge::axon::{self, Inferred, Lowered, Options, Table, Unfit};
use lozenge::backend::{Device, Interpreter, Tensor};
use lozenge_lang::numpy::AsNumbers;
use lozenge_vocabulary::operation::TensorId;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{self, Arrays, Number};
use crate::errors;
use crate::lines::Lines;
use crate::program::{Accepted, Rejected};
use crate::run::{self, Asked, Done, Failed};
use crate::waiting::{self, Stop};

/// The largest number of masks on whose values the sizes behind them depend.
const MOST_MASKS: usize = 64;

/// An Axon program that has types.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Axon(Arc<Typed>);

struct Typed {
    source: String,
    name: String,
    folder: Option<PathBuf>,
    table: Table,
    program: axon::syntax::Program,
    inferred: Inferred,
}

/// Results that are printed: each has a name, the truth of being ragged, and arrays: one, or as many as it has
/// elements.
type Printed = Vec<(String, bool, Vec<Py<PyAny>>)>;

/// A name at the top of a program: its type, its line, and what is left to be checked: each condition with the reason,
/// the line, and the time at which it can be decided.
type Typing = (
    String,
    String,
    usize,
    Vec<(String, String, usize, &'static str)>,
);

#[pymethods]
impl Axon {
    /// Reads a program, and infers its types.
    #[new]
    #[pyo3(signature = (source: "str", name: "str", folder: "str | None", table: "str"))]
    fn new(
        py: Python<'_>,
        source: String,
        name: String,
        folder: Option<PathBuf>,
        table: &str,
    ) -> PyResult<Axon> {
        let table = match table {
            "paper" => Table::default(),
            "printed" => Table::Printed,
            "broadcast" => Table::Broadcast,
            other => {
                return Err(PyValueError::new_err(format!(
                    "`table` is {other:?}: it is 'paper', 'printed' or 'broadcast'"
                )));
            }
        };
        let about = source.clone();
        let read = move |_: &Stop| Typed::read(source, name, folder, table);
        match waiting::answer(py, &about, read)? {
            Ok(typed) => Ok(Axon(Arc::new(typed))),
            Err(refused) => Err(refused.raised(py)),
        }
    }

    /// Returns the types of what the program binds at its top.
    fn types(&self, py: Python<'_>) -> PyResult<Vec<Typing>> {
        let typed = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| typed.types())
    }

    /// Returns the names of the parameters of each function at the top. Of a name that is bound twice the last counts.
    fn functions(&self, py: Python<'_>) -> PyResult<Vec<(String, Vec<String>)>> {
        let typed = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| axon::functions(&typed.program))
    }

    /// Returns the last function at the top.
    fn last_function(&self) -> Option<String> {
        axon::last_function(&self.0.program).map(str::to_owned)
    }

    /// Tells whether the program prints something.
    fn prints(&self) -> bool {
        self.0.prints()
    }

    /// Returns the warnings, as the command prints them.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let typed = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| {
            let warnings = typed.inferred.warnings.iter();
            warnings
                .map(|warning| warning.render(&typed.source, &typed.name, false))
                .collect()
        })
    }

    /// Returns the page that `lozenge view` writes of the program.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let typed = self.0.clone();
        waiting::answer(py, &self.0.source, move |_| {
            lozenge_cli::axon_page(&typed.source, &typed.name)
        })?
        .map_err(PyRuntimeError::new_err)
    }

    /// Follows the program at the sizes of its data; or a function of it at the shapes of its arguments.
    ///
    /// # Errors
    /// `ShapeError` where the function does not take these shapes, `ValueError` where the arguments are others.
    #[pyo3(signature = (function: "str | None", shapes: "dict[str, list[int]]") -> "Sized")]
    fn at(
        &self,
        py: Python<'_>,
        function: Option<String>,
        shapes: BTreeMap<String, Vec<u64>>,
    ) -> PyResult<Sized> {
        let typed = self.0.clone();
        let follow = move |_: &Stop| Followed::of(typed, function, shapes);
        match waiting::answer(py, &self.0.source, follow)? {
            Ok(followed) => Ok(Sized(Arc::new(followed))),
            Err(refused) => Err(refused.raised(py)),
        }
    }
}

impl Typed {
    fn read(
        source: String,
        name: String,
        folder: Option<PathBuf>,
        table: Table,
    ) -> Result<Typed, Refused> {
        let refused = |found: Vec<Diagnostic>, how| Refused::Said {
            found,
            how,
            source: source.clone(),
            name: name.clone(),
        };
        let program = axon::parse(&source).map_err(|found| refused(found, How::Text))?;
        let options = Options {
            table,
            ..Options::default()
        };
        let mut inferred = axon::infer(&program, &options);
        if !inferred.errors.is_empty() {
            let errors = std::mem::take(&mut inferred.errors);
            return Err(refused(errors, How::Shapes));
        }
        if !inferred.unknown.is_empty() {
            let doubts = std::mem::take(&mut inferred.unknown);
            return Err(refused(doubts, How::Unknown));
        }
        Ok(Typed {
            source,
            name,
            folder,
            table,
            program,
            inferred,
        })
    }

    /// Returns the types of what the program binds at its top.
    fn types(&self) -> Vec<Typing> {
        let lines = Lines::of(&self.source);
        let bindings = self.inferred.bindings.iter();
        bindings
            .map(|binding| {
                let checks = binding.checks.iter().map(|check| {
                    (
                        check.condition.clone(),
                        check.why.clone(),
                        lines.line(check.span.start),
                        check.decided,
                    )
                });
                (
                    binding.name.clone(),
                    binding.scheme(),
                    lines.line(binding.span.start),
                    checks.collect(),
                )
            })
            .collect()
    }

    fn prints(&self) -> bool {
        let nodes = self.program.nodes.iter();
        let mut printed = nodes.filter_map(|node| match &node.kind {
            axon::syntax::NodeKind::Print(values) => Some(values),
            _ => None,
        });
        printed.any(|values| !values.is_empty())
    }

    fn refused(&self, found: Vec<Diagnostic>, how: How) -> Refused {
        Refused::Said {
            found,
            how,
            source: self.source.clone(),
            name: self.name.clone(),
        }
    }
}

/// The kind of what is wrong.
#[derive(Clone, Copy)]
enum How {
    /// The text.
    Text,
    /// The shapes.
    Shapes,
    /// A limit of the solver.
    Unknown,
}

/// A program that is refused, or that is not followed to its end.
enum Refused {
    /// Messages about places of the text.
    Said {
        found: Vec<Diagnostic>,
        how: How,
        source: String,
        name: String,
    },
    /// The text at given sizes is refused.
    Rejected(Box<Rejected>),
    /// The arguments are not those of the function.
    Question(String),
    /// The elements of an argument are integers.
    Integer(String),
}

impl Refused {
    fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Refused::Said {
                found,
                how,
                source,
                name,
            } => match how {
                How::Text => errors::program(py, found, source, name, true),
                How::Shapes => errors::program(py, found, source, name, false),
                How::Unknown => {
                    let texts = found.iter().map(|found| found.render(source, name, false));
                    let text = texts.collect::<Vec<_>>().join("\n");
                    errors::unknown(py, text.trim_end())
                }
            },
            Refused::Rejected(rejected) => rejected.raised(py),
            Refused::Question(why) => PyValueError::new_err(why.clone()),
            Refused::Integer(why) => PyTypeError::new_err(why.clone()),
        }
    }
}

/// An Axon program at given sizes.
#[pyclass(frozen, module = "lozenge._lozenge")]
pub struct Sized(Arc<Followed>);

struct Followed {
    typed: Arc<Typed>,
    /// The program, or the call of a function of it.
    program: axon::syntax::Program,
    /// The text as far as it is known without values of masks.
    first: Following,
}

/// The text of a program at given sizes, as far as it is known.
struct Following {
    lowered: Lowered,
    accepted: Arc<Accepted>,
}

#[pymethods]
impl Sized {
    /// Returns the text of the program at these sizes.
    ///
    /// # Errors
    /// `ShapeError` where sizes behind a mask are known only when it has been computed.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let lowered = &self.0.first.lowered;
        match (lowered.is_partial, lowered.printed.first()) {
            (true, Some(mask)) => {
                let message = "the sizes behind `compress` are known when it has run";
                let error = Diagnostic::new(mask.span.clone(), message, "this call");
                let error = error.help("`run` computes them");
                Err(self.0.typed.refused(vec![error], How::Shapes).raised(py))
            }
            _ => Ok(lowered.text.clone()),
        }
    }

    /// Tells whether the program is computed in 64 bits.
    fn is_wide(&self) -> bool {
        let data = self.0.program.data.iter();
        let mut given = data.filter(|data| data.source != axon::syntax::Source::Outside);
        given.any(|data| match &data.annotation {
            axon::syntax::Type::Tensor { element, .. } => &*element.text != "f32",
            _ => false,
        })
    }

    /// Returns the loop nest of each operation: the tensor that it writes, the line of the Axon text, and the text.
    fn loops(&self, py: Python<'_>) -> PyResult<Vec<(String, usize, String)>> {
        let followed = self.0.clone();
        waiting::answer(py, &self.0.typed.source, move |_| {
            let Following { lowered, accepted } = &followed.first;
            let lines = Lines::of(&followed.typed.source);
            let mut loops = accepted.loops();
            for (_, line, _) in &mut loops {
                let span = lowered.spans.get(*line - 1);
                *line = lines.line(span.map_or(0, |span| span.start));
            }
            loops
        })
    }

    /// Runs it with arrays for its arguments: contiguous, in the order of C, of the precision of the run. Returns what
    /// is printed, by name, each with the truth of being ragged, whose elements then are several arrays.
    ///
    /// # Errors
    /// `ShapeError` where sizes that are known late do not fit, `Unknown` at a limit.
    #[pyo3(signature = (
        given: "dict[str, object]", wide: "bool", limits: "tuple[int | None, int | None]"
    ) -> "list[tuple[str, bool, list[object]]]")]
    fn run(
        &self,
        py: Python<'_>,
        given: &pyo3::Bound<'_, PyDict>,
        wide: bool,
        limits: (Option<u64>, Option<u64>),
    ) -> PyResult<Printed> {
        let parts = match wide {
            false => self.0.clone().answer::<f32>(py, given, limits)?,
            true => self.0.clone().answer::<f64>(py, given, limits)?,
        };
        let parts = parts.into_iter().map(|part| {
            let arrays = part.tensors.into_iter();
            let arrays = arrays.map(|tensor| array::to_python(py, tensor));
            Ok((part.name, part.is_ragged, arrays.collect::<PyResult<_>>()?))
        });
        parts.collect()
    }
}

/// A value that is shown.
struct Shown {
    name: String,
    is_ragged: bool,
    tensors: Vec<Tensor>,
}

/// The failure of a run, with the program at which it happened.
enum Broken {
    Refused(Refused),
    Failed(Failed, Arc<Accepted>),
    Exception(PyErr),
}

impl Followed {
    fn of(
        typed: Arc<Typed>,
        function: Option<String>,
        shapes: BTreeMap<String, Vec<u64>>,
    ) -> Result<Followed, Refused> {
        let options = Options {
            table: typed.table,
            ..Options::default()
        };
        let program = match function {
            None => typed.program.clone(),
            Some(function) => {
                let shapes: Vec<(String, Vec<u64>)> = shapes.into_iter().collect();
                let called = axon::called(&typed.program, &function, &shapes, &options);
                let (program, _) = called.map_err(|unfit| match unfit {
                    Unfit::Question(why) => Refused::Question(why),
                    Unfit::Refused(found) => typed.refused(found, How::Shapes),
                    Unfit::Unknown(found) => typed.refused(found, How::Unknown),
                })?;
                without_integers(&typed, &function)?;
                program
            }
        };
        Ok(Followed {
            first: Following::of(&typed, &program, &[])?,
            typed,
            program,
        })
    }

    /// Runs it, and waits for the results.
    fn answer<N: Number>(
        self: Arc<Self>,
        py: Python<'_>,
        given: &pyo3::Bound<'_, PyDict>,
        limits: (Option<u64>, Option<u64>),
    ) -> PyResult<Vec<Shown>>
    where
        for<'v> Interpreter<'v, N>: Device,
        for<'v> &'v [N]: AsNumbers,
    {
        let mut names = Vec::new();
        let mut arrays = Arrays::new();
        for (name, value) in given.iter() {
            let name: String = name.extract()?;
            arrays.push((TensorId(names.len()), array::taken::<N>(&name, &value)?));
            names.push(name);
        }
        let of_run = self.clone();
        let run = move |stop: &Stop| {
            let on_numbers = |numbers: &[(TensorId, &[N])]| {
                let numbers = names.iter().zip(numbers);
                let numbers = numbers.map(|(name, (_, numbers))| (name.as_str(), *numbers));
                of_run.computed(&numbers.collect(), limits, stop)
            };
            let done = array::on_numbers(arrays, on_numbers);
            done.unwrap_or_else(|error| Err(Broken::Exception(error)))
        };
        waiting::answer(py, &self.typed.source, run)?.map_err(|broken| match broken {
            Broken::Refused(refused) => refused.raised(py),
            Broken::Failed(failed, accepted) => accepted.raised(py, failed),
            Broken::Exception(error) => error,
        })
    }

    /// Computes what is shown. Masks are computed first, one after the other, since sizes depend on them.
    fn computed<N: Number>(
        &self,
        numbers: &BTreeMap<&str, &[N]>,
        limits: (Option<u64>, Option<u64>),
        stop: &Stop,
    ) -> Result<Vec<Shown>, Broken>
    where
        for<'v> Interpreter<'v, N>: Device,
        for<'v> &'v [N]: AsNumbers,
    {
        let mut masks: Vec<Vec<f64>> = Vec::new();
        let mut later;
        let mut following = &self.first;
        loop {
            let results = following.run(numbers, limits, stop)?;
            if !following.lowered.is_partial {
                return Ok(self.shown(&following.lowered, results));
            }
            if masks.len() == MOST_MASKS {
                let why = format!("more than {MOST_MASKS} masks are computed for `compress`");
                return Err(Broken::Refused(Refused::Question(why)));
            }
            let mask = results.tensors.into_iter().next();
            masks.push(mask.map_or_else(Vec::new, |(_, mask)| mask.wide_values().into_owned()));
            later = Following::of(&self.typed, &self.program, &masks).map_err(Broken::Refused)?;
            following = &later;
        }
    }

    /// Names the results by the texts behind `print`, and parts of a tuple by their numbers as well.
    fn shown(&self, lowered: &Lowered, results: Done) -> Vec<Shown> {
        let mut tensors = results.tensors.into_iter().map(|(_, tensor)| tensor);
        let mut all = Vec::new();
        for shown in &lowered.printed {
            let text = self.typed.source.get(shown.span.clone());
            let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
            let text = words.join(" ");
            let mut parts = Vec::new();
            let mut place = 0;
            while place < shown.tensors.len() {
                let rows = shown.rows.iter().find(|rows| rows.start == place);
                let end = rows.map_or(place + 1, |rows| rows.end);
                parts.push((rows.is_some(), tensors.by_ref().take(end - place).collect()));
                place = end;
            }
            let is_tuple = parts.len() > 1;
            let named = parts
                .into_iter()
                .enumerate()
                .map(|(at, (is_ragged, tensors))| Shown {
                    name: match is_tuple {
                        true => format!("{text}.{at}"),
                        false => text.clone(),
                    },
                    is_ragged,
                    tensors,
                });
            all.extend(named);
        }
        all
    }
}

impl Following {
    /// Follows a program with the masks that are known.
    fn of(
        typed: &Typed,
        program: &axon::syntax::Program,
        masks: &[Vec<f64>],
    ) -> Result<Following, Refused> {
        let lowered = axon::lower_with(program, typed.table, masks);
        let lowered = lowered.map_err(|stopped| {
            let how = match stopped.is_limit {
                true => How::Unknown,
                false => How::Shapes,
            };
            typed.refused(vec![stopped.message], how)
        })?;
        let accepted = Accepted::read(
            lowered.text.clone(),
            format!("{} at given sizes", typed.name),
            typed.folder.clone(),
            BTreeMap::new(),
        );
        match accepted {
            Ok(accepted) => Ok(Following {
                lowered,
                accepted: Arc::new(accepted),
            }),
            Err(rejected) => Err(Refused::Rejected(Box::new(rejected))),
        }
    }

    /// Computes the tensors that are shown, in their order.
    fn run<N: Number>(
        &self,
        numbers: &BTreeMap<&str, &[N]>,
        limits: (Option<u64>, Option<u64>),
        stop: &Stop,
    ) -> Result<Done, Broken>
    where
        for<'v> Interpreter<'v, N>: Device,
        for<'v> &'v [N]: AsNumbers,
    {
        let program = &self.accepted.reading.program;
        let shown = self.lowered.printed.iter().flat_map(|shown| &shown.tensors);
        let shown = shown.filter_map(|(name, _)| Some((name.clone(), program.find(name)?)));
        let asked = Asked {
            seed: 0,
            epochs: None,
            limits: run::limits(limits),
            shown: shown.collect(),
            prints: false,
            progress: None,
        };
        let given = self.lowered.inputs.iter();
        let given = given
            .filter_map(|(name, tensor)| Some((program.find(tensor)?, *numbers.get(&**name)?)));
        let given: Vec<(TensorId, &[N])> = given.collect();
        let done = self.accepted.run(&given, asked, stop);
        done.map_err(|failed| Broken::Failed(failed, self.accepted.clone()))
    }
}

/// Refuses a call of a function whose arguments have to be integers, since numbers of arrays are floats.
fn without_integers(typed: &Typed, function: &str) -> Result<(), Refused> {
    let mut bindings = typed.inferred.bindings.iter();
    let named = bindings.rfind(|binding| binding.name == function);
    let parameters = axon::parameters(&typed.program, function).unwrap_or_default();
    let elements = named.map_or_else(Vec::new, |binding| elements(&binding.shown));
    let mut both = parameters.iter().zip(elements);
    match both.find(|(_, element)| matches!(*element, "i32" | "i64")) {
        None => Ok(()),
        Some((name, element)) => Err(Refused::Integer(format!(
            "`{name}` is {element}, and numbers of arrays are floats: write `data` of {element} in the program, or another \
             element type at the parameter"
        ))),
    }
}

/// Returns the element types of the parameters of a function, of which the type is given as it is written.
fn elements(function: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, letter) in function.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' | '-' if depth == 0 => {
                parts.push(&function[begin..at]);
                begin = at + 1;
                if letter == '-' {
                    break;
                }
            }
            _ => {}
        }
    }
    let words = parts.iter().map(|part| part.split_whitespace().next());
    words.map(Option::unwrap_or_default).collect()
}
