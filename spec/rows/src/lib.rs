//! The calculus of broadcast-aware shape and projection inference, transcribed.
//!
//! This crate is meant to be read beside *The Formal Core of OCANNL's Shape and Projection Inference*, working notes of
//! the [OCANNL project](https://github.com/ahrefs/ocannl): the numbers in the documentation (Def. 2.3, Prop. 2.7 …) are
//! those of that document. Transcribed are the rules of solving (§4), closing (§6) and projections (§7), and rules for
//! the extensions that its §8 leaves open. The crate is slow, total and obvious; the production solver is the crate
//! `lozenge-solver`.
//!
//! A rule is a function that reads a constraint and returns its conclusion, a [`firing::Firing`]. One function,
//! [`configuration::Configuration::apply`], carries firings out. The calculus is the record of its rules,
//! [`rules::RULES`], and [`solve()`] runs it.
//!
//! Each rule, its definition, and the module in which it is:
//!
//! | definition | rule | where |
//! |---|---|---|
//! | Def. 4.2 | `de_refl` | [`rules::dimensions`] |
//! | Def. 4.2 | `de_clash` | [`rules::dimensions`] |
//! | Def. 4.2 | `de_bind` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_top` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_refl` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_ground` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_pin` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_pin_top` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_cap` | [`rules::dimensions`] |
//! | Def. 4.2 | `di_adj` | [`rules::dimensions`] |
//! | §10, admissible | `di_antisym` | [`rules::dimensions`] |
//! | Def. 4.3(a) | `re_closed` | [`rules::rows`] |
//! | Def. 4.3(b) | `re_open_closed` | [`rules::rows`] |
//! | Def. 4.3(c) | `re_nested` | [`rules::rows`] |
//! | Def. 4.3(c) | `re_split` | [`rules::rows`] |
//! | Def. 4.3(d) | `re_same` | [`rules::rows`] |
//! | Def. 4.3(d) | `re_rotational` | [`rules::rows`] |
//! | Def. 4.3(i) | `ri_cap` | [`rules::rows`] |
//! | Def. 4.3(ii) | `ri_closed_operand` | [`rules::rows`] |
//! | Def. 4.3(iii) | `ri_short` | [`rules::rows`] |
//! | Def. 4.3(iv) | `ri_deficit` | [`rules::rows`] |
//! | Def. 4.5 | `rank_cycle` | [`rank_graph`] |
//! | Def. 4.3(c), (d) | `close_deferred` | [`rules::deferred`] |
//! | Def. 6.1(1) | `close_leaf` | [`rules::closing`] |
//! | Def. 6.1(3) | `close_interior` | [`rules::closing`] |
//! | Def. 7.2 | `p1` | [`elaboration`] |
//! | Def. 7.2 | `p2` | [`elaboration`] |
//! | Def. 7.2 | `p3` | [`elaboration`] |
//! | Def. 7.2 | `p4` | [`elaboration`] |
//! | Def. 7.2 | `p5` | [`elaboration`] |
//! | Def. 7.2 | `p6` | [`elaboration`] |

pub mod bounds;
pub mod cause;
pub mod clash;
pub mod configuration;
pub mod elaboration;
pub mod firing;
pub mod local_solve;
pub mod projection_solver;
pub mod rank_graph;
pub mod records;
pub mod residue;
mod resolution;
pub mod rules;
pub mod sizes;
pub mod solve;
pub mod strategy;
pub mod trace;
mod windows;
pub mod zeros;

pub use rules::{RULES, Rules};
pub use solve::{Options, Run, limit_reached, solve, solve_by};
pub use strategy::Strategy;
