//! The calculus of broadcast-aware shape and projection inference, transcribed.
//!
//! A reader holds the formal core beside this crate: numbers in the documentation (Def. 2.3, Prop. 2.7 …) are
//! its numbers. It is slow, total and obvious; the production solver is the crate `lozenge-solver`.
//!
//! A rule is a function: it reads a constraint and returns what it concludes, a [`firing::Firing`]. One function,
//! [`configuration::Configuration::apply`], carries that out. The calculus is the record of its rules,
//! [`rules::RULES`]; [`solve()`] runs it.
//!
//! The definitions and where they are:
//!
//! TABLE
pub mod bounds;
pub mod cause;
pub mod clash;
pub mod configuration;
pub mod elaboration;
pub mod firing;
pub mod projection_solver;
pub mod rank_graph;
pub mod rules;
pub mod solve;
pub mod strategy;
pub mod trace;

pub use rules::{RULES, Rules};
pub use solve::{Options, Run, solve, solve_by};
pub use strategy::Strategy;
