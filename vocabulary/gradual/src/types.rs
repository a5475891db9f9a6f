//! The types of the gradual tensor calculus (Fig. 1): what is known about the shape of a tensor.

use std::fmt;

/// The knowledge about the size of an axis (`d`, `σ`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Nothing: `Dyn`, written `?`.
    Dyn,
    /// The size (`U`, `D`), a natural number that may be 0.
    Size(u64),
}

/// The knowledge about the shape of a tensor (`t`, `τ`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Nothing, not even the rank: `Dyn`, written `?`.
    Dyn,
    /// A dimension for each axis: `TensorType(d1, …, dn)`, written `[2, ?]`.
    Tensor(Vec<Dimension>),
}

/// The largest size that the notation reads, which is that of PyTorch.
pub const LARGEST_SIZE: u64 = i64::MAX.unsigned_abs();

impl Dimension {
    /// Gives the size, if it is known.
    #[must_use]
    pub fn size(self) -> Option<u64> {
        match self {
            Dimension::Dyn => None,
            Dimension::Size(size) => Some(size),
        }
    }
}

impl Type {
    /// Makes the type of tensors of one shape.
    #[must_use]
    pub fn of_shape(sizes: &[u64]) -> Type {
        Type::Tensor(sizes.iter().copied().map(Dimension::Size).collect())
    }

    /// Gives the dimensions, if the rank is known.
    #[must_use]
    pub fn dimensions(&self) -> Option<&[Dimension]> {
        match self {
            Type::Dyn => None,
            Type::Tensor(dimensions) => Some(dimensions),
        }
    }

    /// Gives the rank, if it is known (Def. 6).
    #[must_use]
    pub fn rank(&self) -> Option<usize> {
        self.dimensions().map(<[Dimension]>::len)
    }

    /// Gives the shape of a static type (`S`, `T`): one without `Dyn`.
    #[must_use]
    pub fn shape(&self) -> Option<Vec<u64>> {
        let dimensions = self.dimensions()?;
        dimensions
            .iter()
            .map(|dimension| dimension.size())
            .collect()
    }

    /// Tells whether the type is static: it has no `Dyn`.
    #[must_use]
    pub fn is_static(&self) -> bool {
        let is_known = |dimension: &Dimension| *dimension != Dimension::Dyn;
        self.dimensions()
            .is_some_and(|dimensions| dimensions.iter().all(is_known))
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dimension::Dyn => f.write_str("?"),
            Dimension::Size(size) => write!(f, "{size}"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Type::Tensor(dimensions) = self else {
            return f.write_str("?");
        };
        f.write_str("[")?;
        for (place, dimension) in dimensions.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{dimension}")?;
        }
        f.write_str("]")
    }
}
