//! The costs of kernels of programs, compared with the peak performance of the device in the same minute.

mod cost;
mod roofline;
mod workloads;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;
use std::time::Instant;

use lozenge::NewFile;
use lozenge_backend::opencl::{Ceiling, DeviceInfo, OpenCl, Probe};
use lozenge_backend::{
    BufferId, Call, Device, Limits, LoopNest, Numerics, Purpose, RecordingId, Symbols, Tensor,
};
use lozenge_vocabulary::operation::{Function, Instruction};
use lozenge_vocabulary::program::Source;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use cost::{Cost, Pace, SLICE, cost};
use workloads::{values, workloads};

pub use workloads::Workload;

/// If the ratio of the ceilings before and after is below this, the machine was busy.
const STEADY: f64 = 0.85;

/// The number of times that a workload is measured again when the machine was busy.
const AGAIN: usize = 3;

fn problem(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Returns the workloads with one of these texts in their names; all where none is given.
///
/// # Errors
/// When no workload has one of the texts in its name.
pub fn chosen(only: &[String]) -> Result<Vec<Workload>, String> {
    let all = workloads();
    let known = |name: &String| all.iter().any(|one| one.name.contains(name.as_str()));
    if let Some(wrong) = only.iter().find(|name| !known(name)) {
        let names: Vec<&str> = all.iter().map(|one| one.name).collect();
        return Err(format!(
            "--only {wrong}: no workload has that in its name; they are {}",
            names.join("; ")
        ));
    }
    let is_chosen = |one: &Workload| only.iter().any(|name| one.name.contains(name));
    let chosen = all.into_iter();
    Ok(chosen
        .filter(|one| only.is_empty() || is_chosen(one))
        .collect())
}

/// The costs of several workloads.
pub struct Measured {
    /// As data.
    pub data: BackendData,
    /// As a table.
    pub text: String,
    points: Vec<roofline::Point>,
}

const HEADER: &str =
    "workload                               us           rate  of ceiling  by cpu  figure\n";

/// The legend for [`Pace::Each`].
const LEGEND: &str = "
us          the least time of a run, its launches and one wait included
of ceiling  of chains of multiply-adds in registers, 16 lanes wide, or of the bytes a second of a copy of 64 MB (256 MB where the
            tensor is as large), read and written, both in the same seconds
by cpu      the same ratio from the time that threads were on a core, which other programs on the machine disturb less
busy        the ceilings before and after differ, however often it was repeated
";

/// The legend for [`Pace::Queued`].
const QUEUED: &str = "
us          the least time of a run among several that are queued one after the other, with one wait at their end
of ceiling  of chains of multiply-adds in registers, many work-items at once, or of the bytes a second of a copy of 64 MB (256 MB where
            the tensor is as large), read and written, both in the same seconds and queued likewise
by cpu      not measured: the work is not done by this machine's processor
busy        the ceilings before and after differ, however often it was repeated
";

/// The costs of kernels of programs.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "BackendBench", deny_unknown_fields)]
pub struct BackendData {
    /// The device.
    device: Option<String>,
    /// The programs that were measured, or listed.
    workloads: Vec<WorkloadData>,
    /// The time of a launch of a small kernel among many, if all programs were measured.
    launch: Option<f64>,
    /// The time of such a launch by the driver alone.
    launch_of_driver: Option<f64>,
}

/// A program that is measured.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Workload", deny_unknown_fields)]
struct WorkloadData {
    /// Its name.
    name: &'static str,
    /// Its text.
    program: String,
    /// The tensor that it computes.
    result: &'static str,
    /// Floating-point operations of a run, a multiply-add counted as two; 0 where bytes count.
    flops: f64,
    /// Bytes of operands and result; 0 where operations count.
    bytes: f64,
    /// The speed that the workload is required to reach, in words; empty where none is required.
    figure: &'static str,
    /// The same in NumPy.
    numpy: &'static str,
    /// The same in PyTorch.
    torch: &'static str,
    /// The least time of a run.
    seconds: Option<f64>,
    /// Operations a second of chains of multiply-adds, or bytes a second of a copy, in the same seconds.
    ceiling: Option<f64>,
    /// The share of the ceiling that is reached.
    of_ceiling: Option<f64>,
    /// The same from the time that threads were on a core.
    of_ceiling_by_cpu: Option<f64>,
    /// True if the ceilings before and after differ by more than a sixth, however often it was repeated.
    busy: Option<bool>,
    /// The number of operations of the program that run.
    operations: Option<usize>,
}

impl BackendData {
    /// Returns the names and texts of workloads that are not measured.
    pub fn listed(chosen: &[Workload]) -> BackendData {
        let list = chosen.iter().map(|one| WorkloadData::of(one, None));
        BackendData {
            workloads: list.collect(),
            ..BackendData::default()
        }
    }
}

impl WorkloadData {
    /// Returns a program, with its measurements if it was measured.
    fn of(one: &Workload, found: Option<&Found>) -> WorkloadData {
        WorkloadData {
            name: one.name,
            program: one.program.clone(),
            result: one.result,
            flops: one.flops,
            bytes: one.bytes,
            figure: one.figure,
            numpy: one.numpy,
            torch: one.torch,
            seconds: found.map(|found| found.cost.wall),
            ceiling: found.map(|found| found.amount / found.ceiling.wall),
            of_ceiling: found.map(|found| found.share(one, |cost| cost.wall)),
            of_ceiling_by_cpu: found.map(|found| found.share(one, |cost| cost.cpu)),
            busy: found.map(|found| found.busy),
            operations: found.map(|found| found.operations),
        }
    }
}

/// The measurements of a workload.
struct Found {
    cost: Cost,
    ceiling: Cost,
    /// The number of operations or bytes in a run of the ceiling.
    amount: f64,
    busy: bool,
    operations: usize,
    /// The operations of a run, counted from the loop nests like the bytes that it has to move.
    flops: f64,
    bytes: f64,
}

/// The time of a launch of a small kernel, in seconds.
struct Launches {
    /// As a recording that is replayed, one after the other without waiting.
    ours: f64,
    /// Enqueued by the driver alone.
    driver: f64,
}

impl Launches {
    fn line(&self) -> String {
        let [ours, driver] = [self.ours, self.driver].map(|seconds| seconds * 1e6);
        format!(
            "a launch among many takes {ours:.2} us, {:.2} us beyond the {driver:.2} us of the driver; at most 5 us beyond it are required\n",
            (ours - driver).max(0.0)
        )
    }
}

impl Found {
    /// Returns the place of the workload in the roofline picture.
    fn point(&self, one: &Workload) -> roofline::Point {
        let or = |stated: f64, counted: f64| if stated > 0.0 { stated } else { counted };
        roofline::Point {
            name: one.name,
            flops: or(one.flops, self.flops),
            bytes: or(one.bytes, self.bytes),
            seconds: self.cost.wall,
        }
    }

    /// Returns the share of the ceiling that a workload reaches, by elapsed or by processor time.
    fn share(&self, one: &Workload, seconds: impl Fn(&Cost) -> f64) -> f64 {
        one.amount() / seconds(&self.cost) / (self.amount / seconds(&self.ceiling))
    }

    fn line(&self, one: &Workload) -> String {
        let unit = if one.flops > 0.0 { "GF/s" } else { "GB/s" };
        let by_cpu = self.share(one, |cost| cost.cpu);
        let by_cpu = match by_cpu.is_nan() {
            true => "-".to_string(),
            false => format!("{by_cpu:.2}"),
        };
        let us = self.cost.wall * 1e6;
        let digits = if us < 100.0 { 1 } else { 0 };
        format!(
            "{:<32} {us:>8.digits$} {:>9.1} {unit} {:>11.2} {by_cpu:>7}  {}{}\n",
            one.name,
            one.amount() / self.cost.wall / 1e9,
            self.share(one, |cost| cost.wall),
            one.figure,
            if self.busy { "  busy" } else { "" },
        )
    }
}

/// Counts the operations at the points of a loop nest: those of its function, and one where values are combined.
fn flops(nest: &LoopNest) -> f64 {
    let function = match nest.function() {
        Function::Identity | Function::Constant(_) => 0,
        Function::Formula(formula) => {
            let code = formula.code().iter();
            code.filter(|one| matches!(one, Instruction::Apply(_)))
                .count()
        }
        _ => 1,
    };
    let combines = usize::from(!nest.is_injective());
    nest.points().unwrap_or(0) as f64 * (function + combines) as f64
}

/// A device with its ceilings.
pub struct Bench {
    device: OpenCl,
    pace: Pace,
    multiply_add: Probe,
    copies: [Probe; 2],
    launch: Probe,
}

/// A workload that is ready to be run.
struct Ready {
    recording: RecordingId,
    buffers: Vec<BufferId>,
    result: BufferId,
    operations: usize,
    flops: f64,
    bytes: f64,
}

impl Bench {
    /// Prepares a device, which computes to the interpreter's bits where `exact` holds.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn new(info: DeviceInfo, exact: bool) -> Result<Bench, String> {
        let pace = match info.kind {
            "cpu" => Pace::Each,
            _ => Pace::Queued,
        };
        let numerics = match exact {
            true => Numerics::Exact,
            false => Numerics::Fast,
        };
        let device = OpenCl::on(info, Limits::default())
            .map_err(problem)?
            .rounding(numerics);
        let probe = |ceiling| Probe::new(&device, ceiling).map_err(problem);
        let multiply_add = probe(Ceiling::MultiplyAdd)?;
        let copies = [
            probe(Ceiling::Copy(1 << 26))?,
            probe(Ceiling::Copy(1 << 28))?,
        ];
        let launch = probe(Ceiling::Launch)?;
        let bench = Bench {
            device,
            pace,
            multiply_add,
            copies,
            launch,
        };
        if pace == Pace::Queued {
            // A device that had nothing to do runs at a lower clock at first.
            bench.peaks()?;
        }
        Ok(bench)
    }

    /// Measures workloads, and launches alone where these are all workloads.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn measure(
        &mut self,
        chosen: &[Workload],
        rounds: usize,
        are_all: bool,
    ) -> Result<Measured, String> {
        let mut text = format!("{}\n{HEADER}", self.device.description());
        let (mut results, mut points) = (Vec::new(), Vec::new());
        for one in chosen {
            let found = self.measured(one, rounds)?;
            text += &found.line(one);
            results.push(WorkloadData::of(one, Some(&found)));
            points.push(found.point(one));
        }
        let launches = are_all.then(|| self.launches(rounds)).transpose()?;
        text += &launches.as_ref().map_or(String::new(), Launches::line);
        text += self.legend();
        let data = BackendData {
            device: Some(self.device.description()),
            workloads: results,
            launch: launches.as_ref().map(|launches| launches.ours),
            launch_of_driver: launches.as_ref().map(|launches| launches.driver),
        };
        Ok(Measured { data, text, points })
    }

    /// Draws what was measured below the ceilings of the device, as SVG.
    ///
    /// # Errors
    /// When the driver refuses, or no picture can be drawn.
    pub fn roofline(&self, measured: &Measured) -> Result<String, String> {
        let [flops, bytes] = self.peaks()?;
        let picture = roofline::picture(&measured.points, flops, bytes);
        picture.map_err(|error| format!("no picture: {error}"))
    }

    /// Compiles a workload, and puts its data on the device.
    fn ready(&mut self, one: &Workload) -> Result<Ready, String> {
        let program = lozenge::parse(&one.program)
            .map_err(|errors| problem(format!("{}: {}", one.name, errors[0])))?;
        let inference = lozenge::infer(&program, &lozenge::Options::default())
            .map_err(|refusal| problem(format!("{}: {refusal}", one.name)))?;
        let result = program
            .find(one.result)
            .ok_or_else(|| problem("no result"))?;
        let (mut buffers, mut bytes) = (Vec::new(), 0.0);
        for (at, tensor) in program.tensors.iter().enumerate() {
            let sizes = lozenge::sizes(&inference.shapes[at]);
            if matches!(tensor.source, Source::Data(_)) || at == result.0 {
                bytes += 4.0 * sizes.iter().product::<u64>() as f64;
            }
            let buffer = match tensor.source {
                Source::Data(_) => {
                    let count = sizes.iter().product::<u64>() as usize;
                    let tensor = Tensor::new(sizes, values(at, count)).map_err(problem)?;
                    self.device.upload(&tensor)
                }
                _ => self.device.allocate(&sizes, f32::NAN),
            };
            buffers.push(buffer.map_err(problem)?);
        }
        let calls = program
            .steps
            .iter()
            .zip(&inference.nests)
            .map(|(step, nest)| Call {
                nest: nest.clone(),
                buffers: step
                    .operation
                    .slots
                    .iter()
                    .map(|id| buffers[id.0])
                    .collect(),
            });
        let calls: Vec<Call> = calls.collect();
        let operations = calls.len();
        let flops = inference.nests.iter().map(flops).sum();
        let given =
            |at: &usize| !matches!(program.tensors[*at].source, Source::Data(_)) && *at != result.0;
        let purpose = Purpose {
            temporary: (0..buffers.len())
                .filter(given)
                .map(|at| buffers[at])
                .collect(),
            repeated: false,
            ..Purpose::default()
        };
        let recording = self.device.record(calls, &purpose).map_err(problem)?;
        let ready = Ready {
            recording,
            result: buffers[result.0],
            buffers,
            operations,
            flops,
            bytes,
        };
        self.run(&ready, 1)?;
        Ok(ready)
    }

    fn done(&mut self, ready: Ready) -> Result<(), String> {
        self.device.forget(ready.recording).map_err(problem)?;
        for buffer in ready.buffers {
            self.device.release(buffer).map_err(problem)?;
        }
        Ok(())
    }

    /// Explains how the times are to be read.
    fn legend(&self) -> &'static str {
        match self.pace {
            Pace::Each => LEGEND,
            Pace::Queued => QUEUED,
        }
    }

    /// Runs a workload so many times, and waits for the end.
    fn run(&mut self, ready: &Ready, times: usize) -> Result<(), String> {
        let symbols = Symbols::new();
        for _ in 0..times {
            self.device
                .replay(ready.recording, &symbols)
                .map_err(problem)?;
        }
        self.device.finish().map_err(problem)
    }

    /// Returns the cost of a run of a workload, measured in a slice of time.
    fn slice(&mut self, ready: &Ready) -> Result<Cost, String> {
        cost(self.pace, SLICE, |times| self.run(ready, times))
    }

    /// Returns the probe that is the ceiling of a workload.
    fn ceiling(&self, one: &Workload) -> &Probe {
        match one.flops > 0.0 {
            true => &self.multiply_add,
            false => &self.copies[usize::from(one.bytes >= 4e8)],
        }
    }

    /// Returns the present cost of a run of its ceiling.
    fn ceiling_cost(&self, one: &Workload) -> Result<Cost, String> {
        let probe = self.ceiling(one);
        cost(self.pace, SLICE, |times| {
            probe.run_often(times).map_err(problem)
        })
    }

    /// Measures a workload and its ceiling in the same seconds, again if the ceilings were not steady.
    fn measured(&mut self, one: &Workload, rounds: usize) -> Result<Found, String> {
        let ready = self.ready(one)?;
        let mut found = Found {
            cost: Cost::NONE,
            ceiling: Cost::NONE,
            amount: self.ceiling(one).amount(),
            busy: true,
            operations: ready.operations,
            flops: ready.flops,
            bytes: ready.bytes,
        };
        for _ in 0..=AGAIN {
            let first = self.ceiling_cost(one)?;
            let mut last = first;
            for _ in 0..rounds {
                found.cost = found.cost.least(self.slice(&ready)?);
                last = self.ceiling_cost(one)?;
                found.ceiling = found.ceiling.least(first).least(last);
            }
            found.busy = first.wall.min(last.wall) / first.wall.max(last.wall) < STEADY;
            if !found.busy {
                break;
            }
        }
        self.done(ready)?;
        Ok(found)
    }

    /// Measures launches of a small kernel: replayed, and by the driver alone, taking turns.
    fn launches(&mut self, rounds: usize) -> Result<Launches, String> {
        const TIMES: usize = 2000;
        let small = Workload {
            name: "launch",
            program: "data a : 16 from \"a\"\nlet c = relu(a)\n".to_string(),
            result: "c",
            flops: 0.0,
            bytes: 128.0,
            figure: "",
            numpy: "",
            torch: "",
        };
        let ready = self.ready(&small)?;
        let mut least = [f64::INFINITY; 2];
        for _ in 0..rounds.max(1) {
            let start = Instant::now();
            self.run(&ready, TIMES)?;
            least[0] = least[0].min(start.elapsed().as_secs_f64() / TIMES as f64);
            let start = Instant::now();
            self.launch.run_often(TIMES).map_err(problem)?;
            least[1] = least[1].min(start.elapsed().as_secs_f64() / TIMES as f64);
        }
        self.done(ready)?;
        let [ours, driver] = least;
        Ok(Launches { ours, driver })
    }

    /// Returns the operations a second of the multiply-adds, and the bytes a second of the copy of 64 MB.
    fn peaks(&self) -> Result<[f64; 2], String> {
        let peak = |probe: &Probe| -> Result<f64, String> {
            let run = |times| probe.run_often(times).map_err(problem);
            let cost = cost(self.pace, 10 * SLICE, run)?;
            Ok(probe.amount() / cost.wall)
        };
        Ok([peak(&self.multiply_add)?, peak(&self.copies[0])?])
    }

    /// Reads lines, and answers each with a line of JSON, so that another program can alternate its own measurements
    /// with these: the name of a workload asks for its cost in one slice; `values`, a file and the name, with tabs
    /// between them, for the values of its result, which are written into that file; `forget` and the name, with a
    /// space between them, frees its memory and is not answered.
    ///
    /// # Errors
    /// When a line cannot be read or answered, or the driver refuses.
    pub fn serve(
        &mut self,
        chosen: &[Workload],
        lines: impl BufRead,
        mut answered: impl FnMut(&Value) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut ready: BTreeMap<&str, Ready> = BTreeMap::new();
        for line in lines.lines() {
            let line = line.map_err(problem)?;
            if let Some(name) = line.strip_prefix("forget ") {
                if let Some(one) = ready.remove(name) {
                    self.done(one)?;
                }
                continue;
            }
            let asked = line.strip_prefix("values\t");
            let asked = asked.and_then(|line| line.split_once('\t'));
            let (file, name) =
                asked.map_or((None, line.as_str()), |(file, name)| (Some(file), name));
            let Some(one) = chosen.iter().find(|one| one.name == name) else {
                return Err(problem(format!("no workload is called {name:?}")));
            };
            let known = match ready.remove(one.name) {
                Some(known) => known,
                None => self.ready(one)?,
            };
            let answer = match file {
                Some(file) => self.write_values(&known, file)?,
                None => self.turn(one, &known)?,
            };
            answered(&answer)?;
            ready.insert(one.name, known);
        }
        Ok(())
    }

    /// Returns the cost of a workload and of its ceiling in one slice.
    fn turn(&mut self, one: &Workload, ready: &Ready) -> Result<Value, String> {
        let found = self.slice(ready)?;
        let ceiling = self.ceiling_cost(one)?;
        let amount = self.ceiling(one).amount();
        Ok(json!({
            "device": self.device.description(), "seconds": found.wall, "cpu_seconds": found.cpu,
            "ceiling": amount / ceiling.wall, "ceiling_by_cpu": amount / ceiling.cpu,
        }))
    }

    /// Writes the values of a result into a file, each as the four bytes of its `f32`, the least significant first.
    fn write_values(&mut self, ready: &Ready, file: &str) -> Result<Value, String> {
        let result = self.device.download(ready.result).map_err(problem)?;
        let bytes: Vec<u8> = result
            .values()
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        NewFile::replace(Path::new(file), bytes)
            .map_err(|error| format!("{file} cannot be written: {error}"))?;
        Ok(json!({"shape": result.shape()}))
    }
}
