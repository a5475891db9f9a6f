//! A function at given shapes: the shape of each tensor, its loop nests and bytes.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge::axon::{self, Lowered, Unfit};
use lozenge_gradual_solver::Given;
use lozenge_vocabulary::Verdict;
use lozenge_vocabulary::program::Program;

use super::alike::once;
use super::answer::{AtData, Body, NestData, TensorData};
use super::{Loaded, refused};
use crate::args;
use crate::loaded::{Inferred, Loaded as LoadedProgram};
use crate::models::point;
use crate::report::{Problem, Report};
use crate::source::Source;

/// The bytes of a value: kernels compute in `f32`.
const VALUE: u64 = 4;

/// Shapes of inputs, as they are typed: `x=[8,1024], y=[]`.
type Inputs = Vec<(String, Vec<u64>)>;

/// Reads the shapes of `--at`.
fn inputs(text: &str) -> Result<Inputs, Problem> {
    let read = point(text)?.into_iter().map(|(name, given)| match given {
        Given::Sizes(sizes) => Ok((name, sizes)),
        Given::Number(number) => Err(Problem::new(format!(
            "--at: `{name}={number}` gives a number: inputs are tensors, so write a shape, `{name}=[{number}]`, or `{name}=[]` for a scalar"
        ))),
    });
    read.collect()
}

/// Writes the last function of a program at given shapes.
///
/// # Errors
/// When the shapes are not those of its inputs.
pub(super) fn report(loaded: &Loaded, at: &str, args: &args::Infer) -> Result<Report, Problem> {
    let inputs = inputs(at)?;
    if loaded.verdict() != Verdict::Sat {
        return Ok(loaded.report("", Body::of(loaded)));
    }
    let Some(function) = axon::last_function(&loaded.program) else {
        return Err(Problem::new(
            "--at: the program binds no function at its top",
        ));
    };
    let options = axon::Options {
        table: args.table.into(),
        ..axon::Options::default()
    };
    let lowered = match axon::at(&loaded.program, function, &inputs, &options) {
        Ok(lowered) => lowered,
        Err(Unfit::Question(why)) => return Err(question(loaded, function, &why)),
        Err(Unfit::Refused(errors)) => return Ok(refused(loaded, Verdict::Unsat, &errors)),
        Err(Unfit::Unknown(doubts)) => return Ok(refused(loaded, Verdict::Unknown, &doubts)),
    };
    let program = of_pipeline(loaded, &lowered, args)?;
    let inferred = match program.infer(args.by, &args.limits.options(), args.limits.rules) {
        Ok(inferred) => inferred,
        Err(report) => return Ok(report),
    };
    let data = data(loaded, function, inputs, &lowered, (&program, &inferred));
    let text = text(&data);
    let body = Body {
        at: Some(data),
        ..Body::of(loaded)
    };
    Ok(loaded.report(&text, body))
}

fn question(loaded: &Loaded, function: &str, why: &str) -> Problem {
    let parameters = axon::parameters(&loaded.program, function).unwrap_or_default();
    let shapes: Vec<String> = parameters
        .iter()
        .map(|name| format!("{name}=[…]"))
        .collect();
    Problem::new(format!("--at: {why}: write --at '{}'", shapes.join(", ")))
}

/// Reads the text of a program at given shapes.
fn of_pipeline(
    loaded: &Loaded,
    lowered: &Lowered,
    args: &args::Infer,
) -> Result<LoadedProgram, Problem> {
    let source = Source {
        name: format!("{} at the given shapes", loaded.source.name),
        text: lowered.text.clone(),
    };
    let outside = args::Outside::default();
    LoadedProgram::of_text(source, &args.file, &outside, args.limits.programs)
}

