//! The comparisons of the targets, one file for each family.

pub mod closed_programs;
pub mod determined;
pub mod execution;
pub mod language;
pub mod projected_programs;
pub mod uses;
