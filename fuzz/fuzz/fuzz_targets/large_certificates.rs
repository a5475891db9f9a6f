//! `cargo +nightly fuzz run large_certificates`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("large_certificates");
