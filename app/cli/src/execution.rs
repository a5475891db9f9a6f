//! The common parts of `run` and `train`: data, devices, and what a program prints, saves and asserts during a run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lozenge::{Begin, Checkpoint, EpochReport, Printed, RunError, Settings, Stopped, Watch};
use lozenge_backend::{Device, Engine, Error, LoopNest, Precision, Progress, Tensor};
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{
    Parameter, Request, Section, Source as Values, Start, Turns, Wish,
};
use serde::Serialize;
use serde_json::json;

use crate::args;
use crate::distinct_files::{Named, distinct};
use crate::inference::{self, Inferred, Loaded};
use crate::json::lines::{Epoch, Line};
use crate::json::program::{CurvePoint, PrintedData, SectionData};
use crate::json::{Number, ShapeData};
use crate::output_file::OutputFile;
use crate::report::{self, Problem};
use crate::saved_tensor;
use crate::values;

/// The values of data tensors, in the precision of a run.
pub enum Data {
    Single(BTreeMap<TensorId, Vec<f32>>),
    Double(BTreeMap<TensorId, Vec<f64>>),
}

/// The values of data tensors. A parameter without a value is an error, unless the run begins with one.
pub fn data(
    loaded: &Loaded,
    folder: &Path,
    begin: &Begin,
    precision: Precision,
) -> Result<Data, Problem> {
    for tensor in &loaded.program.tensors {
        let outside = matches!(
            tensor.source,
            Values::Param(Parameter {
                start: Start::Outside,
                ..
            })
        );
        let given = match begin {
            Begin::Anew => false,
            Begin::Given(checkpoint) => checkpoint.tensors.contains_key(&*tensor.name),
            // What a whole checkpoint lacks is reported when it is used.
            Begin::Load(_) | Begin::Resume(_) => true,
        };
        if outside && !given {
            let diagnostic = Diagnostic::new(
                tensor.span.clone(),
                format!("the parameter `{}` has no value to run with", tensor.name),
                "declared here",
            );
            let written = loaded.source.text.get(tensor.span.clone());
            let help = format!(
                "give it one, as in `param {} = 0.5`, give it values of a file with --params {}=FILE.npy, or run with --init normal",
                written.unwrap_or(&tensor.name),
                tensor.name
            );
            return Err(inference::problem(&loaded.source, &[diagnostic.help(help)]));
        }
    }
    let read = match precision {
        Precision::F32 => lozenge::load(&loaded.program, folder).map(Data::Single),
        Precision::F64 => lozenge::load_wide(&loaded.program, folder).map(Data::Double),
    };
    read.map_err(|error| inference::problem(&loaded.source, &[error.diagnostic()]))
}

/// The device requested by an argument or by LOZENGE_DEVICE. By default OpenCL if there is a device, else the interpreter, with a
/// note that says so.
pub fn open(on: &args::On) -> Result<(Box<dyn Device>, String), Problem> {
    let (mut device, note) = opened(on)?;
    if let Some(folder) = on.kernels() {
        device.keep_kernels(&folder, KERNEL_BYTES);
    }
    if on.times {
        let times = device.time_kernels();
        times.map_err(|error| Problem::new(error.to_string()))?;
    }
    Ok((device, note))
}

/// How many bytes the folder with compiled kernels may take.
const KERNEL_BYTES: u64 = 256 << 20;

/// Keeps kernels for later runs. What goes wrong is only a warning.
pub fn put_kernels_away(device: &mut dyn Device) {
    for warning in device.put_kernels_away() {
        report::to_stderr(&format!("warning: {warning}\n"));
    }
}

