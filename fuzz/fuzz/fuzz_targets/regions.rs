//! `cargo +nightly fuzz run regions`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("regions");
