//! `cargo +nightly fuzz run closing`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("closing");
