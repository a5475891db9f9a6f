//! `cargo +nightly fuzz run solver_oracle`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("solver_oracle");
