//! `lozenge bench backend`: measures kernels of programs, compared with the peak performance of the device in the same minute.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::time::{Duration, Instant};

use lozenge_backend::opencl::{Ceiling, Launches, OpenCl, Probe, devices};
use lozenge_backend::{
    BufferId, Call, Device, Limits, Numerics, Purpose, RecordingId, Symbols, Tensor,
};
use lozenge_vocabulary::program::Source;
use serde_json::{Value, json};

use super::workloads::{Workload, values, workloads};
use crate::args;
use crate::report::{self, Problem, Report, Status};

/// The length of a slice of time in which a workload runs repeatedly.
const SLICE: Duration = Duration::from_millis(30);

/// If the ratio of the ceilings before and after is below this, the machine was busy.
const STEADY: f64 = 0.85;

/// How often a workload is measured again when the machine was busy.
const AGAIN: usize = 3;

fn problem(error: impl std::fmt::Display) -> Problem {
    Problem::new(error.to_string())
}

/// Runs the command.
pub fn bench(args: &args::BenchBackend) -> Result<Report, Problem> {
    let all = workloads();
    let known = |name: &String| {
        all.iter().any(|one| one.name.contains(name.as_str())) || LAUNCH.contains(name.as_str())
    };
    if let Some(wrong) = args.only.iter().find(|name| !known(name)) {
        let names: Vec<&str> = all.iter().map(|one| one.name).chain([LAUNCH]).collect();
        return Err(Problem::new(format!(
            "--only {wrong}: no workload has that in its name; they are {}",
            names.join("; ")
        )));
    }
    let chosen: Vec<Workload> = all
        .into_iter()
        .filter(|one| args.only.is_empty() || args.only.iter().any(|name| one.name.contains(name)))
        .collect();
    let launch = args.only.is_empty() || args.only.iter().any(|name| LAUNCH.contains(name));
    if args.list {
        let list: Vec<Value> = chosen.iter().map(about).collect();
        let names = chosen.iter().map(|one| one.name);
        let names: Vec<&str> = names.chain(launch.then_some(LAUNCH)).collect();
        return Ok(Report {
            text: names.join("\n") + "\n",
            json: json!({"families": null, "backend": {"device": null, "workloads": list, "launch": null}}),
            status: Status::Good,
        });
    }
    let mut bench = Bench::new(args.exact)?;
    if args.serve {
        bench.serve(&chosen)?;
        return Ok(Report {
            text: String::new(),
            json: json!({}),
            status: Status::Good,
        });
    }
    let mut text = format!("{}\n", bench.device.description());
    let mut results = Vec::new();
    if !chosen.is_empty() {
        text += HEADER;
    }
    for one in &chosen {
        let found = bench.measured(one, args.rounds)?;
        text += &found.line(one);
        results.push(found.json(one));
    }
    if !chosen.is_empty() {
        text += LEGEND;
    }
    let launch = match launch {
        true => Some(Launch::measured(&mut bench.device, args.rounds)?),
        false => None,
    };
    text += &launch.as_ref().map_or_else(String::new, Launch::line);
    let launch = launch.map(|launch| launch.json());
    Ok(Report {
        text,
        json: json!({"families": null, "backend": {"device": bench.device.description(), "workloads": results, "launch": launch}}),
        status: Status::Good,
    })
}

/// The name of the measurement of launches.
const LAUNCH: &str = "launch";

/// How many slices of launches are measured in a round.
const SLICES: usize = 20;

/// What it takes to put a kernel into the queue, in seconds.
struct Launch {
    /// By a replay of a recording.
    recorded: f64,
    /// By the driver's function alone.
    bare: f64,
}

impl Launch {
    /// Measures both in turn. The least mean of a slice counts.
    fn measured(device: &mut OpenCl, rounds: usize) -> Result<Launch, Problem> {
        let mut launches = Launches::new(device).map_err(problem)?;
        let mut found = Launch {
            recorded: f64::INFINITY,
            bare: f64::INFINITY,
        };
        for _ in 0..rounds * SLICES {
            let recorded = launches.recorded(device).map_err(problem)?;
            let bare = launches.bare(device).map_err(problem)?;
            found.recorded = found.recorded.min(recorded);
            found.bare = found.bare.min(bare);
        }
        launches.done(device).map_err(problem)?;
        Ok(found)
    }

    fn line(&self) -> String {
        format!(
            "launch: {:.2} us until a replayed kernel is in the queue, {:.2} us by the driver's function alone: {:.2} us beyond it  at most 5 us\n",
            self.recorded * 1e6,
            self.bare * 1e6,
            (self.recorded - self.bare) * 1e6
        )
    }

