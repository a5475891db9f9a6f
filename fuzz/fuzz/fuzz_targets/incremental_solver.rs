//! `cargo +nightly fuzz run incremental_solver` runs the target `incremental`, a name that cargo reserves.
#![cfg_attr(fuzzing, no_main)]

lozenge_fuzz::fuzz_target!("incremental");
