//! Z3 as a third party.

mod answers;
mod ask;
mod denial;
mod encoding;
mod entailment;
mod far;
mod forced;
mod formula;
mod limits;
mod model;
mod oracle;
mod planted;
mod program;
mod report;
mod satisfiability;
mod session;
mod smt;
mod solutions;
mod symbols;
mod tape;

pub use answers::{Generality, Greatness, Soundness};
pub use ask::{Ask, AskError, WORDS, bindings, solution};
pub use entailment::{Entailment, Equivalence};
pub use forced::{Forced, ForcedValue};
pub use limits::{Interrupt, Limits, Reason};
pub use oracle::Oracle;
pub use program::{Completion, Program, Second, Statement};
pub use report::{Answer, Claim, Report};
pub use satisfiability::{Core, Satisfiability};
pub use solutions::Solutions;

#[cfg(test)]
mod tests;
