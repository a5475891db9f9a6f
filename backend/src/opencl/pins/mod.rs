//! Plans as text, and pins: plans that a person gives in a file, in place of those that the heuristics choose.

mod function_text;
pub(super) mod line;
pub(super) mod pinned;
pub(super) mod plan_reading;
pub(super) mod plan_text;
pub(super) mod planning;
mod schedule_reading;
mod words;
