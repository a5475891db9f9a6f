//! Questions about a problem beside its solution: decisions that grow with it, facts that every solution shares, and
//! statements that would let closing go on.

pub(crate) mod decider;
pub(crate) mod entails;
mod proposals;
