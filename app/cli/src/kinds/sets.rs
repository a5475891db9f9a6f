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
use crate::check;
use crate::explain;
use crate::input;
#[cfg(feature = "oracle")]
use crate::oracle;
use crate::report::{Problem, Report};
use crate::trace;

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
