//! Complete mode, which decides satisfiability: where policy mode commits to one choice, it considers all of them.

pub(crate) mod complete;
mod open_part;