fn opened(on: &args::On) -> Result<(Box<dyn Device>, String), Problem> {
    let (limits, arithmetic) = (on.limits(), on.arithmetic());
    let problem = |error: Error| Problem::new(with_flag(&error));
    let wish = wish(on.device.as_ref())?;
    let engine = match &wish {
        Some(args::Device::Opencl(Some(name))) => {
            let device = lozenge_backend::opencl::open_named(name, limits, arithmetic);
            return Ok((device.map_err(problem)?, String::new()));
        }
        Some(args::Device::Interpreter) => Engine::Interpreter,
        Some(args::Device::Opencl(None)) | None => Engine::OpenCl,
    };
    match lozenge_backend::open_with(engine, limits, arithmetic) {
        Ok(device) => Ok((device, String::new())),
        Err(error) if wish.is_none() && matches!(error, Error::NoDevice { .. }) => {
            let device = lozenge_backend::open_with(Engine::Interpreter, limits, arithmetic);
            let device = device.map_err(problem)?;
            Ok((
                device,
                format!("no OpenCL device, so the interpreter runs this: {error}\n"),
            ))
        }
        Err(error) => Err(problem(error)),
    }
}

/// The pins of an argument.
#[cfg(feature = "opencl")]
pub fn pins(on: &args::On) -> Result<lozenge_backend::opencl::Pins, Problem> {
    let pinned = on
        .pins
        .as_deref()
        .map(crate::pins::Pinned::read)
        .transpose()?;
    Ok(pinned.map(|pinned| pinned.pins).unwrap_or_default())
}

/// An OpenCL device, with the pins of the arguments.
///
/// # Errors
/// When there is none, or the interpreter is requested, which has no kernels.
#[cfg(feature = "opencl")]
pub fn open_kernels(on: &args::On) -> Result<lozenge_backend::opencl::OpenCl, Problem> {
    use lozenge_backend::opencl::OpenCl;
    let device = OpenCl::on(device_with_kernels(on.device.as_ref())?, on.limits());
    let device = device.and_then(|device| device.computing(on.arithmetic()));
    let mut device = device.map_err(|error| Problem::new(with_flag(&error)))?;
    device.pin(pins(on)?);
    Ok(device)
}

/// The OpenCL device that an argument or LOZENGE_DEVICE requests, by default the first one.
///
/// # Errors
/// When there is none, or the interpreter is requested, which has no kernels.
#[cfg(feature = "opencl")]
pub fn device_with_kernels(
    argument: Option<&args::Device>,
) -> Result<lozenge_backend::opencl::DeviceInfo, Problem> {
    use lozenge_backend::opencl::{device, devices};
    let found = match wish(argument)? {
        Some(args::Device::Interpreter) => {
            return Err(Problem::new(
                "the interpreter has no kernels; choose a device of `lozenge devices`",
            ));
        }
        Some(args::Device::Opencl(Some(name))) => device(&name),
        Some(args::Device::Opencl(None)) | None => devices().map(|mut all| all.swap_remove(0)),
    };
    found.map_err(|error| Problem::new(with_flag(&error)))
}

/// The device that an argument or LOZENGE_DEVICE requests.
fn wish(argument: Option<&args::Device>) -> Result<Option<args::Device>, Problem> {
    let named = std::env::var("LOZENGE_DEVICE")
        .ok()
        .filter(|name| !name.is_empty());
    let named = named.map(|name| name.parse::<args::Device>()).transpose();
    let named = named.map_err(|error| Problem::new(format!("LOZENGE_DEVICE: {error}")))?;
    Ok(argument.cloned().or(named))
}

/// Runs every operation, and returns every tensor.
pub fn execute(
    inferred: &Inferred,
    data: &Data,
    device: &mut dyn Device,
    settings: &Settings,
    follower: &mut Follower<'_>,
) -> Result<Vec<Tensor>, Problem> {
    let (shapes, nests) = (&inferred.shapes, &inferred.nests);
    let program = &follower.loaded.program;
    if program.sections.is_empty() {
        follower.bar = announced(nests, device);
    }
    let run = match data {
        Data::Single(data) => {
            lozenge::run_settled(program, shapes, nests, data, device, settings, follower)
        }
        Data::Double(data) => {
            lozenge::run_settled(program, shapes, nests, data, device, settings, follower)
        }
    };
    if let Some(bar) = follower.bar.take() {
        bar.finish_and_clear();
    }
    let stopped = || Problem::new("the run was stopped");
    run.map_err(|error| match error {
        RunError::Device(error @ Error::Lost { .. })
        | RunError::Tensor {
            error: error @ Error::Lost { .. },
            ..
        }
        | RunError::Operation {
            error: error @ Error::Lost { .. },
            ..
        } => follower.lost(&error),
        RunError::Device(error) => Problem::new(with_flag(&error)),
        RunError::Tensor { tensor, error, .. } => {
            let tensor = &program[tensor];
            limited(follower.loaded, &tensor.span, &error)
        }
        RunError::Operation { operation, error } => {
            limited(follower.loaded, &program.steps[operation].span, &error)
        }
        RunError::Class(error) => {
            inference::problem(&follower.loaded.source, &[error.diagnostic()])
        }
        RunError::Stopped => follower.problem.take().unwrap_or_else(stopped),
        RunError::Checkpoint(error) => Problem::new(error),
    })
}

