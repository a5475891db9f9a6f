//! `cargo +nightly fuzz run language`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("language");
