//! The answers of each command to a file of a kind.
//!
//! Programs and constraint sets have answers of their own. Every other subject of the harness has those that follow
//! from its parties.

mod native;
#[cfg(feature = "oracle")]
mod others;
mod programs;
mod sets;

use std::path::Path;

#[cfg(feature = "oracle")]
use lozenge_oracle::Oracle;

use crate::args;
use crate::files::file_kind::{AXON, FileKind, MODEL, PROGRAM, SET};
use crate::files::input;
use crate::report::{Problem, Report};

/// A kind of file, as commands see it.
pub trait Kind {
    /// Runs `lozenge explain`.
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem>;

    /// Runs `lozenge view`, which says of all but programs and models that they have no page.
    fn view(&self, args: &args::View) -> Result<Report, Problem> {
        crate::commands::view::view(args)
    }

    /// Runs `lozenge trace`.
    fn trace(&self, args: &args::Trace) -> Result<Report, Problem>;

    /// Runs `lozenge oracle`.
    #[cfg(feature = "oracle")]
    fn oracle(&self, oracle: &Oracle, args: &args::Oracle) -> Result<Report, Problem>;

    /// Runs `lozenge check`.
    fn check(&self, args: &args::Check) -> Result<Report, Problem>;
}

/// Returns the kind of a file. One that nothing tells is a constraint set.
pub fn of(path: &Path) -> Box<dyn Kind> {
    match input::kind(path) {
        Some(kind) if kind.noun == PROGRAM.noun => Box::new(programs::Programs),
        Some(kind) if kind.noun == AXON.noun => Box::new(native::AXON_PROGRAMS),
        Some(kind) if kind.noun == MODEL.noun => Box::new(native::MODELS),
        Some(kind) if kind.noun != SET.noun => other(kind),
        Some(_) | None => Box::new(sets::Sets),
    }
}

/// Runs `lozenge explain`.
///
/// # Errors
/// As the kind of the file has them, and for a flag that another kind has.
pub fn explained(args: &args::Explain) -> Result<Report, Problem> {
    only_for_models(&args.file, args.asked.flag())?;
    of(&args.file).explain(args)
}

/// Runs `lozenge check`.
///
/// # Errors
/// As the kind of the file has them, and for a flag that another kind has.
pub fn checked(args: &args::Check) -> Result<Report, Problem> {
    only_for_models(&args.file, args.weights.as_ref().map(|_| "--weights"))?;
    of(&args.file).check(args)
}

/// Refuses a flag that only models have.
fn only_for_models(path: &Path, flag: Option<&str>) -> Result<(), Problem> {
    let kind = input::kind(path).map_or(SET.noun, |kind| kind.noun);
    match flag {
        Some(flag) if kind != MODEL.noun => Err(Problem::new(format!(
            "{flag} is for models, and {} is {kind}",
            input::name(path)
        ))),
        _ => Ok(()),
    }
}

/// Returns the kind of another subject of the harness.
#[cfg(feature = "oracle")]
fn other(kind: FileKind) -> Box<dyn Kind> {
    match others::Other::of(kind.noun) {
        Some(other) => Box::new(other),
        None => Box::new(sets::Sets),
    }
}

/// Makes the kind in place of the harness: without Z3 there is no harness.
#[cfg(not(feature = "oracle"))]
fn other(_: FileKind) -> Box<dyn Kind> {
    Box::new(sets::Sets)
}
