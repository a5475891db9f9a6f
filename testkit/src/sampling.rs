//! Random constraint sets, each from its own number, so that any machine and any number of threads tries the same ones.

use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::{Basis, Dim};
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar};

/// SplitMix64.
pub struct Numbers(u64);

impl Numbers {
    /// The numbers that belong to an index.
    pub fn new(index: u64) -> Numbers {
        Numbers(index.wrapping_mul(0xd129_0a71_42b8_83d5) ^ 0x5eed)
    }

    /// A number below the bound, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// What a random set is made of.
pub struct Shape {
    /// At least and at most how many constraints.
    pub constraints: (usize, usize),
    /// The longest flank.
    pub flank: usize,
    /// How many row variables.
    pub row_vars: usize,
    /// How many dimension variables.
    pub dim_vars: usize,
}

/// Sets of 2 to 4 constraints, 3 row variables, 3 dimension variables, flanks up to 2, atoms of two sizes and two bases.
pub const LARGER: Shape = Shape {
    constraints: (2, 4),
    flank: 2,
    row_vars: 3,
    dim_vars: 3,
};

/// The set with this number.
pub fn set(shape: &Shape, index: u64) -> ConstraintSet {
    let mut numbers = Numbers::new(index);
    let (least, most) = shape.constraints;
    let count = least + numbers.below(most - least + 1);
    (0..count)
        .map(|_| constraint(shape, &mut numbers))
        .collect()
}

fn constraint(shape: &Shape, numbers: &mut Numbers) -> Constraint {
    match numbers.below(9) {
        0 => Constraint::DimEq(dim(shape, numbers), dim(shape, numbers)),
        1 | 2 => Constraint::DimLe(dim(shape, numbers), dim(shape, numbers)),
        3..=5 => Constraint::RowEq(row(shape, numbers), row(shape, numbers)),
        _ => Constraint::RowLe(row(shape, numbers), row(shape, numbers)),
    }
}

fn row(shape: &Shape, numbers: &mut Numbers) -> RowTerm {
    let names = &["r", "s", "t"][..shape.row_vars];
    let var = (numbers.below(4) > 0).then(|| RowVar::new(numbers.pick::<&str>(names)));
    let mut flank = || -> Vec<DimTerm> {
        // Short flanks are more frequent: long ones clash at once.
        let length = numbers
            .below(shape.flank + 1)
            .min(numbers.below(shape.flank + 2));
        (0..length).map(|_| dim(shape, numbers)).collect()
    };
    let (leading, trailing) = (flank(), flank());
    RowTerm {
        leading,
        var,
        trailing,
    }
}

fn dim(shape: &Shape, numbers: &mut Numbers) -> DimTerm {
    let names = &["a", "b", "c"][..shape.dim_vars];
    if !names.is_empty() && numbers.below(5) < 2 {
        return DimTerm::Var(DimVar::new(numbers.pick::<&str>(names)));
    }
    let based = |size, basis: &str| Dim::based(size, Basis::named(basis)).unwrap_or(Dim::Unit);
    DimTerm::Const(match numbers.below(7) {
        0 | 1 => Dim::Unit,
        2 | 3 => based(3, "default"),
        4 | 5 => based(5, "default"),
        _ => based(3, "rgb"),
    })
}
