//! The result of projection inference: a product space and an index map for each tensor (Defs. 7.3 and 7.5).

mod affine;
pub mod collision;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use affine::Affine;
use collision::{Collision, collision};

/// The index of one axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Index {
    /// The loop variable of a factor of the product space, by the factor's number.
    Iter(usize),
    /// A constant position.
    Fix(u64),
    /// A symbol supplied from outside, by name: an argument of the kernel.
    Symbol(Arc<str>),
    /// A sum of variables of factors, as a window gives it.
    Affine(Affine),
}

/// The index map π of one tensor: an index for each of its axes, in the order in which they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IndexMap(pub Vec<Index>);

impl IndexMap {
    /// Tells whether the map mentions a factor.
    pub fn mentions(&self, factor: usize) -> bool {
        self.0.iter().any(|index| index.mentions(factor))
    }
}

/// The loop nest of one operation. A factor that an index mentions and that is not in the list counts as one of size 1,
/// at position 0.
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
    /// Returns the factors that the left-hand side does not mention (Def. 7.5).
    pub fn reduction_axes(&self) -> Vec<usize> {
        let written = self.maps.first();
        let mentioned = |factor: &usize| written.is_some_and(|map| map.mentions(*factor));
        (0..self.factors.len())
            .filter(|factor| !mentioned(factor))
            .collect()
    }

    /// Tells whether two points never write the same cell (Prop. 7.6(i), repaired for affine indices, where it does not
    /// suffice to look at the factors that are mentioned). Also false if that was not decided within a budget.
    pub fn is_injective(&self) -> bool {
        self.reduction_axes().is_empty() && !self.overlaps()
    }

    /// Tells whether two points that differ in a factor that the left-hand side mentions may write the same cell. Only
    /// affine indices can make that happen.
    pub fn overlaps(&self) -> bool {
        let indices = self.maps.first().map_or(&[][..], |map| &map.0);
        let is_affine = |index: &Index| matches!(index, Index::Affine(_));
        if !indices.iter().any(is_affine) {
            return false;
        }
        let sums: Vec<Vec<(u64, usize)>> = indices.iter().map(Index::terms).collect();
        let mut sizes = self.factors.clone();
        for factor in self.reduction_axes() {
            sizes[factor] = 1;
        }
        collision(&sums, &sizes) != Collision::None
    }

    /// Tells whether every cell of the written tensor is the image of a point (Prop. 7.6(ii)): each axis longer than 1
    /// is iterated or has an affine index that covers it, and no two axes share a variable. An iterated axis is as long
    /// as its factor, because a class has one size (Thm. 7.4). The answer may be false although every cell is written,
    /// where the values of an index have gaps that all lie outside the axis.
    pub fn is_surjective(&self) -> bool {
        let mut seen = vec![false; self.factors.len()];
        let mut fresh = |factor: usize| {
            let seen = seen.get_mut(factor);
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        let (Some(map), Some(sizes)) = (self.maps.first(), self.sizes.first()) else {
            return false;
        };
        map.0.iter().zip(sizes).all(|(index, size)| match index {
            Index::Iter(factor) => *size == 1 || fresh(*factor),
            Index::Fix(_) | Index::Symbol(_) => *size == 1,
            Index::Affine(affine) => {
                let alone = affine.terms.iter().all(|(_, factor)| fresh(*factor));
                alone && self.covers(affine, *size)
            }
        })
    }

    /// Tells whether an affine index covers a whole axis. With coefficients in ascending order, its values are an
    /// interval exactly when the first coefficient is 1 and each is at most 1 more than the largest sum that those
    /// before it can reach.
    fn covers(&self, affine: &Affine, size: u64) -> bool {
        let (least, most) = affine.range(&self.factors);
        let mut terms = affine.terms.clone();
        terms.sort_unstable();
        let mut reach = 0u128;
        let interval = terms.iter().all(|(coefficient, factor)| {
            let coefficient = u128::from(*coefficient);
            let joined = coefficient <= reach.saturating_add(1);
            let size = self.factors.get(*factor).copied().unwrap_or(1);
            let steps = u128::from(size.saturating_sub(1));
            reach = reach.saturating_add(coefficient.saturating_mul(steps));
            joined
        });
        interval && least <= 0 && most >= i128::from(size) - 1
    }

    /// Returns the axes of a slot whose index is out of range at some point. Such a point is skipped: nothing is read
    /// or written. A slot that does not exist has no axes.
    pub fn guarded(&self, slot: usize) -> Vec<usize> {
        let (Some(map), Some(sizes)) = (self.maps.get(slot), self.sizes.get(slot)) else {
            return Vec::new();
        };
        let axes = map.0.iter().zip(sizes);
        let guarded = axes
            .enumerate()
            .filter(|(_, (index, size))| index.leaves(**size, &self.factors));
        guarded.map(|(axis, _)| axis).collect()
    }

    /// Returns the same loop nest with the slots in another order, as a gradient needs it: slot `slots[i]` becomes slot
    /// `i`. `None` if one of them does not exist.
    pub fn permuted(&self, slots: &[usize]) -> Option<Projections> {
        let maps = slots.iter().map(|slot| self.maps.get(*slot).cloned());
        let sizes = slots.iter().map(|slot| self.sizes.get(*slot).cloned());
        Some(Projections {
            factors: self.factors.clone(),
            maps: maps.collect::<Option<_>>()?,
            sizes: sizes.collect::<Option<_>>()?,
        })
    }
}
