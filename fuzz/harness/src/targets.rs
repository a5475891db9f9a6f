//! The comparisons of the targets, one file for each family.

pub mod arithmetic;
pub mod certificates;
pub mod closed_programs;
pub mod closing;
pub mod comparison;
pub mod determined;
pub mod entailment;
pub mod evidence;
pub mod execution;
pub mod gradients;
pub mod greatest;
pub mod incremental;
pub mod language;
pub mod operations;
pub mod order;
pub mod projected_programs;
pub mod projection;
pub mod regions;
pub mod schedules;
pub mod sizes;
pub mod texts;
pub mod uses;
pub mod verdicts;
pub mod window_sizes;
