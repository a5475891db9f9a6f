//! Complete mode, which decides satisfiability: where policy mode commits to one choice, it considers all of them.

pub(crate) mod decide;
pub(crate) mod decision;
pub(crate) mod lengths;
mod open_part;
