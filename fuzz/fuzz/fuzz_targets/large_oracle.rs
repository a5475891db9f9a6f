//! `cargo +nightly fuzz run large_oracle`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("large_oracle");
