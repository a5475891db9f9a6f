//! Consequences of the constraints (stage 1 of [`state::engine`](crate::state::engine)): no step of it is a choice.

pub(crate) mod assert;
pub(crate) mod deferred_lengths;
pub(crate) mod equality;
pub(crate) mod inequality;
pub(crate) mod names;
pub(crate) mod pinned;
