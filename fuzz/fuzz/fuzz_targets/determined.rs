//! `cargo +nightly fuzz run determined`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("determined");
