//! Words about shapes that are appended and dimensions that are computed, and no rule: the constraint language of
//! *Axon: A Language for Dynamic Shapes in Deep Learning Graphs* (Collins and Grover), with its notation and the
//! definition of when values satisfy it.
//!
//! ```
//! use lozenge_axon_vocabulary::{Assignment, Set};
//!
//! let set: Set = "s@[d1,d2] = [7,2,3]\nh = (- d2 1)".parse().unwrap();
//! let values = Assignment::default()
//!     .with_shape(&set.pool, "s", [7])
//!     .with_dim(&set.pool, "d1", 2)
//!     .with_dim(&set.pool, "d2", 3)
//!     .with_dim(&set.pool, "h", 2);
//! assert_eq!(values.satisfies(&set.pool, &set.equations), Ok(true));
//! assert_eq!(set.to_string(), "s@[d1,d2] = [7,2,3]\nh = (- d2 1)\n");
//! ```
//!
//! # What a set means
//!
//! A *dimension* is an integer that is at least 1, and a *shape* is a finite sequence of dimensions; the leftmost is
//! the outermost. Names of dimensions stand for dimensions and names of shapes for shapes. A term of dimensions is
//! evaluated over all integers, `/` rounds down, and division by 0 has no value. An assignment satisfies an equation if
//! both sides have the same value, where each axis of a shape and each side of an equation of dimensions is a
//! dimension, thus at least 1. A part of a term may be 0 or negative.
//!
//! A ragged dimension `*` is a size that varies across other axes. It is no integer; [`Pool::ragged`] gives each its
//! identity.
//!
//! # Representation
//!
//! Terms are nodes of a [`Pool`], each once, so that `(+ e e)` nested sixty times is sixty nodes. No operation is
//! recursive.

mod decide;
mod dim;
mod ground;
mod linear;
mod name;
mod normal;
mod notation;
mod set;
mod word;

pub use decide::{Conclusion, Decide, Goal, Residual, Satisfiable, Simplified, Substitution};
pub use dim::{DimNode, Pool, SortClash};
pub use ground::{Assignment, Undecided};
pub use linear::{Atom, Linear, TooLarge};
pub use name::{DimId, DimVar, Op, ShapeVar, Variable};
pub use notation::ShapesError;
pub use set::{Equation, Set};
pub use word::{Piece, Word};