    fn json(&self) -> Value {
        json!({"recorded": self.recorded, "bare": self.bare})
    }
}

const HEADER: &str =
    "workload                               us           rate  of ceiling  by cpu  figure\n";

const LEGEND: &str = "
us          the least time of a run, its launches and one wait included
of ceiling  of chains of multiply-adds in registers, 16 lanes wide, or of the bytes a second of a copy of 64 MB (256 MB where the
            tensor is as large), read and written, both in the same seconds
by cpu      the same ratio from the time that threads were on a core, which other programs on the machine disturb less
busy        the ceilings before and after differ, however often it was repeated
";

fn about(one: &Workload) -> Value {
    json!({
        "name": one.name, "program": one.program, "result": one.result, "flops": one.flops, "bytes": one.bytes,
        "figure": one.figure, "numpy": one.numpy, "torch": one.torch, "seconds": null, "ceiling": null, "of_ceiling": null,
        "of_ceiling_by_cpu": null, "busy": null, "operations": null,
    })
}

/// The cost of a run of a workload or of a ceiling.
#[derive(Clone, Copy)]
struct Cost {
    /// The shortest run, in seconds.
    wall: f64,
    /// The least processor time of a run over all slices, in seconds; NaN if the system does not report it.
    cpu: f64,
}

impl Cost {
    const NONE: Cost = Cost {
        wall: f64::INFINITY,
        cpu: f64::INFINITY,
    };

