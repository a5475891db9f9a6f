//! Axon: a functional language of tensors whose shapes append, `s@[n]`, and whose dimensions compute, `(+ n 1)`.
//!
//! [`parse()`] reads a text, [`infer()`] finds the types of what it binds, with the equations of shapes that no type of
//! the language says, and [`format()`] lays it out. The language is described in `docs/axon.md`. Whatever has to be
//! decided about shapes is asked through [`Decide`](lozenge_axon_vocabulary::Decide); this package reaches no solver.
//!
//! ```
//! let program = lozenge_axon::parse("double = fn(x) { x + x }").expect("it is a program");
//! assert_eq!(program.functions.len(), 1);
//! ```
//!
//! # The paper
//!
//! *Axon: A Language for Dynamic Shapes in Deep Learning Graphs* (A. Collins, V. Grover) has examples of terms and the
//! syntax of shapes. The grammar of terms, constrained types, rigid names and data are the project's own.

mod format;
mod infer;
mod lower;
mod operator;
mod parse;
pub mod syntax;
mod table;
mod token;
mod values;

/// A byte range of a text, on character boundaries.
pub type Span = std::ops::Range<usize>;

pub use format::format;
pub use infer::{Binding, Check, Inferred, Options, infer};
pub use lower::{
    Lowered, Shown, Stopped, applied, functions, last_function, lower, lower_with, parameters,
};
pub use operator::Signature;
pub use parse::parse;
pub use table::Table;
