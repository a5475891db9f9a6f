//! From the operator graph of a model to a program of the language.
//!
//! [`lower`] takes a graph and the sizes of its inputs, and writes the text of a `.loz` program: a few lines for each
//! node, under a comment that names it. The program is what a user can read, and it goes the way of every other program
//! from here on: inference finds its loops, and a back end runs them. Each line states the shape that this package
//! expects, and inference refuses the program where the two differ, so that nothing here is believed without a check.
//!
//! - All axes of a tensor are output axes, in the order of the model.
//! - Sizes are numbers. A value that a model computes from sizes (a `Shape`, a `Concat` of numbers, the target of a
//!   `Reshape`) is computed here and leaves no line behind.
//! - An axis of size 1 that the model stretches is read at its only position, so that no line broadcasts without saying
//!   so.
//! - Numbers of the file are declared as data without values. [`Lowered::weights`] says which constant of the graph
//!   each of them is, and whoever runs the program reads those.
//!
//! A node whose operator has no such lines is refused. [`Refusal`] names all of them, in the order of the graph, but
//! not the nodes that only depend on one of them.
//!
//! Graphs are those of which *Generalizing Shape Analysis with Gradual Types* (ECOOP 2024) asks; the program is one of
//! the language.

mod attributes;
mod axes;
mod fold;
mod held;
mod lowering;
mod names;
mod operators;
mod refusal;
mod sizes;

pub use lowering::{Input, Lowered, Output, Weight, lower};
pub use refusal::{FreeAxis, Lacking, Refusal};
pub use sizes::Given;
