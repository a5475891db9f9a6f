//! `cargo +nightly fuzz run shapes_answers`
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("shapes_answers");
