//! The common parts of `run` and `train`: data, devices, and the run.

mod choice;
mod comparison;
mod follower;
mod last_words;
pub mod parameters;
pub mod pins;
pub mod schedule;
pub mod shown;
pub mod times;
pub mod values;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lozenge::{Begin, RunError, Settings};
use lozenge_backend::{Device, Engine, Error, LoopNest, Precision, Progress, Tensor};
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Parameter, Source as Values, Start, Wish};

use crate::args;
use crate::files::distinct_files::{Named, distinct};
use crate::files::output_file::OutputFile;
use crate::loaded::{self, Inferred, Loaded};
use crate::report::{self, Problem};

pub use choice::points;
pub use comparison::compare;
pub use follower::{Follower, Out};
pub use last_words::{answers, no_longer_needed, prepare};

/// The values of data tensors, in the precision of a run.
pub enum Data {
    Single(BTreeMap<TensorId, Vec<f32>>),
    Double(BTreeMap<TensorId, Vec<f64>>),
}

/// Returns the values of data tensors. A parameter without a value is an error, unless the run begins with one.
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
            // A parameter that a whole checkpoint lacks is reported when it is used.
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
            return Err(loaded::problem(&loaded.source, &[diagnostic.help(help)]));
        }
    }
    let read = match precision {
        Precision::F32 => lozenge::load(&loaded.program, folder).map(Data::Single),
        Precision::F64 => lozenge::load_wide(&loaded.program, folder).map(Data::Double),
    };
    read.map_err(|error| loaded::problem(&loaded.source, &[error.diagnostic()]))
}

/// The device of a run.
pub struct Opened {
    /// The device.
    pub device: Box<dyn Device>,
    /// The line that says which it is, and where nobody asked for it, why.
    pub line: String,
}

/// Opens the device requested by an argument or by LOZENGE_DEVICE. By default OpenCL if there is a device, else the
/// interpreter; and the interpreter for programs of so few points that a driver would take longer to begin.
pub fn open(on: &args::On, points: u64) -> Result<Opened, Problem> {
    let (mut device, why) = opened(on, points)?;
    if let Some(folder) = on.kernels() {
        device.keep_kernels(&folder, KERNEL_BYTES);
    }
    if std::io::stderr().is_terminal() {
        let line = match on.kernels() {
            Some(_) => "compiling kernels, kept for later runs\n",
            None => "compiling kernels\n",
        };
        device.when_compiling_takes_long(Arc::new(|| report::to_stderr(line)));
    }
    if on.times {
        let times = device.time_kernels();
        times.map_err(|error| Problem::new(error.to_string()))?;
    }
    let line = format!("device: {}{why}", device.called());
    Ok(Opened { device, line })
}

/// The number of bytes that the folder with compiled kernels may take.
const KERNEL_BYTES: u64 = 256 << 20;

/// Keeps kernels for later runs. A failure is only a warning.
pub fn put_kernels_away(device: &mut dyn Device) {
    for warning in device.put_kernels_away() {
        report::to_stderr(&format!("warning: {warning}\n"));
    }
}

/// Opens the device, and says why it is that one where nobody asked for it.
fn opened(on: &args::On, points: u64) -> Result<(Box<dyn Device>, String), Problem> {
    let (limits, arithmetic) = (on.limits(), on.arithmetic());
    let problem = |error: Error| Problem::new(with_flag(&error));
    let interpreter = || lozenge_backend::open_with(Engine::Interpreter, limits, arithmetic);
    let wish = wish(on.device.as_ref())?;
    let device = match &wish {
        Some(args::Device::Interpreter) => interpreter(),
        None if choice::is_small(on, points) => {
            let device = interpreter().map_err(problem)?;
            return Ok((device, choice::small(points)));
        }
        Some(args::Device::Opencl(Some(name))) => {
            prepare();
            lozenge_backend::opencl::open_named(name, limits, arithmetic)
        }
        Some(args::Device::Opencl(None)) | None => {
            prepare();
            lozenge_backend::open_with(Engine::OpenCl, limits, arithmetic)
        }
    };
    match device {
        Ok(device) => Ok((device, String::new())),
        Err(error) if wish.is_none() && matches!(error, Error::NoDevice { .. }) => {
            let device = interpreter().map_err(problem)?;
            Ok((device, format!("; {error}")))
        }
        Err(error) => Err(problem(error)),
    }
}

/// Returns the pins of an argument.
#[cfg(feature = "opencl")]
pub fn pins(on: &args::On) -> Result<lozenge_backend::opencl::Pins, Problem> {
    let pinned = on
        .pins
        .as_deref()
        .map(crate::execution::pins::Pinned::read)
        .transpose()?;
    Ok(pinned.map(|pinned| pinned.pins).unwrap_or_default())
}

/// Opens an OpenCL device, with the pins of the arguments.
///
/// # Errors
/// When there is none, or the interpreter is requested, which has no kernels.
#[cfg(feature = "opencl")]
pub fn open_kernels(on: &args::On) -> Result<lozenge_backend::opencl::OpenCl, Problem> {
    use lozenge_backend::opencl::OpenCl;
    prepare();
    let device = OpenCl::on(device_with_kernels(on.device.as_ref())?, on.limits());
    let device = device.and_then(|device| device.computing(on.arithmetic()));
    let mut device = device.map_err(|error| Problem::new(with_flag(&error)))?;
    device.pin(pins(on)?);
    Ok(device)
}

/// Opens the OpenCL device that an argument or LOZENGE_DEVICE requests, by default the first one.
///
/// # Errors
/// When there is none, or the interpreter is requested, which has no kernels.
#[cfg(feature = "opencl")]
pub fn device_with_kernels(
    argument: Option<&args::Device>,
) -> Result<lozenge_backend::opencl::DeviceInfo, Problem> {
    use lozenge_backend::opencl::{device, devices};
    prepare();
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

/// Returns the device that an argument or LOZENGE_DEVICE requests.
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
            lozenge::run_with(program, shapes, nests, data, device, settings, follower)
        }
        Data::Double(data) => {
            lozenge::run_with(program, shapes, nests, data, device, settings, follower)
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
        RunError::Class(error) => loaded::problem(&follower.loaded.source, &[error.diagnostic()]),
        RunError::Stopped => follower.problem.take().unwrap_or_else(stopped),
        RunError::Checkpoint(error) => Problem::new(error),
    })
}

/// Checks that the files that a run is to write can be written, before it begins, and none is read or written twice:
/// those of `save` lines, and those of flags. The files of flags that are read come before them.
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
            loaded::problem(&loaded.source, &[Diagnostic::new(at, message, "this file")])
        })?;
    }
    // They are opened and left as they were.
    flags
        .iter()
        .try_for_each(|flag| OutputFile::open(Some(&flag.path)).map(|_| ()))
}

/// Checks that a checkpoint can have the form that its name asks for.
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

/// Returns a line on a terminal with the amount of work of a long run, the share of it that is done, and the time since
/// it began.
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

/// Returns the message about a limit of the device, at its place in the program.
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
    loaded::problem(&loaded.source, &[diagnostic.help(help)])
}

/// Returns the message, with the flag that raises a limit.
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
        Error::OpenCl { .. } => format!("{error}\n--device interpreter needs no driver"),
        other => other.to_string(),
    }
}
