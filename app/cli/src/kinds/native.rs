//! Axon programs and models of other frameworks. Each command that takes them has a function for them; the others name
//! the commands that do.

use std::path::Path;

#[cfg(feature = "oracle")]
use lozenge_oracle::Oracle;

use super::Kind;
use crate::args;
use crate::axon;
use crate::files::file_kind::{AXON, FileKind, MODEL};
use crate::models;
use crate::report::{Problem, Report};

/// A kind of file that is neither traced nor asked of Z3 by these commands.
pub struct Native {
    kind: FileKind,
    explain: fn(&args::Explain) -> Result<Report, Problem>,
    view: fn(&args::View) -> Result<Report, Problem>,
    check: fn(&args::Check) -> Result<Report, Problem>,
}

/// Axon programs. Their equations are a set of equations of shapes, about which every party answers.
pub const AXON_PROGRAMS: Native = Native {
    kind: AXON,
    explain: axon::explain,
    view: axon::view,
    check: axon::check,
};

/// Models of other frameworks. Of these the native procedure alone answers.
pub const MODELS: Native = Native {
    kind: MODEL,
    explain: models::explain,
    view: models::view,
    check: |args| models::check(&args.file, args.weights.as_deref()),
};

impl Native {
    /// Returns the message for a command that does not take these files.
    fn other_command(&self, file: &Path) -> Problem {
        let name = file.display().to_string();
        let commands = self.kind.commands(&name);
        Problem::new(format!("{name} is {}: try {commands}", self.kind.noun))
    }
}

impl Kind for Native {
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem> {
        (self.explain)(args)
    }

    fn view(&self, args: &args::View) -> Result<Report, Problem> {
        (self.view)(args)
    }

    fn trace(&self, args: &args::Trace) -> Result<Report, Problem> {
        Err(self.other_command(&args.file))
    }

    #[cfg(feature = "oracle")]
    fn oracle(&self, _: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
        Err(self.other_command(&args.file))
    }

    fn check(&self, args: &args::Check) -> Result<Report, Problem> {
        (self.check)(args)
    }
}