/// Whether the files that a run is to write can be written, before it begins, and none is read or written twice: those of `save` lines,
/// and those of flags. The files of flags that are read come before them.
///
/// # Errors
/// For the first that cannot.
pub fn writable(
    loaded: &Loaded,
    folder: &Path,
    read: impl IntoIterator<Item = Named>,
    written: impl IntoIterator<Item = Named>,
) -> Result<(), Problem> {
    let mut files = loaded.files();
    files.extend(read);
    let flags: Vec<Named> = written.into_iter().collect();
    distinct(&files, &flags)?;
    for request in &loaded.program.requests {
        let Wish::Save(path) = &request.what else {
            continue;
        };
        let file = Named::new(
            format!("`save … to \"{}\"`", path.display()),
            &folder.join(path),
        );
        let output = std::slice::from_ref(&file);
        let others: Vec<Named> = files.iter().chain(&flags).cloned().collect();
        let free = distinct(&others, output).and_then(|()| OutputFile::open(Some(&file.path)));
        free.map_err(|problem| {
            let message = problem.to_string();
            let message = message.trim_start_matches("error: ").trim_end();
            let at = request.span.clone();
            inference::problem(&loaded.source, &[Diagnostic::new(at, message, "this file")])
        })?;
    }
    // They are opened and left as they were.
    flags
        .iter()
        .try_for_each(|flag| OutputFile::open(Some(&flag.path)).map(|_| ()))
}

/// Whether a checkpoint can have the form that its name asks for.
///
/// # Errors
/// When it is to be a single array.
pub fn is_checkpoint(path: Option<&Path>) -> Result<(), Problem> {
    let array = path.filter(|path| path.extension().is_some_and(|end| end == "npy"));
    array.map_or(Ok(()), |path| {
        Err(Problem::new(format!(
            "--save {}: a `.npy` file has one array, and a checkpoint one for each parameter and state: let the name end in `.npz`, or write a single one \
             by a line of the program, as `save w to \"w.npy\"`",
            path.display()
        )))
    })
}

/// The number of points from which on a run takes more than some seconds.
const MANY_POINTS: u64 = 1_000_000_000;

/// A line on a terminal with the amount of work of a long run, the share of it that is done, and the time since it began.
fn announced(nests: &[LoopNest], device: &mut dyn Device) -> Option<indicatif::ProgressBar> {
    let points = nests.iter().map(|nest| nest.points().unwrap_or(u64::MAX));
    let points = points.fold(0, u64::saturating_add);
    if points < MANY_POINTS || !std::io::stderr().is_terminal() {
        return None;
    }
    let message = format!("running {points} points in {} operations", nests.len());
    let bar = indicatif::ProgressBar::new_spinner().with_message(message);
    let progress = Progress::default();
    device.count(progress.clone());
    let style = indicatif::ProgressStyle::with_template("{spinner} {msg}, {share}, {elapsed}");
    let share = move |_: &indicatif::ProgressState, line: &mut dyn std::fmt::Write| {
        let share = u128::from(progress.points()) * 100 / u128::from(points);
        // A line that cannot be written is one that nobody reads.
        let _ = write!(line, "{share} %");
    };
    let bar = match style {
        Ok(style) => bar.with_style(style.with_key("share", share)),
        Err(_) => bar,
    };
    bar.enable_steady_tick(Duration::from_millis(250));
    Some(bar)
}

