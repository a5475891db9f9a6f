//! `cargo +nightly fuzz run projected_programs`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("projected_programs");
