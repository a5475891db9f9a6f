//! Programs.

#[cfg(feature = "oracle")]
use lozenge_fuzz::subjects::programs::checked::checked;
#[cfg(feature = "oracle")]
use lozenge_oracle::Oracle;

use super::Kind;
use crate::args;
#[cfg(feature = "oracle")]
use crate::commands::check;
use crate::commands::explain;
#[cfg(feature = "oracle")]
use crate::commands::oracle;
use crate::commands::trace;
use crate::loaded;
use crate::report::{Problem, Report};

/// A program of the surface language.
pub struct Programs;

impl Kind for Programs {
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem> {
        explain::program::of_program(args)
    }

    fn trace(&self, args: &args::Trace) -> Result<Report, Problem> {
        let program = loaded::program(&args.file, args.programs)?;
        Ok(trace::of_set(&program.constraints().set, args))
    }

    #[cfg(feature = "oracle")]
    fn oracle(&self, oracle: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
        if !args.ask.is_empty() {
            return Err(Problem::new(
                "--ask is for constraint sets: of a program everything is asked that can be",
            ));
        }
        let loaded = loaded::program(&args.file, args.programs)?;
        Ok(oracle::of_program(oracle, &loaded))
    }

    #[cfg(feature = "oracle")]
    fn check(&self, args: &args::Check) -> Result<Report, Problem> {
        let mut options = lozenge::Options::default();
        options.max_axes = args.max_axes;
        options.solver = args.limits.solving.into();
        let loaded = loaded::program(&args.file, args.programs)?;
        let text = &loaded.source.text;
        let checked = checked(&loaded.program, text, &args.limits.into(), &options);
        Ok(check::of_parties(&checked))
    }

    #[cfg(not(feature = "oracle"))]
    fn check(&self, _: &args::Check) -> Result<Report, Problem> {
        Err(Problem::without_z3("check"))
    }
}
