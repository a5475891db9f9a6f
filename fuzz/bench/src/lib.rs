//! Measurements: what solving costs, what kernels cost beside the fastest that the machine can do, and the tables of
//! the paper on gradual types.
//!
//! `lozenge bench` chooses what is measured and prints the answers, which are made here with their texts. Only what is
//! measured is imported: no argument of the command line, and no party that judges. `cargo bench` of the packages
//! measures single functions under divan; here a whole question is measured, as a user asks it.

pub mod gradual;
#[cfg(feature = "opencl")]
pub mod kernels;
pub mod solving;
