//! `lozenge run` of an Axon program: what its `print` lines show, computed by the one pipeline.

use std::collections::BTreeSet;
use std::fmt::Write;

use lozenge::Settings;
use lozenge::axon::{Lowered, Shown, Stopped, Table, lower_with};
use lozenge_backend::{Engine, Precision, Tensor};
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::operation::TensorId;
use schemars::JsonSchema;
use serde::Serialize;

use super::Loaded;
use super::answer::Body;
use super::refused;
use crate::args;
use crate::execution::values;
use crate::execution::{self, Follower, Out, compare};
use crate::json::Number;
use crate::json::program::Difference;
use crate::loaded::{self, Inferred, Loaded as Program};
use crate::report::{Problem, Report};
use crate::source::Source;

/// The answer of `run` about an Axon program.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonRun")]
pub struct RunBody {
    /// The device.
    device: String,
    /// The values that the program shows, in its order.
    printed: Vec<PrintedData>,
    /// With `--compare`: how far the interpreter and the device are apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_difference: Option<Difference>,
}

/// A value that was shown.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonPrinted", deny_unknown_fields)]
struct PrintedData {
    /// The expression behind `print`.
    text: String,
    /// Its tensors.
    tensors: Vec<ValuesData>,
    /// From which of these up to which the elements of a ragged tensor stand, for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    rows: Vec<[usize; 2]>,
}

/// A tensor with its values.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AxonValues", deny_unknown_fields)]
struct ValuesData {
    /// The shape.
    shape: Vec<u64>,
    /// The values, the leftmost axis slowest.
    values: Vec<Number>,
}

/// The largest number of masks on whose values the sizes behind them depend.
const MOST_MASKS: usize = 64;

/// Runs the command.
///
/// # Errors
/// When the file is no program, shows nothing, or has no values for its data.
pub fn run(args: &args::Run) -> Result<Report, Problem> {
    let table = args.table.map_or(Table::default(), Table::from);
    let loaded = Loaded::of(&args.file, table)?;
    if loaded.verdict() != Verdict::Sat {
        return Ok(loaded.report("", Body::of(&loaded)));
    }
    let mut masks = Vec::new();
    let run = loop {
        let run = match Run::of(args, &loaded, table, &masks)? {
            Ok(run) => run,
            Err(refusal) => return Ok(refusal),
        };
        if !run.lowered.is_partial {
            break run;
        }
        if masks.len() == MOST_MASKS {
            return Err(Problem::new(format!(
                "{} computes more than {MOST_MASKS} masks for `compress`",
                loaded.source.name
            )));
        }
        let points = execution::points(&run.program.program, &run.inferred.nests);
        let execution::Opened { mut device, .. } = execution::open(&run.on, points)?;
        masks.push(run.mask(device.as_mut())?);
    };
    if run.lowered.printed.is_empty() {
        return Err(Problem::new(format!(
            "{} shows nothing: add `print NAME` at its end, and `data NAME : f32 [2,3] = range(6)` for what it computes with; `lozenge infer` finds its types",
            loaded.source.name
        )));
    }
    let points = match args.compare {
        true => u64::MAX,
        false => execution::points(&run.program.program, &run.inferred.nests),
    };
    let execution::Opened { mut device, line } = execution::open(&run.on, points)?;
    let mut text = format!("{line}\n");
    let results = run.computed(device.as_mut())?;
    let mut body = RunBody {
        device: device.description(),
        printed: Vec::new(),
        largest_difference: None,
    };
    for shown in &run.lowered.printed {
        body.printed
            .push(printed(&loaded, &run.program, shown, &results, &mut text));
    }
    if args.compare {
        let (limits, arithmetic) = (run.on.limits(), run.on.arithmetic());
        let interpreter = lozenge_backend::open_with(Engine::Interpreter, limits, arithmetic);
        let mut interpreter = interpreter.map_err(Problem::new)?;
        let reference = run.computed(interpreter.as_mut())?;
        body.largest_difference = compare(&run.program, &reference, &results, &mut text)?;
    }
    let report = loaded.report(&text, body);
    execution::put_kernels_away(device.as_mut());
    Ok(report)
}

/// A program that is run.
struct Run<'r> {
    args: &'r args::Run,
    on: args::On,
    lowered: Lowered,
    program: Program,
    inferred: Inferred,
}

