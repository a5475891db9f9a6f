//! Target constraints (Fig. 4).

use lozenge_gradual_vocabulary::ExpressionId;

/// A variable for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeVariable {
    /// The variable of a declaration, by its place: X.
    Declared(usize),
    /// `[[e]]` of an occurrence: Y.
    Of(ExpressionId),
    /// `⟨e1⟩` of an occurrence of `add`, which is the occurrence that is named: Z.
    Left(ExpressionId),
    /// `⟨e2⟩`.
    Right(ExpressionId),
}

/// A variable for a dimension, by its number: V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DimensionVariable(pub(crate) usize);

/// The source of variables for dimensions that were not used before.
#[derive(Clone, Debug, Default)]
pub struct Dimensions(usize);

impl Dimensions {
    /// Makes a variable.
    pub fn fresh(&mut self) -> DimensionVariable {
        self.0 += 1;
        DimensionVariable(self.0 - 1)
    }

    /// Makes this many variables.
    pub fn several(&mut self, count: usize) -> Vec<DimensionVariable> {
        (0..count).map(|_| self.fresh()).collect()
    }

    /// Returns the number of variables.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0
    }
}

/// A factor of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    /// A number of the program.
    Number(u64),
    /// A dimension.
    Dimension(DimensionVariable),
}

/// A target constraint ψ. The forms are those of Fig. 4; conjunctions and disjunctions have any number of parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// All of them hold: `True` if there are none.
    And(Vec<Target>),
    /// One of them holds.
    Or(Vec<Target>),
    /// `v = TensorType(ζ1, …, ζn)`
    IsTensor(TypeVariable, Vec<DimensionVariable>),
    /// `v = Dyn`
    IsDyn(TypeVariable),
    /// `v = v'`
    Same(TypeVariable, TypeVariable),
    /// `ζ = n`
    Number(DimensionVariable, u64),
    /// `ζ = Dyn`
    Unknown(DimensionVariable),
    /// `¬ (ζ = Dyn)`
    Known(DimensionVariable),
    /// `¬ (ζ = n)`
    NotNumber(DimensionVariable, u64),
    /// `ζ = ζ'`
    Equal(DimensionVariable, DimensionVariable),
    /// `ζ = ζ' · n + n'`
    Affine {
        /// ζ
        result: DimensionVariable,
        /// ζ'
        of: DimensionVariable,
        /// n
        times: i128,
        /// n'
        plus: i128,
    },
    /// `∏ ζ mod ∏ ζ' = 0`
    Divides {
        /// The product that is divided.
        product: Vec<Factor>,
        /// The product by which it is divided.
        by: Vec<Factor>,
    },
    /// `∏ ζ = ∏ ζ'`, which Fig. 4 lacks and the repaired constraints of `reshape` need.
    SameProduct(Vec<Factor>, Vec<Factor>),
}