    fn least(self, other: Cost) -> Cost {
        Cost {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
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
}

impl Found {
    /// The share of the ceiling that a workload reaches, by elapsed or by processor time.
    fn share(&self, one: &Workload, seconds: impl Fn(&Cost) -> f64) -> f64 {
        one.amount() / seconds(&self.cost) / (self.amount / seconds(&self.ceiling))
    }

    fn line(&self, one: &Workload) -> String {
        let unit = if one.flops > 0.0 { "GF/s" } else { "GB/s" };
        format!(
            "{:<32} {:>8.0} {:>9.1} {unit} {:>11.2} {:>7.2}  {}{}\n",
            one.name,
            self.cost.wall * 1e6,
            one.amount() / self.cost.wall / 1e9,
            self.share(one, |cost| cost.wall),
            self.share(one, |cost| cost.cpu),
            one.figure,
            if self.busy { "  busy" } else { "" },
        )
    }

    fn json(&self, one: &Workload) -> Value {
        let mut value = about(one);
        value["seconds"] = json!(self.cost.wall);
        value["ceiling"] = json!(self.amount / self.ceiling.wall);
        value["of_ceiling"] = json!(self.share(one, |cost| cost.wall));
        value["of_ceiling_by_cpu"] = json!(self.share(one, |cost| cost.cpu));
        value["busy"] = json!(self.busy);
        value["operations"] = json!(self.operations);
        value
    }
}

/// The processor time of all threads of this process since it began, in seconds, if the system reports it (Linux).
fn cpu_seconds() -> Option<f64> {
    let nanoseconds = |entry: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(entry.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let all: Vec<f64> = threads
        .filter_map(|entry| nanoseconds(entry.ok()?))
        .collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / 1e9)
}

/// The cost of a run, measured in a slice of time.
fn cost(slice: Duration, mut run: impl FnMut() -> Result<(), Problem>) -> Result<Cost, Problem> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let (mut runs, mut wall) = (0.0, f64::INFINITY);
    while start.elapsed() < slice {
        let start = Instant::now();
        run()?;
        wall = wall.min(start.elapsed().as_secs_f64());
        runs += 1.0;
    }
    let cpu = cpu.zip(cpu_seconds()).map(|(before, after)| after - before);
    Ok(Cost {
        wall,
        cpu: cpu.map_or(f64::NAN, |cpu| cpu / runs),
    })
}

/// A device with its ceilings.
struct Bench {
    device: OpenCl,
    multiply_add: Probe,
    copies: [Probe; 2],
}

/// A workload that is ready to be run.
struct Ready {
    recording: RecordingId,
    buffers: Vec<BufferId>,
    result: BufferId,
    operations: usize,
}

impl Bench {
    fn new(exact: bool) -> Result<Bench, Problem> {
        let info = devices().map_err(problem)?.swap_remove(0);
        let numerics = if exact {
            Numerics::Exact
        } else {
            Numerics::Fast
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
        Ok(Bench {
            device,
            multiply_add,
            copies,
        })
    }

    /// Compiles a workload, and puts its data on the device.
    fn ready(&mut self, one: &Workload) -> Result<Ready, Problem> {
        let program = lozenge::parse(&one.program)
            .map_err(|errors| problem(format!("{}: {}", one.name, errors[0])))?;
        let inference = lozenge::infer(&program, &lozenge::Options::default())
            .map_err(|refusal| problem(format!("{}: {refusal}", one.name)))?;
        let mut buffers = Vec::new();
        for (at, tensor) in program.tensors.iter().enumerate() {
            let sizes = lozenge::sizes(&inference.shapes[at]);
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
        let result = program
            .find(one.result)
            .ok_or_else(|| problem("no result"))?;
        let operations = calls.len();
        let given =
            |at: &usize| !matches!(program.tensors[*at].source, Source::Data(_)) && *at != result.0;
        let purpose = Purpose {
            temporary: (0..buffers.len())
                .filter(given)
                .map(|at| buffers[at])
                .collect(),
            repeated: false,
        };
        let recording = self.device.record(calls, &purpose).map_err(problem)?;
        let ready = Ready {
            recording,
            result: buffers[result.0],
            buffers,
            operations,
        };
        self.run(&ready)?;
        Ok(ready)
    }

    fn done(&mut self, ready: Ready) -> Result<(), Problem> {
        self.device.forget(ready.recording).map_err(problem)?;
        for buffer in ready.buffers {
            self.device.release(buffer).map_err(problem)?;
        }
        Ok(())
    }

    /// Runs a workload once, and waits for its end.
    fn run(&mut self, ready: &Ready) -> Result<(), Problem> {
        let symbols = Symbols::new();
        self.device
            .replay(ready.recording, &symbols)
            .map_err(problem)?;
        self.device.finish().map_err(problem)
    }

    /// The cost of a run of a workload, measured in a slice of time.
    fn slice(&mut self, ready: &Ready) -> Result<Cost, Problem> {
        cost(SLICE, || self.run(ready))
    }

    /// The probe that is the ceiling of a workload.
    fn ceiling(&self, one: &Workload) -> &Probe {
        match one.flops > 0.0 {
            true => &self.multiply_add,
            false => &self.copies[usize::from(one.bytes >= 4e8)],
        }
    }

    /// The present cost of a run of its ceiling.
    fn ceiling_cost(&self, one: &Workload) -> Result<Cost, Problem> {
        let probe = self.ceiling(one);
        cost(SLICE, || probe.run().map_err(problem))
    }

    /// Measures a workload and its ceiling in the same seconds, again if the ceilings were not steady.
    fn measured(&mut self, one: &Workload, rounds: usize) -> Result<Found, Problem> {
        let ready = self.ready(one)?;
        let mut found = Found {
            cost: Cost::NONE,
            ceiling: Cost::NONE,
            amount: self.ceiling(one).amount(),
            busy: true,
            operations: ready.operations,
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

    /// Reads names of workloads, and answers each with the cost in one slice as a line of JSON, so that another program can
    /// alternate its own measurements with these.
    fn serve(&mut self, chosen: &[Workload]) -> Result<(), Problem> {
        let mut ready: BTreeMap<&str, Ready> = BTreeMap::new();
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(problem)?;
            if let Some(name) = line.strip_prefix("forget ") {
                if let Some(one) = ready.remove(name) {
                    self.done(one)?;
                }
                continue;
            }
            let Some(one) = chosen.iter().find(|one| one.name == line) else {
                return Err(problem(format!("no workload is called {line:?}")));
            };
            let known = match ready.remove(one.name) {
                Some(known) => known,
                None => self.ready(one)?,
            };
            let found = self.slice(&known)?;
            let ceiling = self.ceiling_cost(one)?;
            let amount = self.ceiling(one).amount();
            let result = self.device.download(known.result).map_err(problem)?;
            let first: Vec<f32> = result.values().iter().take(8).copied().collect();
            let sum: f64 = result.values().iter().map(|value| f64::from(*value)).sum();
            let answer = json!({
                "seconds": found.wall, "cpu_seconds": found.cpu, "ceiling": amount / ceiling.wall,
                "ceiling_by_cpu": amount / ceiling.cpu, "first": first, "sum": sum,
            });
            report::to_stdout(|out| {
                writeln!(out, "{answer}")?;
                out.flush()
            })?;
            ready.insert(one.name, known);
        }
        Ok(())
    }
}
