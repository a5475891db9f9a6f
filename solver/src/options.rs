//! How a solver reads a problem, and where it stops.

use lozenge_vocabulary::Order;
use serde::{Deserialize, Serialize};

/// How a solver reads and searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What `<=` between rows means.
    pub order: Order,
    /// Where it stops. Of them policy mode has `size_work` alone.
    pub limits: Limits,
}

/// Where complete mode stops and says `unknown`, and both modes where sizes are related.
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
    /// The steps of arithmetic for one question about sizes that windows, concatenations, products and bounds relate, in both
    /// modes: terms of linear forms that are read or written.
    pub size_work: u64,
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
        }
    }
}
