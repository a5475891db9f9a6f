//! `lozenge run`: a program executed on its data.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

use lozenge_backend::{Device, Engine, Limits, LoopNest, Tensor, agreement};
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Parameter, Request, Source as Values, Start, Wish};
use serde_json::{Value, json};

use crate::args;
#[cfg(feature = "oracle")]
use crate::check;
use crate::infer;
use crate::inference::{self, Inferred, Loaded, shape_text};
use crate::json::{Number, ShapeData};
use crate::report::{Problem, Report, Status};

/// A tensor with at most this many values is shown without being asked for.
const SMALL: usize = 16;

/// Runs the command.
pub fn run(args: &args::Run) -> Result<Report, Problem> {
    let mut loaded = inference::program(&args.file)?;
    loaded.why = args.limits.why;
    for name in &args.show {
        if loaded.program.find(name).is_none() {
            return Err(Problem::new(format!(
                "--show {name}: the program has no tensor of that name"
            )));
        }
    }
    let inferred = match loaded.infer(args.by, &args.limits.options()) {
        Ok(inferred) => inferred,
        Err(refusal) => return Ok(refusal),
    };
    let data = data(&loaded, args.file.parent().unwrap_or(Path::new("")))?;
    let mut text = String::new();
    let mut json = json!({});
    if args.explain {
        let _ = writeln!(text, "{}", infer::text(&loaded, &inferred));
        #[cfg(feature = "oracle")]
        {
            let verdicts = check::of_program(&loaded, check::DEFAULT_TIME);
            let _ = writeln!(text, "{}", verdicts.text());
            json["verdicts"] = verdicts.json();
        }
        #[cfg(not(feature = "oracle"))]
        text.push_str("verdicts: this lozenge was built without Z3 (the feature `oracle`)\n\n");
    }
    let (mut device, note) = open(args.device, args.device_limits())?;
    let _ = writeln!(text, "{note}device: {}", device.description());
    json["device"] = json!(device.description());
    let mut wishes = Wishes::default();
    let results = execute(&loaded, &inferred, &data, device.as_mut(), &mut wishes)?;
    wishes.fulfil(
        &loaded,
        args.file.parent().unwrap_or(Path::new("")),
        &mut text,
    )?;
    if args.compare {
        let (mut interpreter, _) = open(Some(args::Device::Interpreter), args.device_limits())?;
        let mut again = Wishes::default();
        let reference = execute(&loaded, &inferred, &data, interpreter.as_mut(), &mut again)?;
        compare(&loaded, &reference, &results, &mut text, &mut json)?;
    }
    show(
        &loaded, &inferred, &results, &args.show, &mut text, &mut json,
    );
    Ok(Report {
        text,
        json,
        status: Status::Good,
    })
}

/// The values of data tensors; a parameter without a value is an error here.
fn data(loaded: &Loaded, folder: &Path) -> Result<BTreeMap<TensorId, Vec<f32>>, Problem> {
    for tensor in &loaded.program.tensors {
        if matches!(
            tensor.source,
            Values::Param(Parameter {
                start: Start::Outside,
                ..
            })
        ) {
            let diagnostic = Diagnostic::new(
                tensor.span.clone(),
                format!("the parameter `{}` has no value to run with", tensor.name),
                "declared here",
            );
            let help = format!("give it one: `param {} = 0.5`", tensor.name);
            return Err(inference::problem(&loaded.source, &[diagnostic.help(help)]));
        }
    }
    lozenge::load(&loaded.program, folder)
        .map_err(|error| inference::problem(&loaded.source, &[error.diagnostic()]))
}

/// The device that was asked for; without a wish OpenCL where there is a device, and a note where there is none.
fn open(wish: Option<args::Device>, limits: Limits) -> Result<(Box<dyn Device>, String), Problem> {
    let engine = match wish {
        Some(args::Device::Interpreter) => Engine::Interpreter,
        Some(args::Device::Opencl) | None => Engine::OpenCl,
    };
    let problem = |error: lozenge_backend::Error| Problem::new(format!("{error}"));
    match lozenge_backend::open(engine, limits) {
        Ok(device) => Ok((device, String::new())),
        Err(error) if wish.is_none() => {
            let device = lozenge_backend::open(Engine::Interpreter, limits).map_err(problem)?;
            Ok((
                device,
                format!("no OpenCL device, so the interpreter runs this: {error}\n"),
            ))
        }
        Err(error) => Err(problem(error)),
    }
}

/// Runs every operation, and gives back every tensor.
fn execute(
    loaded: &Loaded,
    inferred: &Inferred,
    data: &BTreeMap<TensorId, Vec<f32>>,
    device: &mut dyn Device,
    wishes: &mut Wishes,
) -> Result<Vec<Tensor>, Problem> {
    let (shapes, nests) = (&inferred.shapes, &inferred.nests);
    let watch = &mut |request: &Request, tensor: &Tensor| {
        wishes.0.push((request.clone(), tensor.clone()));
    };
    announce(nests);
    lozenge::run_watched(&loaded.program, shapes, nests, data, device, watch)
        .map_err(|error| Problem::new(with_flag(&error)))
}

