//! Differential testing of all parties: generators of inputs, comparisons of the parties' answers, and campaigns. This is the
//! only place where `spec`, `solver`, `oracle` and `backend` meet. `cargo fuzz`, tests and the command line share this code.
//!
//! The comparison of a [`target::Target`] takes an [`input::Input`], asks [`party::Party`]s about it, and returns an
//! [`outcome::Outcome`]: agreement, a named difference ([`known_difference::KnownDifference`]), or a disagreement.

pub mod agreement;
pub mod arithmetic;
pub mod campaign;
pub mod closed_operation;
pub mod corpus;
pub mod drawn_nest;
pub mod execution;
pub mod features;
pub mod generate;
pub mod greatness;
pub mod hunt;
pub mod input;
pub mod known_difference;
pub mod libfuzzer;
pub mod minimise;
pub mod outcome;
pub mod parties;
pub mod party;
pub mod proved_checker;
pub mod reference;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod target;
mod targets;
pub mod walking;
pub mod written_operation;
mod written_shape;
