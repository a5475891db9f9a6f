//! `cargo +nightly fuzz run window_sizes`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("window_sizes");
