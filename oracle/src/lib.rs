//! Z3 as a third party.

mod encoding;
mod forced;
mod formula;
mod limits;
mod model;
mod oracle;
mod planted;
mod satisfiability;
mod session;
mod smt;
mod symbols;
mod tape;

pub use forced::{Forced, ForcedValue};
pub use limits::{Interrupt, Limits, Reason};
pub use oracle::Oracle;
pub use satisfiability::{Core, Satisfiability};

#[cfg(test)]
mod tests;
