//! Tuning: plans of one computation, a loop nest or a contraction with the operations around it, are measured on a
//! device beside the plan that the heuristics choose.
//!
//! Few plans are measured, and the time for them is bounded: of the legal plans an estimate keeps the [`MEASURED`] that
//! look best. Each must give the default's numbers, and takes its place only if it is at least [`GAIN`] faster in the
//! median and in the least time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::engine::OpenCl;
use super::memory::Place;
use super::recording::Launch;
use crate::call::Symbols;
use crate::device::Device;
use crate::error::Error;
use crate::memory::BufferId;
use crate::opencl::check::candidates;
use crate::opencl::emit::source::KernelSource;
use crate::opencl::pins::pinned::PlanText;
use crate::opencl::pins::plan_text::KernelPlan;
use crate::opencl::plan::estimate;
use crate::opencl::plan::job::Job;
use crate::opencl::plan::schedule::Schedule;
use crate::opencl::plan::steps::Plan;
use crate::tensor::Tensor;

/// The most plans that are compared with the default.
pub const MEASURED: usize = 8;

/// The most of them that may have the same template, so that a wrong estimate of one template does not shut out the
/// others.
const ALIKE: usize = 3;

/// The most candidates that the estimate is asked about.
pub const CANDIDATES: usize = 64;

/// The share of the default's time that another plan has to save.
pub const GAIN: f64 = 0.05;

/// The number of times that each plan is measured, if the time suffices.
const ROUNDS: usize = 11;

/// The number of rounds that a plan needs before it takes the default's place: of fewer, one that was disturbed
/// decides.
const ENOUGH: usize = 3;

/// The number of runs of a kernel by which it is compared with the other kernels of a program.
const LOOKS: usize = 5;

/// The least time that one measurement takes. A shorter kernel is run several times.
const LEAST: Duration = Duration::from_millis(2);

/// The time of a kernel in seconds, over some rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Timing", deny_unknown_fields)
)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The median.
    pub median: f64,
    /// The most.
    pub most: f64,
    /// The number of rounds in which it was measured.
    pub rounds: usize,
}

/// The result of tuning a loop nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The default plan and its time.
    pub default: (PlanText, Spread),
    /// The plan that is taken in its place and its time, if one is.
    pub better: Option<(PlanText, Spread)>,
    /// The number of plans that were measured beside the default.
    pub measured: usize,
    /// The number of them that gave other numbers than the default; none is expected to.
    pub wrong: usize,
}

/// A plan that is measured.
struct Contender {
    source: KernelSource,
    launch: Launch,
    seconds: Vec<f64>,
}

impl OpenCl {
    /// Measures the time that a plan takes now: the least of a few runs.
    ///
    /// # Errors
    /// [`Error::Schedule`] if it is a part of a kernel; those of [`Device::run`].
    pub fn timed(&mut self, plan: &PlanText) -> Result<Duration, Error> {
        let source = self.source_of(plan)?;
        let buffers = self.operands(plan)?;
        let timed = self
            .contenders(&buffers, vec![source])
            .and_then(|all| (0..LOOKS).map(|_| self.seconds(&all[0], 1)).collect());
        self.released(buffers)?;
        let timed: Vec<f64> = timed?;
        Ok(Duration::from_secs_f64(
            timed.into_iter().fold(f64::INFINITY, f64::min),
        ))
    }

    /// Measures other plans of a plan's computation until the deadline, or until `stopped` says so. Symbols are 0.
    ///
    /// # Errors
    /// [`Error::Schedule`] if the plan is one of a part of a kernel; the errors of [`Device::run`].
    pub fn tune(
        &mut self,
        plan: &PlanText,
        deadline: Instant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Tuned, Error> {
        let mut sources = vec![self.source_of(plan)?];
        let KernelPlan { job, elements, .. } = &*plan.0;
        for plan in contending(job, self) {
            let source = KernelSource::of_job(job.clone(), elements.clone(), plan);
            let source = source.within(self.planning());
            if source.defect.is_none() && source.plans != sources[0].plans {
                sources.push(source);
            }
        }
        let buffers = self.operands(plan)?;
        let tuned = self.compared(&buffers, sources, (deadline, stopped));
        self.released(buffers)?;
        tuned
    }

    /// Writes the kernels of a plan.
    fn source_of(&self, plan: &PlanText) -> Result<KernelSource, Error> {
        let KernelPlan {
            is_part,
            job,
            elements,
            plan,
        } = &*plan.0;
        if *is_part {
            let part = "a part of a kernel has no launch of its own";
            return Err(Error::Schedule(part.to_string()));
        }
        let source = KernelSource::of_job(job.clone(), elements.clone(), plan.clone());
        Ok(source.within(self.planning()))
    }

    fn compared(
        &mut self,
        buffers: &[BufferId],
        sources: Vec<KernelSource>,
        (deadline, stopped): (Instant, &dyn Fn() -> bool),
    ) -> Result<Tuned, Error> {
        let mut all = self.contenders(buffers, sources)?;
        let measured = all.len() - 1;
        let before = self.download(buffers[0])?;
        let mut expected: Option<Tensor> = None;
        let mut right = Vec::new();
        for contender in all.drain(..) {
            self.write(buffers[0], before.values())?;
            contender
                .launch
                .enqueue(&symbols_of(&contender.source), None)?;
            let found = self.download(buffers[0])?;
            let same = expected
                .as_ref()
                .is_none_or(|expected| agree(expected, &found));
            expected.get_or_insert(found);
            if same {
                right.push(contender);
            }
        }
        let wrong = measured + 1 - right.len();
        let once = self.seconds(&right[0], 1)?;
        let times = (LEAST.as_secs_f64() / once.max(1e-9))
            .ceil()
            .clamp(1.0, 10_000.0) as usize;
        for round in 0..ROUNDS {
            if round > 0 && (Instant::now() >= deadline || stopped()) {
                break;
            }
            for contender in &mut right {
                let seconds = self.seconds(contender, times)?;
                contender.seconds.push(seconds);
            }
        }
        let mut timings = right.into_iter().map(|one| {
            let plan = one.source.plans[0].clone();
            (plan, Spread::of(one.seconds))
        });
        let default = timings.next().expect("the default agrees with itself");
        let best = timings.min_by(|(_, one), (_, other)| one.median.total_cmp(&other.median));
        let better = best.filter(|(_, best)| {
            // Among several plans that take the same time, one has the lower median by chance.
            let gains = |best: f64, default: f64| best <= default * (1.0 - GAIN);
            best.rounds >= ENOUGH
                && gains(best.median, default.1.median)
                && gains(best.least, default.1.least)
        });
        Ok(Tuned {
            default,
            better,
            measured,
            wrong,
        })
    }

    /// Uploads tensors with small whole numbers, whose sums are exact in any order.
    fn operands(&mut self, plan: &PlanText) -> Result<Vec<BufferId>, Error> {
        let mut state = 1u64;
        let mut buffers = Vec::new();
        for values in &plan.0.elements {
            let mut value = || {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 62) as f32
            };
            let all = (0..*values).map(|_| value()).collect();
            buffers.push(self.upload(&Tensor::new(vec![*values], all)?)?);
        }
        Ok(buffers)
    }

