//! `cargo +nightly fuzz run large_rules`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("large_rules");
