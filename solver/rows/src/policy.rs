//! The steps that choose: where markers go, how deferred equations are resolved, and how what is open is closed.

pub(crate) mod bounds;
pub(crate) mod closing;
pub(crate) mod components;
pub(crate) mod inheritance;
pub(crate) mod leaf_chain;
pub(crate) mod leaf_dims;
pub(crate) mod leaf_rows;
pub(crate) mod placement;
pub(crate) mod resolution;
pub(crate) mod unsettled;