/// The message about a limit of the device, at its place in the program.
fn limited(loaded: &Loaded, place: &Range<usize>, error: &Error) -> Problem {
    let (message, label, flag) = match error {
        Error::TooManyPoints { points, limit } => (
            format!(
                "the loops of an operation have {points} points, more than the {limit} allowed"
            ),
            "this operation".to_string(),
            "--max-points",
        ),
        Error::Memory {
            shape,
            asked,
            used,
            limit,
        } => (
            format!(
                "a tensor takes {asked} bytes, and {used} of the {limit} bytes that may be used are taken"
            ),
            format!("this tensor, of the shape {shape:?}"),
            "--max-bytes",
        ),
        Error::NoRoom {
            shape,
            asked,
            reason,
        } => (
            format!("the device has no room for a tensor of {asked} bytes: {reason}"),
            format!("this tensor, of the shape {shape:?}"),
            "",
        ),
        other => return Problem::new(with_flag(other)),
    };
    let diagnostic = Diagnostic::new(place.clone(), message, label);
    let help = match flag {
        "" => "compute it in parts, or run with --device interpreter".to_string(),
        flag => format!("raise the limit with {flag}"),
    };
    inference::problem(&loaded.source, &[diagnostic.help(help)])
}

/// The message, with the flag that raises a limit.
fn with_flag(error: &Error) -> String {
    match error {
        Error::TooManyPoints { .. } => format!("{error}; --max-points raises it"),
        Error::Memory { .. } | Error::SharedMemory { .. } => {
            format!("{error}; --max-bytes raises it")
        }
        Error::NoDouble { .. } => {
            format!(
                "{error}: leave out --precision f64 and --accumulate f64, or add --device interpreter"
            )
        }
        Error::NoRoom { .. } => format!("{error}; --device interpreter needs no such room"),
        other => other.to_string(),
    }
}

/// The destination of the lines that a program prints.
pub enum Out {
    /// Standard output, at once.
    Streamed,
    /// A text.
    Kept(String),
    /// Standard output, at once, as lines for programs.
    Lines,
    /// None: nothing is printed or saved.
    Nowhere,
}

impl Out {
    /// The text that was kept.
    pub fn kept(self) -> String {
        match self {
            Out::Kept(text) => text,
            Out::Streamed | Out::Lines | Out::Nowhere => String::new(),
        }
    }
}

/// The name of a saved array in an archive: that of the tensor, or what NumPy gives an array without a name.
fn saved_name(written: &str) -> &str {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    match !written.is_empty() && written.chars().all(is_name) {
        true => written,
        false => "arr_0",
    }
}

/// Follows a run: prints, saves and asserts as the program requests, and records its curves.
pub struct Follower<'l> {
    loaded: &'l Loaded,
    shapes: &'l lozenge::Shapes,
    folder: PathBuf,
    /// The destination of lines.
    pub out: Out,
    /// What was printed in the epochs of each section.
    pub sections: Vec<SectionData>,
    /// What was printed outside of sections.
    pub printed: Vec<PrintedData>,
    /// The file into which parameters and states are written after each epoch.
    pub save: Option<PathBuf>,
    /// The contents of the file, once it is written.
    saved: Option<Checkpoint>,
    /// Whether a bar shows the progress of a section.
    pub progress: bool,
    /// The precision of the tensors.
    pub precision: Precision,
    bar: Option<indicatif::ProgressBar>,
    /// The problem because of which the run is stopped.
    problem: Option<Problem>,
}

impl<'l> Follower<'l> {
    /// A follower that prints what the program requests. Files are saved relative to the folder.
    pub fn new(
        loaded: &'l Loaded,
        shapes: &'l lozenge::Shapes,
        folder: &Path,
        out: Out,
    ) -> Follower<'l> {
        Follower {
            loaded,
            shapes,
            folder: folder.to_path_buf(),
            out,
            sections: Vec::new(),
            printed: Vec::new(),
            save: None,
            saved: None,
            progress: false,
            precision: Precision::F32,
            bar: None,
            problem: None,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), Problem> {
        match &mut self.out {
            Out::Nowhere | Out::Lines => Ok(()),
            Out::Kept(text) => {
                let _ = writeln!(text, "{line}");
                Ok(())
            }
            Out::Streamed => {
                let write = || report::to_stdout(|out| writeln!(out, "{line}"));
                match &self.bar {
                    Some(bar) => bar.suspend(write),
                    None => write(),
                }
            }
        }
    }

