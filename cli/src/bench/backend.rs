//! `lozenge bench backend`: measures kernels of programs, compared with the peak performance of the device in the same minute.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::time::{Duration, Instant};

use lozenge_backend::opencl::{Ceiling, OpenCl, Probe, devices};
use lozenge_backend::{
    BufferId, Call, Device, Limits, LoopNest, Numerics, Purpose, RecordingId, Symbols, Tensor,
};
use lozenge_vocabulary::operation::{Function, Instruction};
use lozenge_vocabulary::program::Source;
use serde_json::{Value, json};

use super::roofline;
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
    let known = |name: &String| all.iter().any(|one| one.name.contains(name.as_str()));
    if let Some(wrong) = args.only.iter().find(|name| !known(name)) {
        let names: Vec<&str> = all.iter().map(|one| one.name).collect();
        return Err(Problem::new(format!(
            "--only {wrong}: no workload has that in its name; they are {}",
            names.join("; ")
        )));
    }
    let chosen: Vec<Workload> = all
        .into_iter()
        .filter(|one| args.only.is_empty() || args.only.iter().any(|name| one.name.contains(name)))
        .collect();
    if args.list {
        let list: Vec<Value> = chosen.iter().map(about).collect();
        let names: Vec<&str> = chosen.iter().map(|one| one.name).collect();
        return Ok(Report {
            text: names.join("\n") + "\n",
            json: json!({"families": null, "backend": {
                "device": null, "workloads": list, "launch": null, "launch_of_driver": null,
            }}),
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
    let mut text = format!("{}\n{HEADER}", bench.device.description());
    let (mut results, mut points) = (Vec::new(), Vec::new());
    for one in &chosen {
        let found = bench.measured(one, args.rounds)?;
        text += &found.line(one);
        results.push(found.json(one));
        points.push(found.point(one));
    }
    let launches = match args.only.is_empty() {
        true => Some(bench.launches(args.rounds)?),
        false => None,
    };
    text += &launches.as_ref().map_or(String::new(), Launches::line);
    text += LEGEND;
    if let Some(path) = &args.roofline {
        let [flops, bytes] = bench.peaks()?;
        let picture = roofline::picture(&points, flops, bytes);
        let picture = picture.map_err(|error| problem(format!("no picture: {error}")))?;
        std::fs::write(path, picture)
            .map_err(|error| problem(format!("{} cannot be written: {error}", path.display())))?;
    }
    Ok(Report {
        text,
        json: json!({"families": null, "backend": {
            "device": bench.device.description(), "workloads": results,
            "launch": launches.as_ref().map(|launches| launches.ours),
            "launch_of_driver": launches.as_ref().map(|launches| launches.driver),
        }}),
        status: Status::Good,
    })
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
    /// What a run computes and what it has to move, as counted from the loop nests.
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
    /// Its place in the roofline picture.
    fn point(&self, one: &Workload) -> roofline::Point {
        let or = |stated: f64, counted: f64| if stated > 0.0 { stated } else { counted };
        roofline::Point {
            name: one.name,
            flops: or(one.flops, self.flops),
            bytes: or(one.bytes, self.bytes),
            seconds: self.cost.wall,
        }
    }

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

/// How many operations the points of a loop nest take: those of its function, and one where values are combined.
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
struct Bench {
    device: OpenCl,
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
        let launch = probe(Ceiling::Launch)?;
        Ok(Bench {
            device,
            multiply_add,
            copies,
            launch,
        })
    }

    /// Compiles a workload, and puts its data on the device.
    fn ready(&mut self, one: &Workload) -> Result<Ready, Problem> {
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
    fn launches(&mut self, rounds: usize) -> Result<Launches, Problem> {
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
        let symbols = Symbols::new();
        let mut least = [f64::INFINITY; 2];
        for _ in 0..rounds.max(1) {
            let start = Instant::now();
            for _ in 0..TIMES {
                self.device
                    .replay(ready.recording, &symbols)
                    .map_err(problem)?;
            }
            self.device.finish().map_err(problem)?;
            least[0] = least[0].min(start.elapsed().as_secs_f64() / TIMES as f64);
            let start = Instant::now();
            self.launch.run_often(TIMES).map_err(problem)?;
            least[1] = least[1].min(start.elapsed().as_secs_f64() / TIMES as f64);
        }
        self.done(ready)?;
        let [ours, driver] = least;
        Ok(Launches { ours, driver })
    }

    /// The operations a second of the multiply-adds, and the bytes a second of the copy of 64 MB.
    fn peaks(&self) -> Result<[f64; 2], Problem> {
        let peak = |probe: &Probe| -> Result<f64, Problem> {
            let cost = cost(10 * SLICE, || probe.run().map_err(problem))?;
            Ok(probe.amount() / cost.wall)
        };
        Ok([peak(&self.multiply_add)?, peak(&self.copies[0])?])
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
