//! A decision procedure for equations of appended shapes and computed dimensions, the constraints of *Axon: A Language
//! for Dynamic Shapes in Deep Learning Graphs* (Collins and Grover). It uses none of the rules that are printed there.
//!
//! ```
//! use lozenge_axon_solver::Solver;
//! use lozenge_axon_vocabulary::{Decide, Set, Simplified};
//!
//! let mut set: Set = "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [6,3,4]".parse().unwrap();
//! let answer = Solver::default().simplify(&mut set.pool, &set.equations);
//! let Simplified::Unsatisfiable { reasons, clash, .. } = answer else { panic!() };
//! assert_eq!((reasons, clash.as_str()), (vec![0, 1], "7 = 6"));
//! ```
//!
//! # What is decided
//!
//! A set is a system of word equations over the axes, whose letters are terms of dimensions; the arithmetic of these
//! terms is global to the set. It is decided in layers:
//!
//! 1. equal ends of two sides are cancelled, a shape that stands alone becomes a value, and so does a dimension with
//!    the coefficient 1; where two equations have a side in common, their other sides are equal;
//! 2. ranks: one linear equation over the naturals for each equation of shapes, together;
//! 3. what is left of word equations: the Nielsen graph with a store of equal letters. It is complete where each name
//!    of a shape stands at most twice in what is left, so for one name on each side of one equation;
//! 4. beyond that: the choices of ranks by their sum, complete where the equations bound all ranks, and a search for
//!    small solutions elsewhere;
//! 5. arithmetic: `lozenge-sizes`, exact but for products and quotients of unbounded unknowns, for which no procedure
//!    exists.
//!
//! Where a limit is reached, the answer is unknown and names it. Every solution is checked by the definition before it
//! is given.

mod arithmetic;
mod bounded;
mod decide;
mod dims;
mod engine;
mod forced;
mod limits;
mod minimise;
mod nielsen;
mod origin;
mod ranks;
mod solver;
mod stop;
mod words;
mod zero;

pub use forced::Forced;
pub use limits::Limits;
pub use solver::Solver;
