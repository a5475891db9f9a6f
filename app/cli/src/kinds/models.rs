//! Models of other frameworks. Of these the native procedure alone answers.

use std::path::Path;

#[cfg(feature = "oracle")]
use lozenge_oracle::Oracle;

use super::Kind;
use crate::args;
use crate::files::file_kind::MODEL;
use crate::models;
use crate::report::{Problem, Report};

/// A model.
pub struct Models;

/// Returns the message for a command that does not take models.
fn other_command(file: &Path) -> Problem {
    let name = file.display().to_string();
    let commands = MODEL.commands(&name);
    Problem::new(format!("{name} is {}: try {commands}", MODEL.noun))
}

impl Kind for Models {
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem> {
        models::explain(args)
    }

    fn view(&self, args: &args::View) -> Result<Report, Problem> {
        models::view(args)
    }

    fn trace(&self, args: &args::Trace) -> Result<Report, Problem> {
        Err(other_command(&args.file))
    }

    #[cfg(feature = "oracle")]
    fn oracle(&self, _: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
        Err(other_command(&args.file))
    }

    fn check(&self, args: &args::Check) -> Result<Report, Problem> {
        models::check(&args.file, args.weights.as_deref())
    }
}
