//! `cargo +nightly fuzz run program`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("program");
