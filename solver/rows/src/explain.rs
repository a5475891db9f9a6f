//! The results of a solve as its users read them: values, their reasons, derivations and refusals.

mod anonymous_rows;
pub(crate) mod derivation;
pub(crate) mod in_runs;
pub(crate) mod known;
pub(crate) mod refusal;
pub(crate) mod residual;
pub(crate) mod solution;
pub(crate) mod solved_form;
pub(crate) mod sorter;
pub(crate) mod values;
