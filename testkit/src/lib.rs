//! What the checks of several packages are made from: finite universes, generators of constraint sets, smaller sets.
//!
//! Everything here knows the vocabulary alone: Def. 3.4 says what a solution is, and no rule says how to find one. Sharing it
//! between the parties therefore costs none of their independence.

pub mod arithmetic;
pub mod enumeration;
pub mod generate;
pub mod limits;
pub mod minimise;
pub mod page;
pub mod random;
pub mod relation;
pub mod rewriting;
pub mod sampling;
pub mod sets;
pub mod small_sets;
pub mod system;
