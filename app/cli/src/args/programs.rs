//! The arguments of the commands about programs.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, ValueEnum};
#[cfg(feature = "opencl")]
use lozenge_backend::opencl::Profile;
use lozenge_backend::{Arithmetic, Numerics, Precision};

use super::Lists;
use crate::args::named_file::Named;
use crate::limits;

#[derive(Debug, ClapArgs)]
pub struct Infer {
    /// A program, an Axon program (.axon), or an ONNX model, which its first bytes tell.
    pub file: PathBuf,
    /// Take the last function of an Axon program at these shapes of its inputs, such as 'x=[8,1024], y=[]': its
    /// tensors, loop nests and bytes.
    #[arg(long, value_name = "SHAPES")]
    pub at: Option<String>,
    /// Print the equations that an Axon program makes, as a set in the notation of .shapes files.
    #[arg(long, conflicts_with = "at")]
    pub constraints: bool,
    /// With `--by spec`: each step of the printed rules on the equations of an Axon program.
    #[arg(long)]
    pub trace: bool,
    /// With `--by spec`: how the printed rules of Axon read a list of axes.
    #[arg(long = "reading", value_enum, default_value_t = Lists::Literal)]
    pub lists: Lists,
    /// The signatures of the operators of an Axon program.
    #[arg(long, value_enum, default_value_t = Signatures::Paper)]
    pub table: Signatures,
    /// Print only shapes: a line for each tensor that the program names.
    #[arg(long)]
    pub shapes: bool,
    /// Print which kernels would run on a CPU, or on another kind of device, in their order: what each computes, how,
    /// and how contractions of several tensors are divided. As in `run`, tensors that the program does not name need
    /// not be stored.
    #[arg(long, conflicts_with = "shapes")]
    pub schedule: bool,
    /// Write the plans of these kernels into this file, as text that `--pins` reads, here and in `run` and `train`.
    #[arg(long, value_name = "FILE", requires = "schedule")]
    pub save_pins: Option<PathBuf>,
    /// Take the plans of kernels from this file, where it has them.
    #[arg(long, value_name = "FILE", requires = "schedule")]
    pub pins: Option<PathBuf>,
    /// The kind of device whose kernels are shown.
    #[arg(
        long,
        value_name = "KIND",
        requires = "schedule",
        value_enum,
        default_value_t
    )]
    pub kernels_for: DeviceKind,
    /// Show the kernels of `run --exact`.
    #[arg(long, requires = "schedule")]
    pub exact: bool,
    /// Show the kernels of `run --precision PRECISION`.
    #[arg(long, value_name = "PRECISION", requires = "schedule", value_parser = precision())]
    pub precision: Option<Precision>,
    /// Show the kernels of `run --accumulate PRECISION`.
    #[arg(long, value_name = "PRECISION", requires = "schedule", value_parser = precision())]
    pub accumulate: Option<Precision>,
    /// The party that infers.
    #[arg(long, value_enum, default_value_t = Pipeline::Solver)]
    pub by: Pipeline,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

/// A kind of device.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum DeviceKind {
    /// A processor: few cores with wide vectors.
    #[default]
    Cpu,
    /// A device with many small work-items.
    Gpu,
}

#[cfg(feature = "opencl")]
impl From<DeviceKind> for Profile {
    fn from(kind: DeviceKind) -> Profile {
        match kind {
            DeviceKind::Cpu => Profile::Cpu,
            DeviceKind::Gpu => Profile::Parallel,
        }
    }
}

/// A table of signatures of the operators of Axon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Signatures {
    /// The signatures from which the types of the paper follow.
    Paper,
    /// The signatures that the paper prints.
    Printed,
    /// The signatures in which all pointwise operators take a right side that lacks outer axes of the left one.
    Broadcast,
}

impl From<Signatures> for lozenge::axon::Table {
    fn from(table: Signatures) -> lozenge::axon::Table {
        match table {
            Signatures::Paper => lozenge::axon::Table::Paper,
            Signatures::Printed => lozenge::axon::Table::Printed,
            Signatures::Broadcast => lozenge::axon::Table::Broadcast,
        }
    }
}

#[cfg(feature = "opencl")]
impl Infer {
    /// Returns the arithmetic of the device whose kernels are shown.
    pub fn arithmetic(&self) -> Arithmetic {
        arithmetic(
            self.exact,
            self.precision.unwrap_or_default(),
            self.accumulate.unwrap_or_default(),
        )
    }
}

/// Makes the arithmetic of a device: it computes in the order of the loop nests or in one of its own, in these
/// precisions.
fn arithmetic(exact: bool, tensors: Precision, sums: Precision) -> Arithmetic {
    Arithmetic {
        numerics: match exact {
            true => Numerics::Exact,
            false => Numerics::Fast,
        },
        tensors,
        sums,
    }
}

