//! Sizes: windows, concatenations, products and bounds (§8).
//!
//! Each of them is a relation between the sizes of a few axes. It is looked at when something becomes known of one of
//! them. Consequences are concluded by rules that read one constraint each ([`propagate`]): that an axis is an atom, of
//! which basis, and its size where all other sizes are known ([`solve`], [`composites`]). The rest is
//! decided as a whole by linear arithmetic over the integers ([`residue`]), so that a solved form has a solution.
//! Closing binds the sizes that arithmetic forces and refuses those that it does not ([`close`]): no size is guessed.
//!
//! A problem that relates no sizes takes none of these paths.

pub(crate) mod close;
pub(crate) mod composites;
pub(crate) mod elements;
pub(crate) mod messages;
pub(crate) mod propagate;
pub(crate) mod residue;
mod rows_below;
pub(crate) mod solve;
