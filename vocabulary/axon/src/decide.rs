//! The interface of a decision procedure: what the elaboration of programs asks, without reaching a solver.

use std::num::NonZeroU64;

use crate::dim::Pool;
use crate::ground::Assignment;
use crate::linear::TooLarge;
use crate::name::{DimId, DimVar, ShapeVar};
use crate::set::Equation;
use crate::word::Word;

/// A decision procedure for sets of equations. Reasons in its answers are indices of the equations that it was given.
pub trait Decide {
    /// Brings equations to a solved part and a residue that together have the same solutions.
    ///
    /// Where two names are equal, the one with the larger number (made later) is replaced.
    fn simplify(&self, pool: &mut Pool, equations: &[Equation]) -> Simplified;

    /// Decides whether a statement holds in every solution of some equations.
    fn entails(&self, pool: &mut Pool, equations: &[Equation], goal: &Goal) -> Conclusion;
}

/// A statement about the solutions of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// An equation holds, its axes or sides being at least 1.
    Holds(Equation),
    /// A term has a value, and it is at least a number.
    AtLeast(DimId, i64),
    /// A term has a value that a number divides.
    Divides(NonZeroU64, DimId),
}

/// The answer to whether a statement holds in every solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It does.
    Yes,
    /// These values satisfy the equations and violate the statement. Names that do not matter may be missing.
    No(Assignment),
    /// The answer is not known, for the named reason.
    Unknown(String),
    /// A constant does not fit 64 bits.
    TooLarge(TooLarge),
}

/// The names that are determined by others. No name on a left side occurs on a right side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Substitution {
    /// Dimensions with their terms in normal form, in the order of their numbers.
    pub dims: Vec<(DimVar, DimId)>,
    /// Shapes with their words, in the order of their numbers.
    pub shapes: Vec<(ShapeVar, Word)>,
}

/// An equation that is left, with the given equations that it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residual {
    /// The equation. No name of the solved part occurs in it.
    pub equation: Equation,
    /// The indices of the given equations that it was derived from, in order.
    pub reasons: Vec<u32>,
}

/// The answer to whether equations have a common solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfiable {
    /// These values are one.
    Yes(Assignment),
    /// The answer is not known, for the named reason.
    Unknown(String),
}

/// Equations, simplified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simplified {
    /// The equations have no common solution.
    Unsatisfiable {
        /// The indices of equations that already have none, in order.
        reasons: Vec<u32>,
        /// The fact that no equation of these can be left out.
        is_minimal: bool,
        /// The last step of the refutation, in words.
        clash: String,
        /// The two sides that are never equal, where the last step has such.
        sides: Option<Equation>,
    },
    /// The equations are equivalent to a solved part and a residue.
    Solved {
        /// The solved part.
        solved: Substitution,
        /// The equations that are left.
        residue: Vec<Residual>,
        /// The terms that have to be at least 1, beside those that the residue mentions.
        positive: Vec<DimId>,
        /// The answer to whether there is a solution.
        satisfiable: Satisfiable,
    },
    /// A constant does not fit 64 bits.
    TooLarge(TooLarge),
}
