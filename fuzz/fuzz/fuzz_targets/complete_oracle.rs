//! `cargo +nightly fuzz run complete_oracle`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("complete_oracle");
