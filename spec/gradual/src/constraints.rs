//! Constraints (§4, Appendix E): source constraints that Gen generates, target constraints into which they are
//! translated, and their solutions.

mod generation;
mod solutions;
mod source;
mod target;
mod translation;
mod translation_of_reshape;

pub use generation::generate;
pub use solutions::{Solution, Solutions, solutions};
pub use source::Source;
pub use target::{Dimensions, Factor, Target, TypeVariable};
pub use translation::{PRINTED, REPAIRED, Translation, translate};
