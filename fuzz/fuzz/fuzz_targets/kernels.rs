//! `cargo +nightly fuzz run kernels`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("kernels");
