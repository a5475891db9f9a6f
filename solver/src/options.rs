//! How a solver reads a problem, and where it stops.

use lozenge_vocabulary::Order;
use serde::{Deserialize, Serialize};

/// How a solver reads and searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What `<=` between rows means.
    pub order: Order,
    /// Where complete mode stops.
    pub limits: Limits,
}

/// Where complete mode stops and says `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The number of branches taken.
    pub branches: u64,
    /// The number of axes of one row.
    pub rank: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            branches: 100_000,
            rank: 4096,
        }
    }
}
