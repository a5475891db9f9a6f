//! Complete mode: it decides where policy mode chooses.

pub(crate) mod complete;
