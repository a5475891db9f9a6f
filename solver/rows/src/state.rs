//! State of a solve: classes of dimensions, rows, the reasons of everything, and the order in which a solve proceeds.

pub(crate) mod agenda;
pub(crate) mod dims;
pub(crate) mod engine;
pub(crate) mod expanded;
pub(crate) mod inferences;
pub(crate) mod limits;
pub(crate) mod meter;
pub(crate) mod placements;
pub(crate) mod provenance;
pub(crate) mod rows;
pub(crate) mod sizes;
