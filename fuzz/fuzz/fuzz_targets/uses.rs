//! `cargo +nightly fuzz run uses`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("uses");