/// From this many points on a run takes more than some seconds.
const MANY_POINTS: u64 = 1_000_000_000;

/// Says on a terminal how much work a long run is.
fn announce(nests: &[LoopNest]) {
    let points = nests.iter().map(|nest| nest.points().unwrap_or(u64::MAX));
    let points = points.fold(0, u64::saturating_add);
    if points >= MANY_POINTS && std::io::stderr().is_terminal() {
        eprintln!("running {points} points in {} operations", nests.len());
    }
}

/// The message, with the flag that raises a limit.
fn with_flag(error: &lozenge_backend::Error) -> String {
    match error {
        lozenge_backend::Error::TooManyPoints { .. } => format!("{error}; --max-points raises it"),
        lozenge_backend::Error::Memory { .. } => format!("{error}; --max-bytes raises it"),
        other => other.to_string(),
    }
}

/// What the program asked to be printed, saved and asserted, with the values at that place.
#[derive(Default)]
struct Wishes(Vec<(Request, Tensor)>);

impl Wishes {
    fn fulfil(&self, loaded: &Loaded, folder: &Path, text: &mut String) -> Result<(), Problem> {
        for (request, tensor) in &self.0 {
            let values: Vec<String> = tensor.values().iter().map(f32::to_string).collect();
            match &request.what {
                Wish::Print => {
                    let written = loaded
                        .source
                        .text
                        .get(request.span.clone())
                        .unwrap_or_default();
                    let _ = writeln!(text, "{written} = [{}]", values.join(", "));
                }
                Wish::Save(path) => {
                    let columns = tensor.shape().last().copied().unwrap_or(1) as usize;
                    let lines = values
                        .chunks(columns.max(1))
                        .map(|line| line.join(",") + "\n");
                    let path = folder.join(path);
                    std::fs::write(&path, lines.collect::<String>()).map_err(|error| {
                        Problem::new(format!("{} cannot be written: {error}", path.display()))
                    })?;
                }
                Wish::Assert => {
                    if let Some(at) = tensor.values().iter().position(|value| *value == 0.0) {
                        let diagnostic = Diagnostic::new(
                            request.span.clone(),
                            "an assertion does not hold",
                            format!("0 in cell {at} of {}", values.len()),
                        );
                        let help = "an assertion holds where every cell differs from 0";
                        return Err(inference::problem(&loaded.source, &[diagnostic.help(help)]));
                    }
                }
            }
        }
        Ok(())
    }
}

fn compare(
    loaded: &Loaded,
    reference: &[Tensor],
    results: &[Tensor],
    text: &mut String,
    json: &mut Value,
) -> Result<(), Problem> {
    let mut largest: Option<(agreement::Difference, &str)> = None;
    for ((tensor, expected), found) in loaded.program.tensors.iter().zip(reference).zip(results) {
        let difference = agreement::difference(expected, found)
            .map_err(|error| Problem::new(format!("{error}")))?;
        if largest.is_none_or(|(known, _)| {
            (difference.absolute, difference.ulps) > (known.absolute, known.ulps)
        }) {
            largest = Some((difference, &tensor.name));
        }
    }
    if let Some((agreement::Difference { absolute, ulps }, name)) = largest {
        let _ = match ulps {
            0 => writeln!(
                text,
                "largest difference from the interpreter: 0, every tensor is the same to the last bit"
            ),
            _ => writeln!(
                text,
                "largest difference from the interpreter: {absolute:e} ({ulps} units in the last place), in {name}"
            ),
        };
        json["largest_difference"] = json!({"absolute": absolute, "ulps": ulps, "tensor": name});
    }
    Ok(())
}

fn show(
    loaded: &Loaded,
    inferred: &Inferred,
    results: &[Tensor],
    wanted: &[String],
    text: &mut String,
    json: &mut Value,
) {
    let mut tensors = serde_json::Map::new();
    let requests = &loaded.program.requests;
    let prints = requests.iter().any(|request| request.what == Wish::Print);
    for ((tensor, shape), result) in loaded
        .program
        .tensors
        .iter()
        .zip(inferred.shapes.iter())
        .zip(results)
    {
        let named = matches!(tensor.source, Values::Intermediate) && !tensor.name.contains('\'');
        let shown = if wanted.is_empty() {
            // A program that prints says itself what is to be seen.
            !prints && named && result.values().len() <= SMALL
        } else {
            wanted.iter().any(|name| **name == *tensor.name)
        };
        if shown {
            let values: Vec<String> = result
                .values()
                .iter()
                .map(|value| value.to_string())
                .collect();
            let _ = writeln!(
                text,
                "{} : {} = [{}]",
                tensor.name,
                shape_text(shape),
                values.join(", ")
            );
            let numbers: Vec<Number> = result.values().iter().map(|value| Number(*value)).collect();
            tensors.insert(
                tensor.name.to_string(),
                json!({"shape": ShapeData::from(shape), "values": numbers}),
            );
        }
    }
    json["tensors"] = Value::Object(tensors);
}