    fn stop<T>(&mut self, done: Result<T, Problem>) -> Result<T, Stopped> {
        done.map_err(|problem| {
            self.problem = Some(problem);
            Stopped
        })
    }

    /// The text behind `print` in the program.
    fn written(&self, request: &Request) -> &'l str {
        let text = self.loaded.source.text.get(request.span.clone());
        text.unwrap_or_default()
    }

    /// A printed tensor as a text, with its shape.
    fn assigned(&self, request: &Request, tensor: &Tensor) -> String {
        let values = values::of(tensor);
        values::assigned(
            self.written(request),
            &self.shapes[request.tensor.0],
            &values,
        )
    }

    /// A printed tensor as data.
    fn data(&self, request: &Request, tensor: &Tensor) -> PrintedData {
        let numbers = || Number::all(tensor);
        let has_axes = !tensor.shape().is_empty();
        PrintedData {
            text: self.written(request).to_string(),
            value: numbers().first().copied().filter(|_| !has_axes),
            shape: has_axes.then(|| ShapeData::from(&self.shapes[request.tensor.0])),
            values: has_axes.then(numbers),
        }
    }

    fn fulfil(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Problem> {
        match &request.what {
            Wish::Print => {
                let line = self.assigned(request, tensor);
                let data = self.data(request, tensor);
                match self.out {
                    Out::Lines => event("printed", &data),
                    _ => {
                        self.printed.push(data);
                        self.line(&line)
                    }
                }
            }
            Wish::Save(_) if matches!(self.out, Out::Nowhere) => Ok(()),
            Wish::Save(path) => {
                let path = self.folder.join(path);
                let saved = saved_tensor::save(&path, saved_name(self.written(request)), tensor);
                saved.map_err(|error| {
                    Problem::new(format!("{} cannot be written: {error}", path.display()))
                })
            }
            // The run looks at these itself.
            Wish::Classes(_) => Ok(()),
            Wish::Assert => {
                let Some(at) = tensor.values().iter().position(|value| *value == 0.0) else {
                    return Ok(());
                };
                let diagnostic = Diagnostic::new(
                    request.span.clone(),
                    "an assertion does not hold",
                    format!("0 in cell {at} of {}", tensor.values().len()),
                );
                let help = "an assertion holds where every cell differs from 0";
                Err(inference::problem(
                    &self.loaded.source,
                    &[diagnostic.help(help)],
                ))
            }
        }
    }

    /// The line of an epoch.
    fn epoch_line(&self, report: &EpochReport) -> String {
        let section = &self.loaded.program.sections[report.section];
        let mut line = match section.turns {
            Turns::Steps(steps) => format!("step {}/{steps}", report.step),
            Turns::Epochs { .. } => format!("epoch {}/{}", report.epoch, report.epochs),
        };
        for (request, printed) in &report.printed {
            let request = &self.loaded.program.requests[*request];
            let _ = match (printed.mean(), printed) {
                (Some(mean), _) => write!(line, "  {} {mean:.6}", self.written(request)),
                (None, Printed::Tensor(tensor)) => {
                    write!(line, "  {}", self.assigned(request, tensor))
                }
                (None, Printed::Steps(_)) => Ok(()),
            };
        }
        line
    }

    fn keep(&mut self, report: &EpochReport) -> Result<(), Problem> {
        let requests = &self.loaded.program.requests;
        let printed = report.printed.iter().map(|(request, printed)| {
            let request = &requests[*request];
            let (shape, values) = match printed {
                Printed::Tensor(tensor) if !tensor.shape().is_empty() => {
                    let PrintedData { shape, values, .. } = self.data(request, tensor);
                    (shape, values)
                }
                _ => (None, None),
            };
            PrintedData {
                text: self.written(request).to_string(),
                value: printed.mean().map(|mean| match self.precision {
                    Precision::F32 => Number::Single(mean as f32),
                    Precision::F64 => Number::Double(mean),
                }),
                shape,
                values,
            }
        });
        let point = CurvePoint {
            epoch: report.epoch,
            step: report.step,
            printed: printed.collect(),
        };
        let Some(section) = self.sections.last_mut() else {
            return Ok(());
        };
        let CurvePoint { epoch, step, .. } = point;
        let printed = matches!(self.out, Out::Lines).then(|| point.printed.clone());
        section.curve.push(point);
        let line = section.line;
        match printed {
            Some(printed) => event(
                "epochs",
                &Epoch {
                    line,
                    epoch,
                    step,
                    printed,
                },
            ),
            None => Ok(()),
        }
    }

    fn after_epoch(
        &mut self,
        report: &EpochReport,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Problem> {
        self.keep(report)?;
        if !report.printed.is_empty() {
            let line = self.epoch_line(report);
            self.line(&line)?;
        }
        self.write(checkpoint)
    }

    /// The message that the device was lost, with a way to go on.
    fn lost(&self, error: &Error) -> Problem {
        let resumes = self
            .saved
            .as_ref()
            .is_some_and(|saved| saved.progress.is_some());
        let way = match &self.save {
            Some(path) if resumes => format!(
                "{0} has the values after the last epoch that ended: `--resume {0}` goes on from there, to the same bits",
                path.display()
            ),
            _ => "run it again, or with --device interpreter".to_string(),
        };
        Problem::new(format!("{error}; {way}"))
    }

    /// Writes a checkpoint, if a file was named for it.
    fn write(
        &mut self,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Problem> {
        let Some(path) = &self.save else {
            return Ok(());
        };
        let values = checkpoint().map_err(Problem::new)?;
        if self.saved.as_ref() != Some(&values) {
            values.save(path).map_err(Problem::new)?;
            self.saved = Some(values);
        }
        Ok(())
    }
}

/// Writes an element of a list of the answer as soon as it is known.
fn event(list: &'static str, item: &impl Serialize) -> Result<(), Problem> {
    let line = json!(Line::new("train", list, item));
    report::to_stdout(|out| writeln!(out, "{line}"))
}

impl Watch for Follower<'_> {
    fn request(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Stopped> {
        let done = self.fulfil(request, tensor);
        self.stop(done)
    }

    fn begins(&mut self, section: &Section, step: u64, steps: u64) {
        let (line, _) = self.loaded.place(&section.span);
        let mut data = SectionData {
            line,
            steps,
            ..SectionData::default()
        };
        if let Turns::Epochs {
            batch,
            left_over,
            label,
            batches,
            ..
        } = &section.turns
        {
            data.batch = Some(*batch);
            data.left_over = Some(*left_over);
            if *left_over > 0 {
                let rows = batch * batches + left_over;
                // If this cannot be written, the next printed line reports that.
                let _ = self.line(&format!(
                    "line {line}: {left_over} of the {rows} rows of `{label}` fill no batch of {batch}, and each epoch leaves so many out"
                ));
            }
        }
        if step > 0 && step >= steps {
            data.done_before = true;
            // As above.
            let _ = self.line(&format!(
                "line {line}: the run had done these epochs already: nothing is left to do here"
            ));
        }
        self.sections.push(data);
        if self.progress && std::io::stderr().is_terminal() {
            let style = indicatif::ProgressStyle::with_template(
                "{bar:40} {pos}/{len} steps, {per_sec}, {eta} left",
            );
            let bar = indicatif::ProgressBar::new(steps);
            self.bar = Some(match style {
                Ok(style) => bar.with_style(style).with_position(step),
                Err(_) => bar.with_position(step),
            });
        }
    }

    fn step(&mut self, step: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(step);
        }
    }

    fn epoch(
        &mut self,
        report: &EpochReport,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        let done = self.after_epoch(report, checkpoint);
        self.stop(done)
    }

    fn ends(
        &mut self,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        let done = self.write(checkpoint);
        self.stop(done)
    }
}
