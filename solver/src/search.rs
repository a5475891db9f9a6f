//! Complete mode: it decides where policy mode chooses.

pub(crate) mod complete;
pub(crate) mod entails;
