//! `cargo +nightly fuzz run large_order`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("large_order");
