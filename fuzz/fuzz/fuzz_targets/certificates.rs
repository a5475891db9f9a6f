//! `cargo +nightly fuzz run certificates`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("certificates");
