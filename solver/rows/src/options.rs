//! Settings of a solver: how it reads a problem, and where it stops.

use lozenge_vocabulary::Order;
use serde::{Deserialize, Serialize};

/// The settings of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The meaning of `<=` between rows.
    pub order: Order,
    /// The limits at which it stops. Policy mode has `policy_work`, `policy_records` and `size_work`, complete mode all
    /// of them.
    pub limits: Limits,
}

/// The limits at which the modes stop and say `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The number of branches over lengths that are opened.
    pub branches: u64,
    /// The number of clashes that are excluded, each for all lengths at which it exists.
    pub clauses: u64,
    /// The steps of arithmetic: terms of linear forms that are read or written.
    pub work: u64,
    /// The number of runs of equal axes that the rows of one attempt may have together.
    pub runs: u32,
    /// The number of axes of a row up to which a solution is spelled out. It limits no answer.
    pub rank: u32,
    /// The steps of arithmetic for one question about sizes that windows, concatenations, products and bounds relate,
    /// in both modes: terms of linear forms that are read or written.
    pub size_work: u64,
    /// The steps of solving once, closing included: axes, inequalities, equations and variables that are looked at. The
    /// first part of complete mode has the same limit.
    pub policy_work: u64,
    /// The axes, variables, constraints and conclusions that are held at once, those of the problem among them.
    pub policy_records: u64,
}

impl Limits {
    /// Returns the limits of the arithmetic of sizes.
    pub(crate) fn of_sizes(&self) -> lozenge_sizes::Limits {
        lozenge_sizes::Limits {
            work: self.size_work,
            ..lozenge_sizes::Limits::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            branches: 100_000,
            clauses: 10_000,
            work: 1 << 28,
            runs: 1 << 20,
            rank: 1 << 16,
            size_work: lozenge_sizes::Limits::default().work,
            policy_work: 1 << 32,
            policy_records: 1 << 28,
        }
    }
}
