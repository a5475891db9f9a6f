//! Composite axes (§8): concatenations and products.
//!
//! Both relate the size of a whole to the sizes of its parts. A concatenation `t = a ^ b` lays the parts one behind the
//! other; a product `n = a * b` has a position for each tuple of positions of its factors, the last factor fastest.

use crate::dim::Dim;
use crate::term::DimTerm;

/// The way in which the parts make the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Composition {
    /// One behind the other: the sizes add up.
    Concat,
    /// Each with each: the sizes multiply.
    Product,
}

impl Composition {
    /// Both.
    pub const ALL: [Composition; 2] = [Composition::Concat, Composition::Product];

    /// Returns the sign between the parts.
    pub fn sign(self) -> &'static str {
        match self {
            Composition::Concat => "^",
            Composition::Product => "*",
        }
    }

    /// Returns the sum or the product of sizes; `None` when it is too large for 128 bits.
    pub fn total(self, sizes: impl IntoIterator<Item = u64>) -> Option<u128> {
        let sizes = sizes.into_iter().map(u128::from);
        match self {
            Composition::Concat => sizes.into_iter().try_fold(0, u128::checked_add),
            Composition::Product => sizes.into_iter().try_fold(1, u128::checked_mul),
        }
    }
}

/// A composite axis: its size is the sum or the product of those of its parts. `T` is the representation of an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Composite<T = DimTerm> {
    /// The way in which the size of the whole depends on those of the parts.
    pub composition: Composition,
    /// The composite axis itself.
    pub whole: T,
    /// Its parts, in order. In the notation there are at least two.
    pub parts: Vec<T>,
}

impl<T> Composite<T> {
    /// Returns every axis, from left to right as the notation writes them.
    pub fn axes(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.whole).chain(&self.parts)
    }

    /// Returns the same composite over other axes.
    pub fn map<U>(&self, mut axis: impl FnMut(&T) -> U) -> Composite<U> {
        Composite {
            composition: self.composition,
            whole: axis(&self.whole),
            parts: self.parts.iter().map(axis).collect(),
        }
    }

    /// Tells whether a whole of this size is made of parts of these sizes.
    pub fn fits(&self, whole: u64, parts: impl IntoIterator<Item = u64>) -> bool {
        self.composition.total(parts) == Some(u128::from(whole))
    }
}

impl Composite {
    /// Returns the composite of the values of its terms; `None` when a term has no value.
    pub fn ground(&self, mut value: impl FnMut(&DimTerm) -> Option<Dim>) -> Option<Composite<Dim>> {
        let parts: Option<Vec<Dim>> = self.parts.iter().map(&mut value).collect();
        Some(Composite {
            composition: self.composition,
            whole: value(&self.whole)?,
            parts: parts?,
        })
    }
}

impl Composite<Dim> {
    /// Tells whether it holds of these dimensions: the whole is an atom and its size is the sum or the product of the
    /// sizes of the parts. The parts of a concatenation are atoms of the basis of the whole. Of the factors of a
    /// product only the sizes matter.
    pub fn holds(&self) -> bool {
        let Dim::Atom { size, basis } = &self.whole else {
            return false;
        };
        let of_one_basis =
            |part: &Dim| matches!(part, Dim::Atom { basis: own, .. } if own == basis);
        let bases = match self.composition {
            Composition::Concat => self.parts.iter().all(of_one_basis),
            Composition::Product => true,
        };
        bases && self.fits(size.get(), self.parts.iter().map(Dim::size))
    }
}
