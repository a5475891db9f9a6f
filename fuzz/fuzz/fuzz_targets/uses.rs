//! `cargo +nightly fuzz run order`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("uses");
