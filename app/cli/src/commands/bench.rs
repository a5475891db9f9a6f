//! `lozenge bench`: measures the cost of solving and of kernels.

#[cfg(feature = "opencl")]
pub mod backend;
pub mod gradual;
pub mod solver;

use lozenge_bench::gradual::Tables;
#[cfg(feature = "opencl")]
use lozenge_bench::kernels::BackendData;
use lozenge_bench::solving::FamilyReport;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::report::{Problem, Report};

/// The costs that were measured.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Bench")]
pub struct Answer {
    /// The families that were measured.
    families: Option<Vec<FamilyReport>>,
    /// With `backend`: the costs of kernels.
    #[cfg(feature = "opencl")]
    backend: Option<BackendData>,
    /// With `gradual`: the tables of the paper on gradual types.
    #[serde(skip_serializing_if = "Option::is_none")]
    gradual: Option<Tables>,
}

#[cfg(feature = "opencl")]
impl Answer {
    /// Returns the costs of kernels.
    fn of_backend(backend: BackendData) -> Answer {
        Answer {
            backend: Some(backend),
            ..Answer::default()
        }
    }
}

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
