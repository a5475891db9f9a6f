//! `cargo +nightly fuzz run spec_solver`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("spec_solver");
