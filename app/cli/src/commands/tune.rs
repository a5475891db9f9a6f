//! `lozenge tune`: measures other plans of a program's kernels, and writes the faster ones into a file of pins.

/// Refuses: without the feature there is no device.
#[cfg(not(feature = "opencl"))]
pub fn tune(_: &crate::args::Tune) -> Result<crate::report::Report, crate::report::Problem> {
    Err(crate::report::Problem::new(
        "tune: this lozenge was built without OpenCL (the feature `opencl`)",
    ))
}

#[cfg(feature = "opencl")]
pub use on_device::{Answer, tune};

#[cfg(feature = "opencl")]
mod on_device {
    use std::collections::BTreeSet;
    use std::fmt::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use lozenge::PlannedKernel;
    use lozenge_backend::Device;
    use lozenge_backend::opencl::{OpenCl, PlanText, Planner, Profile, Spread, Tuned, pins_file};
    use schemars::JsonSchema;
    use serde::Serialize;

    use crate::args;
    use crate::execution;
    use crate::execution::schedule::computes;
    use crate::files::distinct_files::{Named, distinct};
    use crate::files::output_file::OutputFile;
    use crate::loaded::{self, Inferred, Loaded};
    use crate::report::{Problem, Report};

    /// A kernel with one plan, of one operation or of a contraction with those around it, and the time of its default
    /// plan.
    struct Kernel {
        computes: String,
        plan: PlanText,
        before: Duration,
        tuned: Option<Tuned>,
    }

