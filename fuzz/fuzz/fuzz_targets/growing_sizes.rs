//! `cargo +nightly fuzz run growing_sizes`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("growing_sizes");
