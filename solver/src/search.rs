//! Complete mode: it decides by branching where policy mode chooses.

pub(crate) mod complete;
pub(crate) mod intervals;
