//! The calculus of broadcast-aware shape and projection inference, transcribed.
//!
//! A reader holds the formal core beside this crate: numbers in the documentation (Def. 2.3, Prop. 2.7 …) are
//! its numbers. It is slow, total and obvious; the production solver is the crate `lozenge`.

pub mod cause;
pub mod claims;
mod closing;
pub mod configuration;
pub mod constraint;
mod deferred;
pub mod dim;
mod dimension_rules;
pub mod elaboration;
pub mod enumeration;
pub mod literal;
pub mod notation;
pub mod operation;
mod printed_closing;
mod printed_inequality;
pub mod projection_language;
pub mod projection_solver;
pub mod projections;
pub mod rank_graph;
pub mod row;
mod row_equality;
mod row_inequality;
pub mod rule;
pub mod satisfaction;
pub mod solve;
pub mod strategy;
pub mod term;
pub mod trace;
pub mod verdict;

pub use constraint::{Constraint, ConstraintSet, Located, Tag};
pub use dim::{Basis, Dim};
pub use literal::{ClosingOrder, Literal};
pub use row::Row;
pub use rule::{Nature, Rule};
pub use satisfaction::Ground;
pub use solve::{Options, Run, solve};
pub use strategy::Strategy;
pub use term::{DimTerm, DimVar, RowTerm, RowVar, Substitution, Var};
pub use verdict::{Order, Verdict};
