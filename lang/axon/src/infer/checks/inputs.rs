//! The inputs of a function, and where the names of its type stand among them.

use lozenge_axon_vocabulary::{DimVar, ShapeVar, Word};
use rustc_hash::FxHashMap;

use super::size::{Given, Size};

/// The inputs of a function.
pub(super) struct Inputs {
    /// The shape of each, with its path.
    pub(super) words: Vec<(String, Word)>,
    /// The value of a name: the axis that has its size, or what such an axis gives to it.
    pub(super) dims: FxHashMap<DimVar, Size>,
    /// The axes that a name of a shape stands for.
    pub(super) shapes: FxHashMap<ShapeVar, String>,
    /// The axes that give a name its value by a term.
    pub(super) given: FxHashMap<String, Given>,
}
