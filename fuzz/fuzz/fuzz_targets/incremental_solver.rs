//! `cargo +nightly fuzz run incremental_solver`: the target `incremental`, a name that cargo keeps for itself.
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("incremental");
