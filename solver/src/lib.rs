//! The production solver: shapes of tensor programs by broadcast-aware inference, fast, incremental, explained.
//!
//! A [`Problem`] is a constraint set in interned form; a [`Solver`] answers as the calculus answers, one
//! constraint or a million at a time; a [`Solution`] looks values up; a [`Refusal`] says which constraints cannot
//! hold together, and whether a policy step had a part in it; a [`Story`] tells where a value comes from.

pub mod bench;
mod bounds;
mod closing;
mod complete;
mod components;
mod dims;
mod engine;
mod equality;
mod facts;
mod inequality;
mod inheritance;
mod intake;
mod intervals;
mod leaf_dims;
mod leaf_rows;
mod names;
mod pinned;
mod placement;
#[cfg(not(feature = "planted"))]
mod planted;
#[cfg(feature = "planted")]
pub mod planted;
mod problem;
pub mod project;
mod refusal;
mod rows;
mod solution;
mod solver;
mod story;
mod term;
mod tracked;

pub use complete::Decision;
pub use problem::Problem;
pub use refusal::{Cited, Involved, MINIMISING, PolicyStep, Refusal};
pub use solution::Solution;
pub use solver::{Limits, Options, Solver, Statistics};
pub use story::{Story, StoryStep};
pub use term::{RowId, Term};
