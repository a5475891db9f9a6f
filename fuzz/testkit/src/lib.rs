//! Building blocks for the tests of several packages: finite universes, generators of constraint sets, minimisation.
//!
//! The crate depends on the vocabulary only: it knows by Def. 3.4 what a solution is, but no rule for finding one. So
//! the parties stay independent although their tests share it.

pub mod arithmetic;
pub mod conversation;
pub mod enumeration;
pub mod equations;
pub mod generate;
pub mod gradual;
pub mod limits;
pub mod minimise;
pub mod random;
pub mod relation;
pub mod rewriting;
pub mod sampling;
pub mod sets;
pub mod small_sets;
pub mod system;
