//! The passes over the calls of a recording that are made before kernels are planned: an operation becomes a few that
//! cost less, and one on numbers alone becomes its result.

mod constants;
mod order;
mod pad;
pub(super) mod rewriting;
mod step;
