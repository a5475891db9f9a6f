//! `cargo +nightly fuzz run surface_parser`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("surface_parser");
