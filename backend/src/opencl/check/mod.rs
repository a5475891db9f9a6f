//! The checks that a plan passes before one of its kernels is launched, and the plans that pass them.
//!
//! They compare a plan with the job that it is to compute, and know nothing of the heuristics that chose it.

pub(super) mod candidates;
pub(super) mod defect;
pub(super) mod template;
pub(super) mod verify;
#[cfg(feature = "opencl")]
pub(super) mod verify_epilogue;
#[cfg(feature = "opencl")]
pub(super) mod verify_group;
