//! The parties. Each implements [`Party`](crate::party::Party); none of them shares a rule with another.

pub mod closure;
mod devices;
mod enumeration;
mod production;
mod rules;
mod union_find;
mod z3;

use std::time::Duration;

use lozenge_oracle::{Limits, Oracle};
use lozenge_solver::{Problem, Solver};
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Order, Verdict};

use crate::agreement::Verdicts;

pub use closure::Closure;
pub use devices::Machine;
pub use enumeration::Enumeration;
pub use production::{Complete, Production, said};
pub use rules::Rules;
pub use union_find::UnionFind;
pub use z3::Z3;

/// The transcribed rules in policy mode: solved form, then the policy's resolution of what was deferred.
pub fn spec(set: &ConstraintSet) -> Verdict {
    let untraced = Options {
        traced: false,
        ..Options::default()
    };
    solve(set, &untraced).verdict()
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
