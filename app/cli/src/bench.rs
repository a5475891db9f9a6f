//! `lozenge bench`: measures the cost of solving and of kernels.

#[cfg(feature = "opencl")]
pub mod backend;
#[cfg(feature = "opencl")]
mod cost;
pub mod gradual;
mod measure;
#[cfg(feature = "opencl")]
mod roofline;
pub mod solver;
#[cfg(feature = "opencl")]
mod workloads;

use crate::args;
use crate::report::{Problem, Report};

/// Runs the command.
pub fn bench(args: &args::Bench) -> Result<Report, Problem> {
    match &args.command {
        #[cfg(feature = "opencl")]
        Some(args::BenchCommand::Backend(args)) => backend::bench(args),
        #[cfg(not(feature = "opencl"))]
        Some(args::BenchCommand::Backend(_)) => Err(Problem::new(
            "bench backend: this build does not contain the OpenCL engine (the feature `opencl`)",
        )),
        Some(args::BenchCommand::Gradual(args)) => gradual::bench(args),
        None => solver::bench(args),
    }
}
