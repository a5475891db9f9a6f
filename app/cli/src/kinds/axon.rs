//! Axon programs. Their equations are a set of equations of shapes, about which every party answers.

use std::path::Path;

#[cfg(feature = "oracle")]
use lozenge_oracle::Oracle;

use super::Kind;
use crate::args;
use crate::axon;
use crate::files::file_kind::AXON;
use crate::report::{Problem, Report};

/// An Axon program.
pub struct AxonPrograms;

/// Makes the message for a command that does not take these programs.
fn other_command(file: &Path) -> Problem {
    let name = file.display().to_string();
    let commands = AXON.commands(&name);
    Problem::new(format!("{name} is {}: try {commands}", AXON.noun))
}

impl Kind for AxonPrograms {
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem> {
        axon::explain(args)
    }

    fn view(&self, args: &args::View) -> Result<Report, Problem> {
        axon::view(args)
    }

    fn trace(&self, args: &args::Trace) -> Result<Report, Problem> {
        Err(other_command(&args.file))
    }

    #[cfg(feature = "oracle")]
    fn oracle(&self, _: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
        Err(other_command(&args.file))
    }

    fn check(&self, args: &args::Check) -> Result<Report, Problem> {
        axon::check(args)
    }
}
