//! The calculus of broadcast-aware shape and projection inference, transcribed.
//!
//! A reader holds the formal core beside this crate: numbers in the documentation (Def. 2.3, Prop. 2.7 …) are
//! its numbers. It is slow, total and obvious; the production solver is the crate `lozenge-solver`.

pub mod cause;
pub mod closing;
pub mod configuration;
mod deferred;
mod dimension_rules;
pub mod elaboration;
pub mod literal;
mod printed_closing;
mod printed_inequality;
pub mod projection_solver;
pub mod rank_graph;
mod row_equality;
mod row_inequality;
pub mod solve;
pub mod strategy;
pub mod trace;

pub use literal::{ClosingOrder, Literal};
pub use solve::{Options, Run, solve};
pub use strategy::Strategy;
