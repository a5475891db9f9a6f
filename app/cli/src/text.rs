//! Texts that were read, and messages at their places.

pub mod places;
pub mod source_view;
