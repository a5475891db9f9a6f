//! The gradual tensor calculus, transcribed, and what the operators of PyTorch do to shapes.
//!
//! This crate is meant to be read beside Migeed, Reed, Ansel and Palsberg, *Generalizing Shape Analysis with Gradual
//! Types* (ECOOP 2024); the numbers in the documentation are those of that document. It is slow, total and obvious.
//! People use the crate `lozenge-gradual-solver`, which shares no rule with it.
//!
//! | of the paper | where |
//! |---|---|
//! | Fig. 1, the rules; App. C, Algorithms 3 to 6 | [`evaluation`] |
//! | Fig. 2, consistency, precision, matching, contexts; App. B, bounds | [`relations`] |
//! | App. B, `apply-broadcasting`, `calc-conv` | [`printed_functions`] |
//! | Fig. 3 | [`typing`] |
//! | Figs. 11 and 12 | [`static_typing`] |
//! | §4, migrations | [`migration`] |
//! | Figs. 4 and 5, App. E, `φ ⊨ ψ` | [`constraints`] |
//!
//! # Two readings
//!
//! The paper's reading is the *typed* one: variables range over gradual types. It is kept as printed, and as repaired
//! where a claim about it is false. In the *run* reading variables range over shapes, and each operator is a partial
//! function of them, which PyTorch's documentation gives: [`operations`] for the three of the calculus, [`run`] for its
//! programs, and [`shape_functions`] for the operators of models. [`lifting`] is what ties the two: the type rule that
//! accepts what some run accepts.
//!
//! A program that runs for some input has a static migration, and a program that has one is typable. Neither holds the
//! other way around:
//!
//! ```
//! use lozenge_gradual_spec::migration::migrations;
//! use lozenge_gradual_spec::typing::{Reading, REPAIRED};
//! use lozenge_gradual_spec::universe::Universe;
//! use lozenge_gradual_vocabulary::grad::read;
//!
//! let reading = &Reading::ALL[0];
//! let universe = Universe::new(4, [1, 2, 4]);
//! // Each convolution wants another number of channels.
//! let (typable, _) = read("x : [?, ?, ?, ?]\nreturn add(conv2d(2, 1, (1, 1), x), conv2d(4, 1, (1, 1), x))").unwrap();
//! assert!(REPAIRED.accepts(reading, &typable));
//! let found = migrations(&REPAIRED, reading, &universe, &typable);
//! assert!(!found.iter().any(|program| program.declarations[0].annotation.is_static()));
//! ```

pub mod constraints;
pub mod evaluation;
pub mod lifting;
pub mod migration;
pub mod operations;
pub mod printed_functions;
mod products;
pub mod relations;
pub mod run;
pub mod shape_functions;
pub mod static_typing;
pub mod typing;
pub mod universe;