fn data(
    loaded: &Loaded,
    function: &str,
    inputs: Inputs,
    lowered: &Lowered,
    (program, inferred): (&LoadedProgram, &Inferred),
) -> AtData {
    let shapes: Vec<Vec<u64>> = inferred.shapes.iter().map(lozenge::sizes).collect();
    let tensors = program.program.tensors.iter().zip(&shapes);
    let tensors: Vec<TensorData> = tensors
        .map(|(tensor, shape)| TensorData {
            name: tensor.name.to_string(),
            shape: shape.clone(),
            bytes: bytes(shape),
        })
        .collect();
    let steps = program.program.steps.iter().zip(&inferred.nests);
    let nests = steps.map(|(step, nest)| {
        let (line, _) = program.place(&step.span);
        let span = lowered.spans.get(line - 1).cloned().unwrap_or_default();
        NestData {
            line: loaded.line(&span),
            text: lozenge::nest_text(step, nest),
            times: 1,
        }
    });
    let results = lowered.printed.iter().flat_map(|shown| &shown.tensors);
    AtData {
        function: function.to_string(),
        inputs: inputs.into_iter().collect(),
        results: results.map(|(_, shape)| shape.clone()).collect(),
        bytes: tensors
            .iter()
            .fold(0, |all, tensor| all.saturating_add(tensor.bytes)),
        peak_bytes: peak(&program.program, &tensors, lowered),
        nests: once(nests.collect()),
        tensors,
        program: lowered.text.clone(),
    }
}

fn bytes(shape: &[u64]) -> u64 {
    shape.iter().copied().fold(VALUE, u64::saturating_mul)
}

/// Returns the most bytes of tensors that are needed at one time: inputs always, others from the operation that writes
/// them to the last one that reads them, and results to the end.
fn peak(program: &Program, tensors: &[TensorData], lowered: &Lowered) -> u64 {
    let shown: Vec<&str> = lowered
        .printed
        .iter()
        .flat_map(|shown| &shown.tensors)
        .map(|(name, _)| name.as_str())
        .collect();
    let end = program.steps.len();
    let mut lives: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (step, operation) in program.steps.iter().enumerate() {
        for slot in &operation.operation.slots {
            let life = lives.entry(slot.0).or_insert((step, step));
            life.1 = step;
        }
    }
    let mut change = vec![0_i128; end + 2];
    for (tensor, data) in tensors.iter().enumerate() {
        let is_computed = matches!(
            program.tensors[tensor].source,
            lozenge_vocabulary::program::Source::Intermediate
        );
        let Some(&(first, last)) = lives.get(&tensor) else {
            continue;
        };
        let first = if is_computed { first } else { 0 };
        let last = if shown.contains(&data.name.as_str()) || !is_computed {
            end
        } else {
            last
        };
        change[first] += i128::from(data.bytes);
        change[last + 1] -= i128::from(data.bytes);
    }
    let (mut now, mut peak) = (0, 0);
    for change in change {
        now += change;
        peak = peak.max(now);
    }
    u64::try_from(peak).unwrap_or(u64::MAX)
}

fn shape_text(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("[{}]", sizes.join(","))
}

fn text(data: &AtData) -> String {
    let mut text = String::new();
    let inputs: Vec<String> = data
        .inputs
        .iter()
        .map(|(name, shape)| format!("{name}={}", shape_text(shape)))
        .collect();
    let _ = writeln!(text, "{} at {}", data.function, inputs.join(", "));
    for (place, shape) in data.results.iter().enumerate() {
        let name = match data.results.len() {
            1 => "result".to_string(),
            _ => format!("result.{place}"),
        };
        let _ = writeln!(text, "  {name} : {}", shape_text(shape));
    }
    let _ = writeln!(text, "\ntensors");
    let width = data
        .tensors
        .iter()
        .map(|tensor| tensor.name.chars().count())
        .max();
    let width = width.unwrap_or_default();
    for tensor in &data.tensors {
        let (name, shape, bytes) = (&tensor.name, shape_text(&tensor.shape), tensor.bytes);
        let _ = writeln!(text, "  {name:width$}  {shape}  {bytes} bytes");
    }
    let _ = writeln!(
        text,
        "  {} bytes in all, at most {} at one time",
        data.bytes, data.peak_bytes
    );
    for nest in &data.nests {
        let _ = match nest.times {
            1 => writeln!(text, "\nline {}", nest.line),
            times => writeln!(
                text,
                "\nline {}, the first of {times} that differ in numbers",
                nest.line
            ),
        };
        for line in nest.text.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}
