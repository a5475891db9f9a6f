//! `cargo +nightly fuzz run schedules`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("schedules");
