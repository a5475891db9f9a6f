//! What projection inference yields: a product space and an index map for each tensor (Defs. 7.3 and 7.5).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The index of one axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Index {
    /// The variable of a factor of the product space, by its number.
    Iter(usize),
    /// A constant position.
    Fix(u64),
    /// A symbol supplied from outside, by name: an argument of the kernel.
    Symbol(Arc<str>),
}

/// The index map π of one tensor: an index for each of its axes, in the order in which they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct IndexMap(pub Vec<Index>);

impl IndexMap {
    /// Whether the map mentions a factor.
    pub fn mentions(&self, factor: usize) -> bool {
        self.0.contains(&Index::Iter(factor))
    }
}

/// The loop nest of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Projections {
    /// The sizes of the factors of the product space, each above 1, outermost first.
    pub factors: Vec<u64>,
    /// The index map of each slot; slot 0 is the left-hand side.
    pub maps: Vec<IndexMap>,
    /// The sizes of the axes of each slot, beside its map.
    pub sizes: Vec<Vec<u64>>,
}

impl Projections {
    /// The factors that the left-hand side does not mention (Def. 7.5).
    pub fn reduction_axes(&self) -> Vec<usize> {
        (0..self.factors.len())
            .filter(|factor| !self.maps[0].mentions(*factor))
            .collect()
    }

    /// Whether two points never write the same cell (Prop. 7.6(i)).
    pub fn is_injective(&self) -> bool {
        self.reduction_axes().is_empty()
    }

    /// Whether every cell is written (Prop. 7.6(ii)): each axis longer than 1 is iterated, no two by one variable.
    /// An iterated axis is as long as its factor: one class, one size (Thm. 7.4).
    pub fn is_surjective(&self) -> bool {
        let mut seen = BTreeSet::new();
        self.maps[0]
            .0
            .iter()
            .zip(&self.sizes[0])
            .all(|(index, size)| match index {
                Index::Iter(factor) => *size == 1 || seen.insert(*factor),
                Index::Fix(_) | Index::Symbol(_) => *size == 1,
            })
    }

    /// The same loop nest with the slots in another order: a gradient's, `slots[i]` being the slot that comes to be `i`.
    pub fn permuted(&self, slots: &[usize]) -> Projections {
        Projections {
            factors: self.factors.clone(),
            maps: slots.iter().map(|slot| self.maps[*slot].clone()).collect(),
            sizes: slots.iter().map(|slot| self.sizes[*slot].clone()).collect(),
        }
    }
}
