//! Families of problems of any size, to measure what solving them costs.
//!
//! `lozenge bench` prints them as a table and writes JSON; `cargo bench -p lozenge-solver` runs them under divan. Tests
//! of the solver count what it keeps on record for each. They are stated through the public interface of the solver, so
//! they judge no answer: generators of sets for comparisons are in the test kit, which knows no party.

mod chains;
mod counted;
mod families;
mod layers;
mod leaves;
mod order;
mod programs;
mod stated;

pub use families::{FAMILIES, Family};
