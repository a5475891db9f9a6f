//! Z3 as a third party about programs of the gradual tensor calculus (*Generalizing Shape Analysis with Gradual Types*,
//! ECOOP 2024).
//!
//! It asks about the **run reading** ([`runs`], [`condition`]): variables range over shapes, and an operation is what
//! PyTorch documents. A question is put for one *rank profile*, a rank for each input, so every shape is a list of
//! integers and nothing about ranks is left to guess. An answer `Never` holds for that profile alone, and for all sizes
//! in it.
//!
//! ```
//! use lozenge_gradual_oracle::{Answer, Limits, runs};
//! use lozenge_gradual_vocabulary::grad;
//!
//! let (program, _) = grad::read("x : ?\nreturn reshape(x, [2, ?])\n").unwrap();
//! let Answer::Holds(inputs) = runs(&program, &[1], Limits::default()) else { panic!() };
//! assert_eq!(inputs["x"][0] % 2, 0);
//! let (program, _) = grad::read("x : [3]\nreturn reshape(x, [2, ?])\n").unwrap();
//! assert_eq!(runs(&program, &[1], Limits::default()), Answer::Never);
//! ```
//!
//! # Formula by formula
//!
//! | operation | it succeeds if | and gives |
//! |---|---|---|
//! | `reshape(e, τ)`, no `?` in τ | the products of both shapes are equal | τ |
//! | `reshape(e, τ)`, one `?` | the product of the others is not 0 and times some natural `u` the product of the shape | τ with `u` |
//! | `reshape(e, τ)`, more | never | |
//! | `conv2d(c, c', (k, l), e)` | rank 4, the second size is `c`, `c' ≥ 1`, `1 ≤ k ≤` the third, `1 ≤ l ≤` the fourth | `[n, c', h-k+1, w-l+1]` |
//! | `add(e, f)` | from the back, two sizes are equal or one is 1 | the one that is not 1, and what only one has |
//! | `if a < b then e else f` | what is observed is there, and the chosen branch succeeds | its shape |
//!
//! It asks about the **typed reading** as well ([`typed`]): whether the constraints of a program have a solution,
//! translated by Appendix E as it is printed and as it is repaired.
//!
//! A shape may depend on a condition, so a value is a list of shapes, each with the formula under which it is the
//! value.

mod answer;
mod run;
mod typed;

pub use answer::{Answer, Limits};
pub use run::{condition, runs, runs_without};
pub use typed::{ModuloZero, Question, Text, Typed, typed};
