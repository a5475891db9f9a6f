//! The claims tables: every numbered statement of a document, as printed, with executable evidence for or against it.
//!
//! [`machinery`] is independent of any document: it decides claims, keeps results, and renders tables, pages and
//! errata. To it a document is data: [`formal_core`] is *The Formal Core of OCANNL's Shape and Projection Inference*,
//! working notes of the [OCANNL project](https://github.com/ahrefs/ocannl), whose every numbered statement is an entry,
//! [`gradual`] is *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024), [`axon`] is *Axon: A Language for
//! Dynamic Shapes in Deep Learning Graphs*, and [`deciding`] and [`gradients`] are what the project itself states of
//! complete mode and of backward programs.
//! [`Coverage`] shows that the committed cases reach every rule and premise of the calculus; the [`premises`] are
//! derived from the rules.

pub mod axon;
mod conditions;
mod coverage;
pub mod deciding;
pub mod formal_core;
pub mod gradients;
pub mod gradual;
pub mod machinery;
pub mod premises;
pub mod printed;
mod situations;
pub mod sized_sets;
mod symbolic;

pub use coverage::{Coverage, coverage};
