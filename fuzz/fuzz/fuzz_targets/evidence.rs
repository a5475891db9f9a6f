//! `cargo +nightly fuzz run evidence`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("evidence");
