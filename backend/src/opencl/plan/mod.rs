//! Jobs, their loops, their schedules, and the plans that the heuristics choose.
//!
//! A job is the computation of a loop nest without its names. A schedule is the way in which one kernel goes over its
//! loops, and a plan gives a schedule to each step of a job. No file of this room knows the text of a kernel.

pub(super) mod conditions;
pub(super) mod epilogue;
#[cfg(feature = "opencl")]
pub(super) mod estimate;
pub(super) mod job;
pub(super) mod loops;
pub(super) mod parallel;
pub(super) mod parallel_plans;
pub(super) mod prepared;
pub(super) mod rounding;
pub(super) mod schedule;
pub(super) mod steps;