    fn released(&mut self, buffers: Vec<BufferId>) -> Result<(), Error> {
        buffers.into_iter().try_for_each(|one| self.release(one))
    }

    /// Prepares the launches of some sources on the same tensors, compiled together.
    fn contenders(
        &mut self,
        buffers: &[BufferId],
        sources: Vec<KernelSource>,
    ) -> Result<Vec<Contender>, Error> {
        self.compile(&sources)?;
        let memory: BTreeMap<BufferId, Place> = self.places(buffers)?;
        let contender = |source: KernelSource| {
            Ok(Contender {
                launch: self.launch_of(&source, buffers, &memory)?,
                source,
                seconds: Vec::new(),
            })
        };
        sources.into_iter().map(contender).collect()
    }

    /// Measures the time of one run among so many in a row.
    fn seconds(&self, contender: &Contender, times: usize) -> Result<f64, Error> {
        let symbols = symbols_of(&contender.source);
        // The first run finds its operands where the others find them.
        contender.launch.enqueue(&symbols, None)?;
        self.finish()?;
        let begin = Instant::now();
        for _ in 0..times {
            contender.launch.enqueue(&symbols, None)?;
        }
        self.finish()?;
        Ok(begin.elapsed().as_secs_f64() / times as f64)
    }
}

impl Spread {
    fn of(mut seconds: Vec<f64>) -> Spread {
        seconds.sort_by(f64::total_cmp);
        Spread {
            least: seconds[0],
            median: seconds[seconds.len() / 2],
            most: seconds[seconds.len() - 1],
            rounds: seconds.len(),
        }
    }
}

/// Sets all symbols to 0, which indexes every axis.
fn symbols_of(source: &KernelSource) -> Symbols {
    source.symbols.iter().map(|one| (one.clone(), 0)).collect()
}

/// Tells whether two results of small whole numbers are the same. Values of functions that are not whole may be rounded
/// in another order.
fn agree(expected: &Tensor, found: &Tensor) -> bool {
    let mut pairs = expected.values().iter().zip(found.values());
    pairs.all(|(x, y)| {
        x == y
            || x.is_nan() && y.is_nan()
            || f64::from((x - y).abs()) <= 1e-4 * f64::from(x.abs().max(1.0))
    })
}

/// Lists the plans to be measured: of the legal ones those that the estimate prefers.
fn contending(job: &Job, device: &OpenCl) -> Vec<Plan> {
    let profile = device.planning().profile;
    let splits = match job.epilogue {
        None => candidates::splits(job),
        Some(_) => Vec::new(),
    };
    let ways = std::iter::once(None).chain(splits.into_iter().map(Some));
    let mut all: Vec<(f64, Plan)> = Vec::new();
    for split in ways {
        let first = match split {
            None => job.clone(),
            Some((number, parts)) => job.split(number, parts, 0).0.swap_remove(0),
        };
        for schedule in Schedule::candidates(&first, profile) {
            let seconds = estimate::seconds(&first, &schedule, device.units());
            all.push((seconds, planned(job, split, schedule, profile)));
        }
    }
    all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    all.truncate(CANDIDATES);
    let mut kept: Vec<Plan> = Vec::new();
    for (_, plan) in all {
        let template = |plan: &Plan| std::mem::discriminant(&plan.steps[0].1);
        let alike = kept
            .iter()
            .filter(|other| template(other) == template(&plan));
        if kept.len() < MEASURED && alike.count() < ALIKE {
            kept.push(plan);
        }
    }
    kept
}

/// Makes the plan whose first step has this schedule, and whose other steps have the default's.
fn planned(
    job: &Job,
    split: Option<(usize, u64)>,
    schedule: Schedule,
    profile: crate::opencl::plan::schedule::Profile,
) -> Plan {
    let mut first = Some(schedule);
    Plan::with(job.clone(), split, |job| {
        let given = first.take();
        given.unwrap_or_else(|| Schedule::of(job, profile))
    })
}
