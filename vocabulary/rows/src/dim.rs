//! §1: dimensions and the broadcast order.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

/// A basis tag: what an axis means. `Default` is the tag of an axis that was written as a bare size (Def. 1.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Basis {
    /// The distinguished tag `default`.
    #[default]
    Default,
    /// Any other tag. Never holds the text `default`: build with [`Basis::named`].
    Named(Arc<str>),
}

impl Basis {
    /// Returns the tag with this name; `default` is the name of the distinguished tag.
    pub fn named(name: &str) -> Basis {
        if name == "default" {
            Basis::Default
        } else {
            Basis::Named(name.into())
        }
    }

    /// Returns the name of the tag.
    pub fn name(&self) -> &str {
        match self {
            Basis::Default => "default",
            Basis::Named(name) => name,
        }
    }
}

/// A dimension (Def. 1.1): an atom `n_b`, or the claim-free unit.
///
/// The derived `Ord` is only a canonical order for sets and maps; the broadcast order is [`Dim::below`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim {
    /// The claim-free unit `1∅`, written `1_`: the top of the order. Its size is 1.
    Unit,
    /// An atom: a size with a basis.
    Atom {
        /// The number of positions along the axis.
        size: NonZeroU64,
        /// The meaning of the axis.
        basis: Basis,
    },
}

impl Dim {
    /// Returns the atom `size_default`; `None` for size 0.
    pub fn new(size: u64) -> Option<Dim> {
        Dim::based(size, Basis::Default)
    }

    /// Returns the atom `size_basis`; `None` for size 0.
    pub fn based(size: u64, basis: Basis) -> Option<Dim> {
        NonZeroU64::new(size).map(|size| Dim::Atom { size, basis })
    }

    /// Returns the number of positions of the axis; the unit has one.
    pub fn size(&self) -> u64 {
        match self {
            Dim::Unit => 1,
            Dim::Atom { size, .. } => size.get(),
        }
    }

    /// Tells whether this is an atom.
    pub fn is_atom(&self) -> bool {
        matches!(self, Dim::Atom { .. })
    }

    /// Tells whether `self ⊑ other` in the broadcast order (Def. 1.2): the unit is on top, atoms are an antichain.
    pub fn below(&self, other: &Dim) -> bool {
        *other == Dim::Unit || self == other
    }

    /// Returns the join in D (Prop. 1.3): two distinct dimensions join at the unit.
    pub fn join(&self, other: &Dim) -> Dim {
        if self == other {
            self.clone()
        } else {
            Dim::Unit
        }
    }
}

/// An element of `D⊥` (Def. 1.1): a dimension, or the adjoined bottom.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DimOrBottom {
    /// The bottom: below every dimension, and no dimension itself.
    Bottom,
    /// A dimension.
    Dim(Dim),
}

impl DimOrBottom {
    /// Tells whether `self` is below `other` by Def. 1.2 extended to `D⊥`.
    pub fn below(&self, other: &DimOrBottom) -> bool {
        match (self, other) {
            (DimOrBottom::Bottom, _) => true,
            (DimOrBottom::Dim(_), DimOrBottom::Bottom) => false,
            (DimOrBottom::Dim(a), DimOrBottom::Dim(b)) => a.below(b),
        }
    }

    /// Returns the greatest lower bound, by the table of Prop. 1.3.
    pub fn meet(&self, other: &DimOrBottom) -> DimOrBottom {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (DimOrBottom::Dim(Dim::Unit), d) | (d, DimOrBottom::Dim(Dim::Unit)) => d.clone(),
            _ => DimOrBottom::Bottom,
        }
    }

    /// Returns the least upper bound, by the table of Prop. 1.3.
    pub fn join(&self, other: &DimOrBottom) -> DimOrBottom {
        match (self, other) {
            (DimOrBottom::Bottom, d) | (d, DimOrBottom::Bottom) => d.clone(),
            (DimOrBottom::Dim(a), DimOrBottom::Dim(b)) => DimOrBottom::Dim(a.join(b)),
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Unit => f.write_str("1_"),
            Dim::Atom {
                size,
                basis: Basis::Default,
            } => write!(f, "{size}"),
            Dim::Atom {
                size,
                basis: Basis::Named(name),
            } => write!(f, "{size}_{name}"),
        }
    }
}
