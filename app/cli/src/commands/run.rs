//! `lozenge run`: a program executed on its data.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge::Settings;
use lozenge_backend::{Device, Engine, Tensor};
#[cfg(feature = "oracle")]
use lozenge_fuzz::subjects::programs::checked::checked;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::axon;
#[cfg(feature = "oracle")]
use crate::commands::check;
use crate::commands::infer;
use crate::execution::parameters;
use crate::execution::pins::Pinned;
use crate::execution::shown::Shown;
use crate::execution::times;
use crate::execution::values;
use crate::execution::{self, Data, Follower, Out, compare};
use crate::json::program::{Difference, MemoryData, PrintedData, SectionData, Times, ValuesData};
use crate::json::{Number, ShapeData, in_order};
#[cfg(feature = "oracle")]
use crate::limits::Parties;
use crate::loaded::{self, Inferred, Loaded};
use crate::models;
use crate::report::{Problem, Report};

/// The values of tensors: an answer of `run`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    /// The device on which it ran.
    pub device: String,
    /// The memory that the device took, if it counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryData>,
    /// With `--times`: how long the kernels took, those that took longest first; null if the device measures none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Times>,
    /// The output of the program outside of its sections, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub printed: Vec<PrintedData>,
    /// The output of the sections of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub sections: Vec<SectionData>,
    /// With `--compare`: how far the device is from the interpreter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_difference: Option<Difference>,
    /// With `--explain`: what the parties say of the program.
    #[cfg(feature = "oracle")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<check::Answer>,
    /// The tensors that are shown, by name, in the order of the program.
    #[serde(serialize_with = "in_order")]
    #[schemars(with = "BTreeMap<String, ValuesData>")]
    pub tensors: Vec<(String, ValuesData)>,
}

/// The number of values of a larger tensor that are shown.
const BEGINNING: usize = 6;

/// The work that is done when the answer is printed.
pub type Afterwards = Box<dyn FnOnce()>;

/// Runs the command. A refusal leaves nothing to be done afterwards.
pub fn run(args: &args::Run) -> Result<(Report, Option<Afterwards>), Problem> {
    if axon::is_axon(&args.file) {
        return Ok((axon::run(args)?, None));
    }
    if args.table.is_some() {
        return Err(Problem::new(
            "--table is for Axon programs (.axon): leave it out",
        ));
    }
    let mut loaded = models::program_to_run(
        &args.file,
        &args.outside,
        &args.inputs,
        args.limits.programs,
    )?;
    loaded.why = args.limits.why;
    known(&args.show, &loaded)?;
    let inferred = match loaded.infer(args.by, &args.limits.options(), args.limits.rules) {
        Ok(inferred) => inferred,
        Err(refusal) => return Ok((refusal, None)),
    };
    let folder = loaded::folder(&args.file);
    let read = parameters::files(&args.params).chain(args.on.files());
    execution::writable(&loaded, folder, read, [])?;
    let precision = args.on.precision;
    let begin = parameters::begin(
        &args.params,
        &args.transpose,
        &loaded.program,
        &inferred.shapes,
        precision,
    )?;
    let data = execution::data(&loaded, folder, &begin, precision)?;
    let (mut text, mut answer) = beginning(args, &loaded, &inferred);
    let points = match args.compare {
        // The interpreter has nothing to be compared with but a device.
        true => u64::MAX,
        false => execution::points(&loaded.program, &inferred.nests),
    };
    let execution::Opened { mut device, line } = execution::open(&args.on, points)?;
    let pins = args.on.pins.as_ref();
    let pinned = pins.map(|path| Pinned::onto(path, device.as_mut()));
    let pinned = pinned.transpose()?;
    let _ = writeln!(text, "{line}");
    answer.device = device.description();
    let mut follower = Follower::new(&loaded, &inferred.shapes, folder, Out::Kept(text));
    follower.precision = args.on.precision;
    let settings = Settings {
        begin,
        keep: (!args.compare).then(|| loaded.seen(&inferred.shapes, &args.show)),
        ..Settings::default()
    };
    let results = execution::execute(&inferred, &data, device.as_mut(), &settings, &mut follower)?;
    let mut text = told(follower, pinned.as_ref(), device.as_ref(), &mut answer);
    if args.compare {
        let reference = interpreted(args, &loaded, &inferred, &data, &settings)?;
        answer.largest_difference = compare(&loaded, &reference, &results, &mut text)?;
    }
    answer.tensors = shown(&loaded, &inferred, &results, &args.show, &mut text);
    answer.times = times::told(&args.on, device.as_mut(), &loaded, &mut text)?;
    let report = Report::new(text, answer).with_errors(loaded.messages(&inferred.warnings));
    let afterwards = move || execution::put_kernels_away(device.as_mut());
    Ok((report, Some(Box::new(afterwards))))
}

