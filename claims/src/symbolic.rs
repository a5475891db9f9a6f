//! Proofs by Z3: dimensions and rows with symbolic sizes, bases and lengths, and the search for a counterexample.

pub mod prover;
pub mod unbounded;
