//! `cargo +nightly fuzz run entailment`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("entailment");