/// Returns the lines that were printed, and adds to the answer what was printed and trained, and the memory of the
/// device.
fn told(
    follower: Follower<'_>,
    pinned: Option<&Pinned>,
    device: &dyn Device,
    answer: &mut Answer,
) -> String {
    let Follower {
        out,
        sections,
        printed,
        ..
    } = follower;
    let mut text = out.kept();
    if let Some(pinned) = pinned {
        text.push_str(&pinned.note());
    }
    answer.memory = MemoryData::of(device);
    answer.printed = printed;
    answer.sections = sections;
    text
}

/// Begins the answer: with the warnings, or where `--explain` asks for it, with the loop nests and the verdicts.
fn beginning(args: &args::Run, loaded: &Loaded, inferred: &Inferred) -> (String, Answer) {
    let mut text = String::new();
    let mut answer = Answer::default();
    match args.explain {
        true => explain(args, loaded, inferred, &mut text, &mut answer),
        false => text.push_str(&loaded.rendered(&inferred.warnings)),
    }
    (text, answer)
}

/// Runs the program on the interpreter, without printing or saving, for comparison.
fn interpreted(
    args: &args::Run,
    loaded: &Loaded,
    inferred: &Inferred,
    data: &Data,
    settings: &Settings,
) -> Result<Vec<Tensor>, Problem> {
    let (limits, arithmetic) = (args.on.limits(), args.on.arithmetic());
    let interpreter = lozenge_backend::open_with(Engine::Interpreter, limits, arithmetic);
    let mut interpreter = interpreter.map_err(Problem::new)?;
    let folder = loaded::folder(&args.file);
    let mut nobody = Follower::new(loaded, &inferred.shapes, folder, Out::Nowhere);
    let device = interpreter.as_mut();
    execution::execute(inferred, data, device, settings, &mut nobody)
}

/// Checks that the program has the tensors that are to be shown.
fn known(names: &[String], loaded: &Loaded) -> Result<(), Problem> {
    let unknown = names
        .iter()
        .find(|name| loaded.program.find(name).is_none());
    match unknown {
        None => Ok(()),
        Some(name) => Err(Problem::new(format!(
            "--show {name}: the program has no tensor of that name"
        ))),
    }
}

/// Writes the loop nests in front of the results, and what each party says of the constraints.
fn explain(
    args: &args::Run,
    loaded: &Loaded,
    inferred: &Inferred,
    text: &mut String,
    answer: &mut Answer,
) {
    let _ = writeln!(text, "{}", infer::text(loaded, inferred));
    #[cfg(feature = "oracle")]
    {
        let limits = Parties {
            rules: args.limits.rules,
            ..Parties::default()
        };
        let (program, source) = (&loaded.program, &loaded.source.text);
        let checked = checked(program, source, &limits.into(), &args.limits.options());
        let _ = writeln!(text, "{checked}");
        answer.verdicts = check::Answer::of(&checked);
    }
    #[cfg(not(feature = "oracle"))]
    {
        let _ = (args, answer);
        text.push_str("verdicts: this lozenge was built without Z3 (the feature `oracle`)\n\n");
    }
}

/// Returns the tensors that are shown whole, and adds all that are shown to the text.
fn shown(
    loaded: &Loaded,
    inferred: &Inferred,
    results: &[Tensor],
    wanted: &[String],
    text: &mut String,
) -> Vec<(String, ValuesData)> {
    let mut tensors = Vec::new();
    let all = loaded.program.tensors.iter().zip(inferred.shapes.iter());
    let shown = loaded.shown(&inferred.shapes, wanted);
    for (((tensor, shape), result), shown) in all.zip(results).zip(shown) {
        let name = &tensor.name;
        match shown {
            Shown::All => {
                let values = values::of(result);
                let line = values::assigned(name, shape, &values);
                let _ = writeln!(text, "{line}");
                let data = ValuesData {
                    shape: ShapeData::from(shape),
                    values: Number::all(result),
                };
                tensors.push((name.to_string(), data));
            }
            Shown::Beginning => {
                let begin = values::first_of(result, BEGINNING);
                let line = values::assigned(name, shape, &begin);
                let count = result.values().len();
                let _ = writeln!(text, "{line}  # {count} values: --show {name} prints all");
            }
            Shown::Nothing => {}
        }
    }
    tensors
}
