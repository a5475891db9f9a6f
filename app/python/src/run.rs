//! The run of a program on the interpreter.

use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge::backend::{Device, Error, Interpreter, Limits, Tensor};
use lozenge::{
    Begin, Checkpoint, Diagnostic, EpochReport, Printed, RunError, Settings, Stopped, Watch,
};
use lozenge_backend::Progress;
use lozenge_lang::numpy::AsNumbers;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Request, Source, Wish};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::array::{self, Number};
use crate::errors;
use crate::program::Accepted;
use crate::waiting::{self, Stop};

/// The settings of a run.
pub struct Asked {
    pub seed: u64,
    pub epochs: Option<u64>,
    pub limits: Limits,
    /// The tensors that are returned beside what is printed.
    pub shown: Vec<(String, TensorId)>,
    /// The wish for what is printed.
    pub prints: bool,
    pub progress: Option<Py<PyAny>>,
}

/// The results of a run.
pub struct Done {
    pub tensors: Vec<(String, Tensor)>,
    /// The output of each epoch, as JSON.
    pub epochs: Vec<String>,
}

/// The failure of a run.
pub enum Failed {
    Load(Box<lozenge::LoadError>),
    Run(RunError),
    /// An assertion of the program, or an exception of the observer.
    Raised(Raised),
}

/// The cause that stopped a run.
pub enum Raised {
    Assertion(Box<Diagnostic>),
    Exception(PyErr),
}

/// Returns the limits of a run: those that are given, bytes and points, and for the others the usual ones.
pub fn limits((bytes, points): (Option<u64>, Option<u64>)) -> Limits {
    let usual = Limits::default();
    Limits {
        bytes: bytes.unwrap_or(usual.bytes),
        points: points.unwrap_or(usual.points),
    }
}

/// Runs a program with arrays, and waits for the results.
///
/// # Errors
/// The exception about what goes wrong.
pub fn answer<N: Number>(
    py: Python<'_>,
    accepted: Arc<Accepted>,
    given: &Bound<'_, PyDict>,
    asked: Asked,
) -> PyResult<Done>
where
    for<'v> Interpreter<'v, N>: Device,
    for<'v> &'v [N]: AsNumbers,
{
    let arrays = accepted.given::<N>(py, given)?;
    accepted.can_run()?;
    let of_run = accepted.clone();
    let run = move |stop: &Stop| {
        array::on_numbers(arrays, |numbers| of_run.run::<N>(numbers, asked, stop))
    };
    let done = waiting::answer(py, &accepted.source, run)??;
    done.map_err(|failed| accepted.raised(py, failed))
}

impl Accepted {
    /// Runs the program. Numbers stay where they are, but those of parameters, which a program may change.
    ///
    /// # Errors
    /// The failure.
    pub fn run<N: Number>(
        &self,
        given: &[(TensorId, &[N])],
        asked: Asked,
        stop: &Stop,
    ) -> Result<Done, Failed>
    where
        for<'v> Interpreter<'v, N>: Device,
        for<'v> &'v [N]: AsNumbers,
    {
        let folder = self.folder.clone().unwrap_or_default();
        let own = N::load(&self.filled, &folder).map_err(Failed::Load)?;
        let mut data: BTreeMap<TensorId, &[N]> =
            own.iter().map(|(id, numbers)| (*id, &**numbers)).collect();
        let mut begin = Checkpoint::default();
        for (id, numbers) in given {
            if !matches!(self.filled[*id].source, Source::Param(_)) {
                data.insert(*id, numbers);
                continue;
            }
            let tensor = N::tensor(self.sizes_of(*id), numbers);
            let tensor = tensor.map_err(|error| Failed::Run(RunError::Device(error)))?;
            let name = self.filled[*id].name.to_string();
            begin.tensors.insert(name, tensor);
        }
        let mut device = N::interpreter(asked.limits);
        device.count(Progress::until(stop.flag()));
        let mut held = BTreeMap::new();
        for (id, numbers) in &data {
            let buffer = device.lend(&self.sizes_of(*id), numbers);
            held.insert(*id, buffer.map_err(|error| self.failed_at(*id, error))?);
        }
        let shown = asked.shown.iter().map(|(_, id)| *id);
        let later = self.filled.requests.iter();
        let later = later.filter(|request| self.stays(request));
        let settings = Settings {
            seed: asked.seed,
            epochs: asked.epochs,
            keep: Some(shown.chain(later.map(|request| request.tensor)).collect()),
            begin: match begin.tensors.is_empty() {
                true => Begin::Anew,
                false => Begin::Given(begin),
            },
            held,
        };
        let mut watcher = Watcher {
            accepted: self,
            stop,
            prints: asked.prints,
            progress: asked.progress,
            tensors: Vec::new(),
            epochs: Vec::new(),
            raised: None,
        };
        let inference = &self.reading.inference;
        let done = lozenge::run_with(
            &self.filled,
            &inference.shapes,
            &inference.nests,
            &data,
            &mut device,
            &settings,
            &mut watcher,
        );
        match (done, watcher.raised.take()) {
            (Ok(tensors), _) => Ok(watcher.done(tensors, asked.shown)),
            (Err(RunError::Stopped), Some(raised)) => Err(Failed::Raised(raised)),
            (Err(error), _) => Err(Failed::Run(error)),
        }
    }

