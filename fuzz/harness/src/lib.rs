//! Differential testing of all parties: generators of inputs, comparisons of the parties' answers, and campaigns. This
//! is the only place where `spec`, `solver`, `oracle` and `backend` meet. `cargo fuzz`, tests and the command line
//! share this code.
//!
//! A calculus is a value of [`subject::Subject`]: a kind of input with a notation, [`subject::party::Party`]s that
//! answer questions about it, and [`subject::target::Target`]s. The comparison of a target asks parties about an
//! instance, and returns an [`outcome::Outcome`]: agreement, a named difference
//! ([`known_difference::KnownDifference`]), or a disagreement. All subjects are in one list, [`subjects::SUBJECTS`].

pub mod agreement;
pub mod any_subject;
pub mod campaign;
pub mod corpus;
mod data;
pub mod distil;
pub mod features;
pub mod hunt;
pub mod known_difference;
pub mod libfuzzer;
pub mod minimise;
pub mod outcome;
pub mod pipeline;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod subject;
pub mod subjects;
