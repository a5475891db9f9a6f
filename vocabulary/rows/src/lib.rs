//! The words that the parties of lozenge share, and nothing else: no rule, no search, no policy.
//!
//! The transcribed calculus, the production solver and the Z3 oracle answer the same questions without sharing a line
//! of inference code. This crate holds what they do share: the terms in which a question is asked and the words in
//! which it is answered.
//!
//! # The papers
//!
//! Numbers in the documentation (Def. 2.3, Prop. 2.7 …) are those of *The Formal Core of OCANNL's Shape and Projection
//! Inference*, working notes of the [OCANNL project](https://github.com/ahrefs/ocannl). From it are taken dimensions
//! and rows (§§1, 2), terms, constraints and solutions (§3), the names of the rules (§§4, 6, 7) and index maps (§7);
//! windows, concatenations and products belong to the extensions that its §8 leaves open. That a tensor has three rows
//! is of its tutorials, *Broadcasting Is an Order* and *Contraction Is Emergent*, from which the accumulating
//! operations come as well.

pub mod alignment;
mod cited;
pub mod composite;
pub mod constraint;
pub mod counting;
pub mod dim;
pub mod elements;
pub mod flat;
pub mod notation;
mod numbered;
pub mod operation;
pub mod program;
pub mod projection_language;
pub mod projections;
pub mod row;
pub mod rule;
pub mod satisfaction;
pub mod term;
pub mod verdict;
pub mod window;

pub use cited::Cited;
pub use composite::{Composite, Composition};
pub use constraint::{Constraint, ConstraintSet, Located, Tag};
pub use dim::{Basis, Dim};
pub use elements::{Elements, Factor};
pub use flat::Flat;
pub use numbered::NumberedName;
pub use row::Row;
pub use rule::{Nature, Rule};
pub use satisfaction::Ground;
pub use term::{DimTerm, DimVar, RowTerm, RowVar, Substitution, Var};
pub use verdict::{Order, Verdict};
pub use window::{Mode, Window};
