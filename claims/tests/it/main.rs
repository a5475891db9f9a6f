//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod axon;
mod coverage;
mod decision;
mod extensions;
mod gradients;
mod gradual;
mod kept;
mod long_survey;
mod premises;
mod printed_rules;
mod proofs;
mod sources;
mod statements;
mod strategies;
mod table;