#[derive(Debug, ClapArgs)]
pub struct View {
    /// A program, or a model.
    pub file: PathBuf,
    /// Write the page into this file.
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
    /// Show at most so many tensors and operations; the page says how many are left out.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub max_tensors: usize,
    /// Show at most so many steps of the transcribed rules.
    #[arg(long, default_value_t = 400, value_name = "N")]
    pub max_steps: usize,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

/// The party that infers the shapes and loop nests of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pipeline {
    /// The production solver.
    Solver,
    /// The transcribed rules, which are slow.
    Spec,
}

/// The limits of an inference, and what its messages show.
#[derive(Clone, Debug, ClapArgs)]
pub struct InferenceLimits {
    /// The most axes that all tensors may have together.
    #[arg(long, default_value_t = lozenge::Options::default().max_axes, value_name = "AXES")]
    pub max_axes: u64,
    /// Warn of a refusal of shapes that fit, and go on: R1, R2, R3, R4, R5 or R6. May be given again.
    #[arg(long, value_name = "REFUSAL")]
    pub allow: Vec<lozenge::Check>,
    /// Show with each message the rule that failed and how the failure was derived.
    #[arg(long)]
    pub why: bool,
    #[command(flatten)]
    pub programs: limits::Programs,
    #[command(flatten)]
    pub solving: limits::Solving,
    #[command(flatten)]
    pub rules: limits::Rules,
}

impl InferenceLimits {
    /// Returns the limits as options of the library.
    pub fn options(&self) -> lozenge::Options {
        let mut options = lozenge::Options::default();
        options.max_axes = self.max_axes;
        options.solver = self.solving.into();
        for check in &self.allow {
            options.allow = options.allow.and(*check);
        }
        options
    }
}

#[derive(Debug, ClapArgs)]
pub struct Fmt {
    /// Programs, which are written anew; - reads one and prints it.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write nothing, and list the files that would change.
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Constraints {
    /// A program.
    pub file: PathBuf,
    /// Give a size of the program a value in place of its `size` line, or a size to an axis that a model leaves free:
    /// by the name that the model declares, or as in `x[0]=1`. No size is guessed. May be given again.
    #[arg(long, value_name = "NAME=SIZE", value_parser = size)]
    pub set: Vec<(String, u64)>,
    #[command(flatten)]
    pub programs: limits::Programs,
}

#[derive(Debug, ClapArgs)]
pub struct Run {
    /// A program, or an ONNX model, which runs with the weights of its file.
    pub file: PathBuf,
    /// Give an input of a model the values of an array that NumPy wrote. An axis that the model leaves free has the
    /// size that it has in the array. The name may be left out where there is one input. May be given again.
    #[arg(long = "input", value_name = "[NAME=]FILE.npy")]
    pub inputs: Vec<InputFile>,
    #[command(flatten)]
    pub on: On,
    /// Run on the interpreter too, and print how far the two are apart.
    #[arg(long)]
    pub compare: bool,
    /// The signatures of the operators of an Axon program; by default those from which the types of the paper follow.
    #[arg(long, value_enum)]
    pub table: Option<Signatures>,
    /// Print the values of this tensor (again for more); by default of every tensor that is small, and the first values
    /// of the others.
    #[arg(long, value_name = "TENSOR")]
    pub show: Vec<String>,
    /// Begin with the values of this file in place of initial values: a file of safetensors or a `.npz` file with an
    /// entry for each parameter; NAME=FILE.npy for one parameter, or NAME=FILE:ENTRY for one whose entry has another
    /// name. May be given again.
    #[arg(long, value_name = "[NAME=]FILE[:ENTRY]")]
    pub params: Vec<ParameterFile>,
    /// The file of `--params` has the axes of this parameter in the opposite order: outputs first, as PyTorch's
    /// `Linear`. May be given again.
    #[arg(long, value_name = "NAME", requires = "params")]
    pub transpose: Vec<String>,
    /// Print the shapes, the loop nests and the verdicts of the parties before running.
    #[arg(long)]
    pub explain: bool,
    /// The party that infers the shapes and the loop nests.
    #[arg(long, value_enum, default_value_t = Pipeline::Solver)]
    pub by: Pipeline,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

/// The values that a program takes from outside.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Outside {
    /// Give a size of the program a value in place of its `size` line. May be given again.
    #[arg(long, value_name = "NAME=SIZE", value_parser = size)]
    pub set: Vec<(String, u64)>,
    /// The first values of parameters for which the program has no initial values.
    #[arg(long, value_enum, value_name = "VALUES")]
    pub init: Option<Initial>,
}

/// Initial values of parameters.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Initial {
    /// Normally distributed with mean 0 and variance 1, as if `= normal()` was written.
    Normal,
}

