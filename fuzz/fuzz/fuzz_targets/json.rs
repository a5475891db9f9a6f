//! `cargo +nightly fuzz run json`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("json");
