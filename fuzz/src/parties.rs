//! The parties, asked for their verdicts.

use std::time::Duration;

use lozenge::{Problem, Solver};
use lozenge_oracle::{Limits, Oracle};
use lozenge_spec::{ConstraintSet, Options, Order, Verdict, solve};

use crate::agreement::Verdicts;

/// The transcribed rules in policy mode: solved form, then the policy's resolution of what was deferred.
pub fn spec(set: &ConstraintSet) -> Verdict {
    solve(
        set,
        &Options {
            traced: false,
            ..Options::default()
        },
    )
    .verdict()
}

/// The production solver in policy mode, to the same end.
pub fn solver(set: &ConstraintSet) -> Verdict {
    Solver::new(Problem::from(set)).verdict()
}

/// The production solver in complete mode.
pub fn complete(set: &ConstraintSet) -> Verdict {
    Solver::new(Problem::from(set)).decide().verdict
}

/// Z3 with a limit on its time, in the marked order.
pub fn oracle(time: Duration) -> Oracle {
    Oracle::new(Order::Marked).with_limits(Limits {
        time,
        ..Limits::default()
    })
}

/// All four.
pub fn verdicts(set: &ConstraintSet, oracle: &Oracle) -> Verdicts {
    Verdicts {
        spec: spec(set),
        solver: solver(set),
        complete: complete(set),
        oracle: oracle.sat(set).verdict(),
    }
}
