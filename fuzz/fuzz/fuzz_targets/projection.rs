//! `cargo +nightly fuzz run projection`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("projection");
