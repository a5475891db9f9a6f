//! `lozenge run` of an Axon program: what its `print` lines show, computed by the one pipeline.

use std::collections::BTreeSet;
use std::fmt::Write;

use lozenge::Settings;
use lozenge::axon::{Lowered, Shown, Table, lower};
use lozenge_backend::{Engine, Precision, Tensor};
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::operation::TensorId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::Loaded;
use super::answer::Body;
use crate::args;
use crate::execution::values;
use crate::execution::{self, Follower, Out, compare};
use crate::inference::{self, Inferred, Loaded as Program};
use crate::json::Number;
use crate::json::program::Difference;
use crate::report::{Problem, Report};
use crate::source::Source;
use crate::text::source_view::problem;

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

/// Runs the command.
///
/// # Errors
/// When the file is no program, shows nothing, or has no values for its data.
pub fn run(args: &args::Run) -> Result<Report, Problem> {
    let loaded = Loaded::of(&args.file, Table::default())?;
    if loaded.verdict() != Verdict::Sat {
        return Ok(loaded.report("", json!(Body::of(&loaded))));
    }
    let lowered = lower(&loaded.program).map_err(|error| problem(&loaded.source, &[error]))?;
    if lowered.printed.is_empty() {
        return Err(Problem::new(format!(
            "{} shows nothing: add `print NAME` at its end, and `data NAME : f32 [2,3] = range(6)` for what it computes with; `lozenge infer` finds its types",
            loaded.source.name
        )));
    }
    let source = Source {
        name: format!("{} as a program", loaded.source.name),
        text: lowered.text.clone(),
    };
    let program = Program::of_text(source, &args.file, &args.outside, args.limits.programs)?;
    let inferred = match program.infer(args.by, &args.limits.options(), args.limits.rules) {
        Ok(inferred) => inferred,
        Err(refusal) => return Ok(refusal),
    };
    let mut on = args.on.clone();
    if lowered.is_wide {
        on.precision = Precision::F64;
        on.accumulate = Precision::F64;
    }
    let (mut device, note) = execution::open(&on)?;
    let mut text = format!("{note}device: {}\n", device.description());
    let run = Run {
        args,
        program: &program,
        inferred: &inferred,
        lowered: &lowered,
        precision: on.precision,
    };
    let results = run.computed(device.as_mut())?;
    let mut body = RunBody {
        device: device.description(),
        printed: Vec::new(),
        largest_difference: None,
    };
    for shown in &lowered.printed {
        body.printed
            .push(printed(&loaded, &program, shown, &results, &mut text));
    }
    if args.compare {
        let (limits, arithmetic) = (on.limits(), on.arithmetic());
        let interpreter = lozenge_backend::open_with(Engine::Interpreter, limits, arithmetic);
        let mut interpreter = interpreter.map_err(Problem::new)?;
        let reference = run.computed(interpreter.as_mut())?;
        body.largest_difference = compare(&program, &reference, &results, &mut text)?;
    }
    let report = loaded.report(&text, json!(body));
    execution::put_kernels_away(device.as_mut());
    Ok(report)
}

/// A program that is run.
struct Run<'r> {
    args: &'r args::Run,
    program: &'r Program,
    inferred: &'r Inferred,
    lowered: &'r Lowered,
    precision: Precision,
}

impl Run<'_> {
    /// Computes the tensors that are shown; all of them to be compared.
    fn computed(&self, device: &mut dyn lozenge_backend::Device) -> Result<Vec<Tensor>, Problem> {
        let (args, program) = (self.args, self.program);
        let folder = inference::folder(&args.file);
        let data = execution::data(program, folder, &Default::default(), self.precision)?;
        let shown = self.lowered.printed.iter().flat_map(|shown| &shown.tensors);
        let kept: BTreeSet<TensorId> = shown
            .filter_map(|(name, _)| program.program.find(name))
            .collect();
        let settings = Settings {
            keep: (!args.compare).then_some(kept),
            ..Settings::default()
        };
        let mut follower = Follower::new(program, &self.inferred.shapes, folder, Out::Nowhere);
        follower.precision = self.precision;
        execution::execute(self.inferred, &data, device, &settings, &mut follower)
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
    for (place, (name, shape)) in shown.tensors.iter().enumerate() {
        let Some(result) = program.program.find(name).map(|id| &results[id.0]) else {
            continue;
        };
        let part = match shown.tensors.len() {
            1 => String::new(),
            _ => format!(".{place}"),
        };
        let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
        let shape_text = match sizes.is_empty() {
            true => String::new(),
            false => format!(" : [{}]", sizes.join(",")),
        };
        let values = values::of(result);
        let space = if values.starts_with('\n') { "" } else { " " };
        let _ = writeln!(text, "{expression}{part}{shape_text} ={space}{values}");
        tensors.push(ValuesData {
            shape: shape.clone(),
            values: Number::all(result),
        });
    }
    PrintedData {
        text: expression,
        tensors,
    }
}
