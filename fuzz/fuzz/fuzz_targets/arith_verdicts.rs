//! `cargo +nightly fuzz run arith_verdicts`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("arith_verdicts");
