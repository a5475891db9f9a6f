//! The text of kernels in OpenCL C: a template for each kind of schedule, and what the templates are made of.

mod cell;
mod dot;
mod epilogue;
pub(super) mod expression;
mod grid;
pub(super) mod kernel;
mod packed;
pub(super) mod pocl_vector_moves;
pub(super) mod source;
mod spread;
mod staged;
mod sweep;
mod team;
pub(super) mod templates;
pub(super) mod text;
mod ties;
mod tile;
mod turned;