    /// Runs the command.
    pub fn tune(args: &args::Tune) -> Result<Report, Problem> {
        let mut loaded = loaded::program_with(&args.file, &args.outside, args.limits.programs)?;
        loaded.why = args.limits.why;
        let solver = args::Pipeline::Solver;
        let inferred = match loaded.infer(solver, &args.limits.options(), args.limits.rules) {
            Ok(inferred) => inferred,
            Err(refusal) => return Ok(refusal),
        };
        let read: Vec<Named> = loaded.files().into_iter().chain(args.on.files()).collect();
        distinct(
            &read,
            &Vec::from_iter(Named::flag("--save-pins", Some(&args.save_pins))),
        )?;
        let file = OutputFile::open(Some(&args.save_pins))?;
        let mut device = execution::open_kernels(&args.on)?;
        let planned = planned(&loaded, &inferred, &args.on, device.profile())?;
        let about = device.description();
        let begin = Instant::now();
        let budget = Duration::from_secs(args.seconds);
        eprintln!(
            "measuring for at most {} s on {about}; Ctrl-C ends it earlier",
            args.seconds
        );
        let stop = Arc::new(AtomicBool::new(false));
        let signal = stop.clone();
        // A second handler is refused; the first one does as well.
        let _ = ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed));
        let ended = || stop.load(Ordering::Relaxed) || begin.elapsed() >= budget;
        let mut kernels = kernels(&planned, &mut device, &ended)?;
        for kernel in &mut kernels {
            if ended() {
                break;
            }
            let tuned = device.tune(&kernel.plan, begin + budget, &ended);
            kernel.tuned = Some(tuned.map_err(|error| Problem::new(error.to_string()))?);
        }
        if let Some(file) = file {
            file.write(&pins(&planned, &kernels, &about))?;
        }
        let text = text(&kernels, &about, &args.save_pins);
        let answer = Answer {
            device: about,
            kernels: kernels.iter().map(KernelData::of).collect(),
        };
        Ok(Report::new(text, answer))
    }

    /// Returns the kernels of a program, as `run` has them.
    fn planned(
        loaded: &Loaded,
        inferred: &Inferred,
        on: &args::On,
        profile: Profile,
    ) -> Result<Vec<PlannedKernel>, Problem> {
        let settings = lozenge::Settings {
            keep: Some(loaded.seen(&inferred.shapes, &[])),
            ..Default::default()
        };
        let planner = Planner::new(on.limits(), on.arithmetic());
        let parts = lozenge::schedule(
            &loaded.program,
            &inferred.shapes,
            &inferred.nests,
            &settings,
            planner.planned_for(profile).pinned(execution::pins(on)?),
        );
        let parts = parts.map_err(|error| Problem::new(error.to_string()))?;
        Ok(parts.into_iter().flat_map(|part| part.kernels).collect())
    }

    /// Returns the kernels with one plan each, every computation once, that which takes most time first.
    fn kernels(
        planned: &[PlannedKernel],
        device: &mut OpenCl,
        ended: &dyn Fn() -> bool,
    ) -> Result<Vec<Kernel>, Problem> {
        let mut seen = BTreeSet::new();
        let mut kernels = Vec::new();
        for kernel in planned {
            let [plan] = kernel.plans.as_slice() else {
                continue;
            };
            if !plan.is_whole() || !seen.insert(plan.computation()) {
                continue;
            }
            let before = match ended() {
                true => Duration::ZERO,
                false => {
                    let timed = device.timed(plan);
                    timed.map_err(|error| Problem::new(error.to_string()))?
                }
            };
            kernels.push(Kernel {
                computes: computes(kernel),
                plan: plan.clone(),
                before,
                tuned: None,
            });
        }
        kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.before));
        Ok(kernels)
    }

    /// Returns the plans of all kernels as a file of pins, with what was measured.
    fn pins(planned: &[PlannedKernel], kernels: &[Kernel], about: &str) -> String {
        let mut all: Vec<(String, &PlanText)> = Vec::new();
        for kernel in kernels {
            let (note, plan) = match &kernel.tuned {
                None => ("not measured".to_string(), &kernel.plan),
                Some(Tuned {
                    default: (plan, default),
                    better,
                    ..
                }) => match better {
                    None => (time(default), plan),
                    Some((plan, better)) => (
                        format!("{} instead of {}", time(better), time(default)),
                        plan,
                    ),
                },
            };
            all.push((format!("{}\n{note}, {about}", kernel.computes), plan));
        }
        for kernel in planned {
            all.extend(kernel.plans.iter().map(|plan| (computes(kernel), plan)));
        }
        pins_file(all)
    }

    fn time(timing: &Spread) -> String {
        let Spread {
            least,
            median,
            most,
            rounds,
        } = timing;
        format!(
            "{:.4} ms ({:.4} to {:.4}, {rounds} rounds)",
            median * 1e3,
            least * 1e3,
            most * 1e3
        )
    }

    fn text(kernels: &[Kernel], about: &str, path: &std::path::Path) -> String {
        let mut text = format!("device: {about}\n");
        let mut left = 0;
        for (number, kernel) in kernels.iter().enumerate() {
            match &kernel.tuned {
                None => left += 1,
                Some(tuned) => {
                    let _ = writeln!(text, "{:>3}. {}", number + 1, kernel.computes);
                    text += &lines(tuned);
                }
            }
        }
        if left > 0 {
            let _ = writeln!(
                text,
                "for want of time, {left} of {} kernels were not measured; --seconds gives more",
                kernels.len()
            );
        }
        let _ = writeln!(text, "written to {}", path.display());
        text
    }

    fn lines(tuned: &Tuned) -> String {
        let (plan, timing) = &tuned.default;
        let mut text = format!("       {}: {}\n", plan.schedules().join("; "), time(timing));
        let _ = match &tuned.better {
            Some((plan, timing)) => {
                let schedules = plan.schedules().join("; ");
                writeln!(text, "       better: {schedules}: {}", time(timing))
            }
            None => writeln!(
                text,
                "       measured beside {} others; none is surely 5 % faster",
                tuned.measured
            ),
        };
        if tuned.wrong > 0 {
            let _ = writeln!(
                text,
                "       {} gave other numbers and were left out; please report this",
                tuned.wrong
            );
        }
        text
    }

    /// The kernels of single operations: what `tune` answers.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Tune")]
    pub struct Answer {
        /// The device.
        device: String,
        /// The kernels, that which takes most time first. Those that were not reached have no timing.
        kernels: Vec<KernelData>,
    }

    /// A kernel and its plans.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "TunedKernel", deny_unknown_fields)]
    struct KernelData {
        /// Its operation, in words.
        computes: String,
        /// The schedules of the default plan.
        default: Vec<String>,
        /// The time of the default plan.
        timing: Option<Spread>,
        /// The schedules of the plan that is taken in its place, if one is.
        better: Option<Vec<String>>,
        /// Its time.
        better_timing: Option<Spread>,
        /// The number of plans that were measured beside the default.
        measured: usize,
    }

    impl KernelData {
        fn of(kernel: &Kernel) -> KernelData {
            let tuned = kernel.tuned.as_ref();
            let better = tuned.and_then(|tuned| tuned.better.as_ref());
            KernelData {
                computes: kernel.computes.clone(),
                default: kernel.plan.schedules(),
                timing: tuned.map(|tuned| tuned.default.1),
                better: better.map(|(plan, _)| plan.schedules()),
                better_timing: better.map(|(_, better)| *better),
                measured: tuned.map_or(0, |tuned| tuned.measured),
            }
        }
    }
}