impl<'r> Run<'r> {
    /// Follows a program with the masks that were computed before, and infers what it became; the report if it is
    /// refused there.
    fn of(
        args: &'r args::Run,
        loaded: &Loaded,
        table: Table,
        masks: &[Vec<f64>],
    ) -> Result<Result<Run<'r>, Report>, Problem> {
        let lowered = lower_with(&loaded.program, table, masks);
        let lowered = match lowered {
            Ok(lowered) => lowered,
            Err(Stopped { message, is_limit }) => {
                let verdict = match is_limit {
                    true => Verdict::Unknown,
                    false => Verdict::Unsat,
                };
                return Ok(Err(refused(loaded, verdict, &[message])));
            }
        };
        let source = Source {
            name: format!("{} as a program", loaded.source.name),
            text: lowered.text.clone(),
        };
        let program = Program::of_text(source, &args.file, &args.outside, args.limits.programs)?;
        let inferred = match program.infer(args.by, &args.limits.options(), args.limits.rules) {
            Ok(inferred) => inferred,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut on = args.on.clone();
        if lowered.is_wide {
            (on.precision, on.accumulate) = (Precision::F64, Precision::F64);
        }
        Ok(Ok(Run {
            args,
            on,
            lowered,
            program,
            inferred,
        }))
    }

    /// Computes the mask that the program needs next.
    fn mask(&self, device: &mut dyn lozenge_backend::Device) -> Result<Vec<f64>, Problem> {
        let results = self.computed(device)?;
        let shown = self.lowered.printed.iter().flat_map(|shown| &shown.tensors);
        let mut masks = shown.filter_map(|(name, _)| self.program.program.find(name));
        let mask = masks.next().map(|id| Number::all(&results[id.0]));
        let values = mask.unwrap_or_default().into_iter().map(Number::value);
        Ok(values.collect())
    }

    /// Computes the tensors that are shown; all of them to be compared.
    fn computed(&self, device: &mut dyn lozenge_backend::Device) -> Result<Vec<Tensor>, Problem> {
        let (args, program) = (self.args, &self.program);
        let folder = loaded::folder(&args.file);
        let data = execution::data(program, folder, &Default::default(), self.on.precision)?;
        let shown = self.lowered.printed.iter().flat_map(|shown| &shown.tensors);
        let kept: BTreeSet<TensorId> = shown
            .filter_map(|(name, _)| program.program.find(name))
            .collect();
        let settings = Settings {
            keep: (!args.compare).then_some(kept),
            ..Settings::default()
        };
        let mut follower = Follower::new(program, &self.inferred.shapes, folder, Out::Nowhere);
        follower.precision = self.on.precision;
        execution::execute(&self.inferred, &data, device, &settings, &mut follower)
    }
}

/// Adds the line of a value that is shown.
fn printed(
    loaded: &Loaded,
    program: &Program,
    shown: &Shown,
    results: &[Tensor],
    text: &mut String,
) -> PrintedData {
    let expression = loaded
        .source
        .text
        .get(shown.span.clone())
        .unwrap_or_default();
    let expression = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut tensors = Vec::new();
    let mut parts = Vec::new();
    let mut place = 0;
    while let Some((name, shape)) = shown.tensors.get(place) {
        let rows = shown.rows.iter().find(|rows| rows.start == place);
        let elements = rows.map_or(place..place + 1, Clone::clone);
        place = elements.end;
        let found = shown.tensors.get(elements).unwrap_or_default().iter();
        let found = found.filter_map(|(name, shape)| {
            let id = program.program.find(name)?;
            Some((shape, &results[id.0]))
        });
        let found: Vec<(&Vec<u64>, &Tensor)> = found.collect();
        tensors.extend(found.iter().map(|(shape, result)| ValuesData {
            shape: (*shape).clone(),
            values: Number::all(result),
        }));
        parts.push(match rows {
            Some(_) => ragged(shape, &found),
            None => match program.program.find(name) {
                Some(id) => (shape_text(shape), values::of(&results[id.0])),
                None => continue,
            },
        });
    }
    for (place, (shape, values)) in parts.iter().enumerate() {
        let part = match parts.len() {
            1 => String::new(),
            _ => format!(".{place}"),
        };
        let space = if values.starts_with('\n') { "" } else { " " };
        let _ = writeln!(text, "{expression}{part}{shape} ={space}{values}");
    }
    PrintedData {
        text: expression,
        tensors,
        rows: shown
            .rows
            .iter()
            .map(|rows| [rows.start, rows.end])
            .collect(),
    }
}

/// Writes a shape behind a name; nothing for a scalar.
fn shape_text(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    match sizes.is_empty() {
        true => String::new(),
        false => format!(" : [{}]", sizes.join(",")),
    }
}

/// Writes the shape and the values of a ragged tensor, of one of whose elements the shape is given.
fn ragged(shape: &[u64], elements: &[(&Vec<u64>, &Tensor)]) -> (String, String) {
    let inner = shape.iter().skip(1).map(|size| format!(",{size}"));
    let sizes = format!(" : [{},*{}]", elements.len(), inner.collect::<String>());
    let values: Vec<String> = elements
        .iter()
        .map(|(_, element)| values::of(element).trim().to_string())
        .collect();
    let is_long = values.iter().any(|values| values.contains('\n'));
    let values = match is_long {
        true => format!("\n  [{}]", values.join(",\n   ").replace("\n", "\n   ")),
        false => format!("[{}]", values.join(", ")),
    };
    (sizes, values)
}
