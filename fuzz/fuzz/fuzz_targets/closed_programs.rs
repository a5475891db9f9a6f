//! `cargo +nightly fuzz run closed_programs`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("closed_programs");
