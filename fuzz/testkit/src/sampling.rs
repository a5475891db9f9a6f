//! Random constraint sets, each generated from its number, so that every machine and any number of threads try the same
//! ones.

use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar};

use crate::random::Random;

/// Parameters of a random set.
pub struct Shape {
    /// The least and the largest number of constraints.
    pub constraints: (usize, usize),
    /// The longest flank.
    pub flank: usize,
    /// The number of row variables.
    pub row_vars: usize,
    /// The number of dimension variables.
    pub dim_vars: usize,
}

/// Sets of 2 to 4 constraints, 3 row variables, 3 dimension variables, flanks up to 2, atoms of two sizes and two
/// bases.
pub const LARGER: Shape = Shape {
    constraints: (2, 4),
    flank: 2,
    row_vars: 3,
    dim_vars: 3,
};

/// Returns the set with this number.
pub fn set(shape: &Shape, index: u64) -> ConstraintSet {
    let mut random = Random::indexed(index);
    let (least, most) = shape.constraints;
    let count = least + random.below(most - least + 1);
    (0..count).map(|_| constraint(shape, &mut random)).collect()
}

fn constraint(shape: &Shape, random: &mut Random) -> Constraint {
    match random.below(9) {
        0 => Constraint::DimEq(dim(shape, random), dim(shape, random)),
        1 | 2 => Constraint::DimLe(dim(shape, random), dim(shape, random)),
        3..=5 => Constraint::RowEq(row(shape, random), row(shape, random)),
        _ => Constraint::RowLe(row(shape, random), row(shape, random)),
    }
}

fn row(shape: &Shape, random: &mut Random) -> RowTerm {
    let names = &["r", "s", "t"][..shape.row_vars];
    let var = (random.below(4) > 0).then(|| RowVar::new(random.pick::<&str>(names)));
    let mut flank = || -> Vec<DimTerm> {
        // Short flanks are more frequent: long ones clash at once.
        let length = random
            .below(shape.flank + 1)
            .min(random.below(shape.flank + 2));
        (0..length).map(|_| dim(shape, random)).collect()
    };
    let (leading, trailing) = (flank(), flank());
    RowTerm {
        leading,
        var,
        trailing,
    }
}

fn dim(shape: &Shape, random: &mut Random) -> DimTerm {
    let names = &["a", "b", "c"][..shape.dim_vars];
    if !names.is_empty() && random.below(5) < 2 {
        return DimTerm::Var(DimVar::new(random.pick::<&str>(names)));
    }
    let based = |size, basis: &str| Dim::based(size, Basis::named(basis)).unwrap_or(Dim::Unit);
    DimTerm::Const(match random.below(7) {
        0 | 1 => Dim::Unit,
        2 | 3 => based(3, "default"),
        4 | 5 => based(5, "default"),
        _ => based(3, "rgb"),
    })
}
