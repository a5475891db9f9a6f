//! Constraint sets.

#[cfg(feature = "oracle")]
use lozenge_fuzz::subject::Subject;
#[cfg(feature = "oracle")]
use lozenge_fuzz::subjects::sets;
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
use crate::files::input;
use crate::report::{Problem, Report};

/// A constraint set.
pub struct Sets;

impl Kind for Sets {
    fn explain(&self, args: &args::Explain) -> Result<Report, Problem> {
        explain::of_set(args)
    }

    fn trace(&self, args: &args::Trace) -> Result<Report, Problem> {
        let set = input::constraints(&args.file)?.1.set;
        Ok(trace::of_set(&set, args))
    }

    #[cfg(feature = "oracle")]
    fn oracle(&self, oracle: &Oracle, args: &args::Oracle) -> Result<Report, Problem> {
        oracle::of_set(oracle, args)
    }

    #[cfg(feature = "oracle")]
    fn check(&self, args: &args::Check) -> Result<Report, Problem> {
        let set = input::constraints(&args.file)?.1.set;
        let checked = sets::Sets::checked(&set, &args.limits.into());
        Ok(check::of_parties(&checked))
    }

    #[cfg(not(feature = "oracle"))]
    fn check(&self, _: &args::Check) -> Result<Report, Problem> {
        Err(Problem::without_z3("check"))
    }
}
