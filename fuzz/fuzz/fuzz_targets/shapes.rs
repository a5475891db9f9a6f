//! `cargo +nightly fuzz run shapes`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("shapes");
