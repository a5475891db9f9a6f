//! The comparisons of the targets, one file for each family.

pub mod certificates;
pub mod closing;
pub mod comparison;
pub mod entailment;
pub mod evidence;
pub mod greatest;
pub mod incremental;
pub mod order;
pub mod related_sizes;
pub mod verdicts;
pub mod window_sizes;