    /// Names the tensor whose values the device does not take.
    fn failed_at(&self, tensor: TensorId, error: Error) -> Failed {
        Failed::Run(RunError::Tensor {
            tensor,
            name: self.filled[tensor].name.to_string(),
            error,
        })
    }

    fn sizes_of(&self, id: TensorId) -> Vec<u64> {
        lozenge::sizes(&self.reading.inference.shapes[id.0])
    }

    /// Tells whether a printed tensor still has its values when the program ends, and can be taken then.
    fn stays(&self, request: &Request) -> bool {
        let program = &self.filled;
        let changes = program.steps.get(request.after..).unwrap_or_default();
        let changes = changes
            .iter()
            .any(|step| step.operation.slots.first() == Some(&request.tensor));
        request.what == Wish::Print && program.sections.is_empty() && !changes
    }

    /// Makes the exception about a run.
    pub fn raised(&self, py: Python<'_>, failed: Failed) -> PyErr {
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
    prints: bool,
    progress: Option<Py<PyAny>>,
    tensors: Vec<(String, Kept)>,
    epochs: Vec<String>,
    raised: Option<Raised>,
}

/// A printed tensor.
enum Kept {
    /// The values when it was printed.
    Now(Tensor),
    /// The tensor whose values are those at the end.
    AtEnd(TensorId),
}

impl Watcher<'_> {
    /// Returns the text behind `print` in the program.
    fn written(&self, request: &Request) -> String {
        let text = self.accepted.source.get(request.span.clone());
        text.unwrap_or_default().to_owned()
    }

    /// Returns what was printed, in order, and the tensors that were asked for. Each has its own memory.
    fn done(self, results: Vec<Tensor>, shown: Vec<(String, TensorId)>) -> Done {
        let asked = shown.into_iter().map(|(name, id)| (name, Kept::AtEnd(id)));
        let mut wanted: Vec<(String, Kept)> = self.tensors.into_iter().chain(asked).collect();
        let mut results: Vec<Option<Tensor>> = results.into_iter().map(Some).collect();
        let mut tensors = Vec::with_capacity(wanted.len());
        wanted.reverse();
        while let Some((name, kept)) = wanted.pop() {
            let tensor = match kept {
                Kept::Now(tensor) => Some(tensor),
                Kept::AtEnd(id) => {
                    let again =
                        |(_, kept): &(_, Kept)| matches!(kept, Kept::AtEnd(other) if *other == id);
                    match wanted.iter().any(again) {
                        true => results[id.0].clone(),
                        false => results[id.0].take(),
                    }
                }
            };
            tensors.extend(tensor.map(|tensor| (name, tensor)));
        }
        Done {
            tensors,
            epochs: self.epochs,
        }
    }

    fn keep(&mut self, name: String, tensor: Kept) {
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
    fn wants(&mut self, request: &Request) -> bool {
        if request.what == Wish::Print && !self.prints {
            return false;
        }
        let stays = self.accepted.stays(request);
        if stays {
            self.keep(self.written(request), Kept::AtEnd(request.tensor));
        }
        !stays
    }

    fn request(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Stopped> {
        match request.what {
            Wish::Print => {
                let name = self.written(request);
                self.keep(name, Kept::Now(tensor.clone()));
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
                (None, Printed::Tensor(tensor)) => self.keep(name, Kept::Now(tensor.clone())),
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
