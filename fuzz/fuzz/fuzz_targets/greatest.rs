//! `cargo +nightly fuzz run greatest`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("greatest");