/// A file with the values of an input of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// The input; nothing for the only one.
    pub name: Option<String>,
    /// The file.
    pub path: PathBuf,
}

impl std::str::FromStr for InputFile {
    type Err = String;

    fn from_str(text: &str) -> Result<InputFile, String> {
        // A name of a model may hold any characters, also `=`.
        let (name, path) = match text.rsplit_once('=') {
            Some((name, path)) if !name.is_empty() => (Some(name.to_string()), path),
            _ => (None, text),
        };
        match path {
            "" => Err("write `--input x=FILE.npy`".to_string()),
            _ => Ok(InputFile {
                name,
                path: path.into(),
            }),
        }
    }
}

/// Reads `NAME=SIZE`
pub fn size(text: &str) -> Result<(String, u64), String> {
    let (name, size) = text.rsplit_once('=').ok_or("write `--set n=32`")?;
    let size = size
        .trim()
        .parse::<u64>()
        .map_err(|error| format!("`{size}` is no size: {error}"))?;
    Ok((name.trim().to_string(), size))
}

#[derive(Debug, ClapArgs)]
pub struct Train {
    /// A program with a section such as `train 20 epochs by 32 of n:`.
    pub file: PathBuf,
    #[command(flatten)]
    pub on: On,
    /// The number on which random values and the order of rows depend; by default 0. The same seed gives the same
    /// numbers.
    #[arg(long)]
    pub seed: Option<u64>,
    /// The number of epochs of each section, in place of what the program says.
    #[arg(long, value_name = "COUNT")]
    pub epochs: Option<u64>,
    /// Write the parameters and states into this file after each epoch, and at the end: as arrays of NumPy if its name
    /// ends in `.npz`, else as safetensors.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Begin with the values of this checkpoint in place of first values.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub load: Option<PathBuf>,
    /// Begin with the values of this file in place of first values: a file of safetensors or a `.npz` file with an
    /// entry for each parameter; NAME=FILE.npy for one parameter, or NAME=FILE:ENTRY for one whose entry has another
    /// name. May be given again.
    #[arg(long, value_name = "[NAME=]FILE[:ENTRY]", conflicts_with_all = ["load", "resume"])]
    pub params: Vec<ParameterFile>,
    /// The file of `--params` has the axes of this parameter in the opposite order: outputs first, as PyTorch's
    /// `Linear`. May be given again.
    #[arg(long, value_name = "NAME", requires = "params")]
    pub transpose: Vec<String>,
    /// Go on where the run of this checkpoint was, to the same bits as if it had not stopped.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Write how the numbers change that the sections print, at the end of the run or where it fails: as a picture if
    /// the name ends in `.svg`, as a page if it ends in `.html`.
    #[arg(long, value_name = "FILE")]
    pub curve: Option<PathBuf>,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

/// A file with the values of parameters: of one with a name, or of all by their names.
#[derive(Clone, Debug)]
pub struct ParameterFile {
    /// The parameter, if the file has only one.
    pub name: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// The entry of the file that has the values of the parameter.
    pub entry: Option<String>,
}

impl std::str::FromStr for ParameterFile {
    type Err = String;

