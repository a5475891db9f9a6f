//! The inputs of a function, and where the names of its type stand among them.

use lozenge_axon_vocabulary::{DimVar, ShapeVar, Word};
use rustc_hash::FxHashMap;

use super::size::Size;

/// The inputs of a function.
pub(super) struct Inputs {
    /// The shape of each, with its path.
    pub(super) words: Vec<(String, Word)>,
    /// The axis that has the size of a name.
    pub(super) dims: FxHashMap<DimVar, Size>,
    /// The axes that a name of a shape stands for.
    pub(super) shapes: FxHashMap<ShapeVar, String>,
}
