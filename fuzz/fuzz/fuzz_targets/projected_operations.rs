//! `cargo +nightly fuzz run projected_operations`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("projected_operations");
