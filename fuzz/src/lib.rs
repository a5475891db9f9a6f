//! Differential testing of all parties: generators of inputs, comparisons of what the parties answer, campaigns. The one
//! place where `spec`, `solver`, `oracle` and `backend` meet. `cargo fuzz`, tests and the command line use the same code, and
//! the claims table gets its evidence here.
//!
//! An [`input::Input`] goes to the comparison of a [`target::Target`], which asks [`party::Party`]s and comes to an
//! [`outcome::Outcome`]: agreement, a difference with a name ([`known_difference::KnownDifference`]), or a disagreement.

pub mod agreement;
pub mod arithmetic;
pub mod campaign;
pub mod closed_operation;
pub mod corpus;
pub mod execution;
pub mod features;
pub mod generate;
pub mod hunt;
pub mod input;
pub mod known_difference;
pub mod libfuzzer;
pub mod minimise;
pub mod outcome;
pub mod parties;
pub mod party;
pub mod reference;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod target;
mod targets;
