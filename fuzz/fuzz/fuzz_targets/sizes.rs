//! `cargo +nightly fuzz run sizes`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("sizes");
