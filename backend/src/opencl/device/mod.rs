//! The device that compiles kernels and runs them, its memory, its measurements, and a device that only plans.

mod buffer;
mod cache;
mod compiler;
pub(super) mod discovery;
pub(super) mod engine;
mod foreign;
pub(super) mod last_words;
mod memory;
pub(super) mod patience;
pub(super) mod planner;
mod pocl_declarations;
mod pool;
pub(super) mod probe;
mod recording;
mod timing;
pub(super) mod trial;
pub(super) mod tuning;
mod uses;