    fn from_str(text: &str) -> Result<ParameterFile, String> {
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', '\\']);
        let (name, path) = match text.split_once('=') {
            Some((name, path)) if is_name(name) => (Some(name.to_string()), path),
            _ => (None, text),
        };
        // A colon in a path has a folder behind it, as in `C:\w.npy`.
        let is_entry = |entry: &str| !entry.is_empty() && !entry.contains(['/', '\\']);
        let (path, entry) = match path.rsplit_once(':') {
            Some((path, entry)) if name.is_some() && is_entry(entry) => (path, Some(entry)),
            _ => (path, None),
        };
        match path {
            "" => Err("write `--params FILE.npz` or `--params w=FILE.npy`".to_string()),
            _ => Ok(ParameterFile {
                name,
                path: path.into(),
                entry: entry.map(str::to_string),
            }),
        }
    }
}

/// The device on which a program runs, how it computes there, and how much it may take.
#[derive(Clone, Debug, ClapArgs)]
pub struct On {
    /// The device on which it runs: `interpreter`, `opencl`, or `opencl:0` for a device by number or part of its name.
    /// By default the one that the variable LOZENGE_DEVICE names, or else the interpreter for programs of at most
    /// 4194304 points, unless a flag is about kernels; for others OpenCL where there is a device, and the interpreter
    /// where there is none.
    #[arg(long)]
    pub device: Option<Device>,
    /// Compute in the order of the loop nests, every operation rounded by itself, as the interpreter does. Without it
    /// sums are taken in an order that suits the device, always the same one, and a product that is added is rounded
    /// once with the sum.
    #[arg(long)]
    pub exact: bool,
    /// Print how long each kernel took on the device, its arithmetic operations and bytes a second, and the lines that
    /// it stems from.
    #[arg(long)]
    pub times: bool,
    /// The folder that keeps kernels that were compiled twice for later runs, or `off`. By default the one that the
    /// variable LOZENGE_KERNEL_CACHE names, or else `lozenge/kernels` in the user's folder for caches. It has at most
    /// 256 MB; the kernels that were used longest ago are removed.
    #[arg(long, value_name = "FOLDER")]
    pub kernel_cache: Option<PathBuf>,
    /// Make kernels by the plans of this file, where it has them: `infer --schedule --save-pins FILE` writes it, and it
    /// may be changed by hand. The same plans give the same bits.
    #[arg(long, value_name = "FILE")]
    pub pins: Option<PathBuf>,
    /// The precision of all tensors, in memory and in every operation; files are read in it. Random values come in 32
    /// bits.
    #[arg(long, default_value = "f32", value_name = "PRECISION", value_parser = precision())]
    pub precision: Precision,
    /// The precision in which an operation that adds up values computes and adds them, before the sum is rounded to
    /// that of the tensors. With `f64`, sums of many values lose no digits.
    #[arg(long, default_value = "f32", value_name = "PRECISION", value_parser = precision())]
    pub accumulate: Precision,
    /// The most points that the loops of one operation may have.
    #[arg(long, default_value_t = lozenge_backend::Limits::default().points, value_name = "POINTS")]
    pub max_points: u64,
    /// The most bytes that all tensors may take together.
    #[arg(long, default_value_t = lozenge_backend::Limits::default().bytes, value_name = "BYTES")]
    pub max_bytes: u64,
}

impl On {
    /// Returns the arithmetic of the device.
    pub fn arithmetic(&self) -> Arithmetic {
        arithmetic(self.exact, self.precision, self.accumulate)
    }

    /// Returns the limits of the device.
    pub fn limits(&self) -> lozenge_backend::Limits {
        lozenge_backend::Limits {
            bytes: self.max_bytes,
            points: self.max_points,
        }
    }

    /// Returns the files of these flags that are read.
    pub fn files(&self) -> impl Iterator<Item = Named> {
        Named::flag("--pins", self.pins.as_deref()).into_iter()
    }

    /// Returns the folder that keeps compiled kernels, if one does.
    pub fn kernels(&self) -> Option<PathBuf> {
        let named = std::env::var_os("LOZENGE_KERNEL_CACHE").filter(|named| !named.is_empty());
        let named = self.kernel_cache.clone().or(named.map(PathBuf::from));
        named
            .or_else(usual_kernels)
            .filter(|folder| folder.as_os_str() != "off")
    }
}

/// Returns the folder for compiled kernels in the user's folder for caches, if there is one.
#[cfg(feature = "opencl")]
fn usual_kernels() -> Option<PathBuf> {
    Some(dirs::cache_dir()?.join("lozenge").join("kernels"))
}

#[cfg(not(feature = "opencl"))]
fn usual_kernels() -> Option<PathBuf> {
    None
}

/// Reads a precision by its word.
fn precision() -> impl TypedValueParser<Value = Precision> {
    let words = Precision::ALL.map(Precision::word);
    PossibleValuesParser::new(words).map(|word| {
        let mut all = Precision::ALL.into_iter();
        all.find(|one| one.word() == word).unwrap_or_default()
    })
}

/// A device by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Device {
    /// Plain loops on this machine.
    Interpreter,
    /// Kernels on an OpenCL device: the first one, or that of a number or with a text in its name.
    Opencl(Option<String>),
}

impl std::str::FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        match (text, text.strip_prefix("opencl:")) {
            ("interpreter", _) => Ok(Device::Interpreter),
            ("opencl", _) => Ok(Device::Opencl(None)),
            (_, Some(wanted)) if !wanted.is_empty() => Ok(Device::Opencl(Some(wanted.to_string()))),
            _ => Err(
                "write `interpreter`, `opencl` or `opencl:0`, the number of a device or a part of its name (`lozenge devices` lists them)"
                    .to_string(),
            ),
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct Tune {
    /// A program.
    pub file: PathBuf,
    /// Write the plans of all kernels into this file, for `--pins`: those that were faster, and the default ones.
    #[arg(long, value_name = "FILE")]
    pub save_pins: PathBuf,
    /// The most seconds to spend on measuring.
    #[arg(long, default_value_t = 20, value_name = "SECONDS")]
    pub seconds: u64,
    #[command(flatten)]
    pub on: On,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

/// The arguments of `devices`, which lists the OpenCL devices.
#[derive(Debug, ClapArgs)]
pub struct Devices {
    /// Measure how fast each multiplies and adds, and copies memory.
    #[arg(long)]
    pub measure: bool,
}
