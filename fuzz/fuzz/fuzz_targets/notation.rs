//! `cargo +nightly fuzz run notation`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("notation");
