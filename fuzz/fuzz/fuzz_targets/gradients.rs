//! `cargo +nightly fuzz run gradients`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("gradients");
