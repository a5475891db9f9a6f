//! `cargo +nightly fuzz run axon`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("axon");
