//! `cargo +nightly fuzz run gradual_profiles`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("gradual_profiles");
