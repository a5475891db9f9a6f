//! Random constraint sets, by seed.

use lozenge_testkit::random::Random;
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, DimTerm, DimVar, RowTerm, RowVar};

/// How large random sets are.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub constraints: usize,
    pub flank: usize,
    pub row_vars: usize,
    pub dim_vars: usize,
    pub atoms: usize,
}

impl Size {
    pub const SMALL: Size = Size {
        constraints: 4,
        flank: 2,
        row_vars: 3,
        dim_vars: 3,
        atoms: 3,
    };
}

/// The set number `seed`.
pub(crate) fn random_set(seed: u64, size: Size) -> ConstraintSet {
    let mut random = Random::new(seed);
    let count = 1 + random.below(size.constraints);
    (0..count).map(|_| constraint(&mut random, size)).collect()
}

pub(crate) fn constraint(random: &mut Random, size: Size) -> Constraint {
    let kind = random.below(8);
    if kind < 2 {
        let (a, b) = (dim(random, size), dim(random, size));
        return match kind {
            0 => Constraint::DimEq(a, b),
            _ => Constraint::DimLe(a, b),
        };
    }
    let (a, b) = (row(random, size), row(random, size));
    match kind {
        2..=4 => Constraint::RowEq(a, b),
        _ => Constraint::RowLe(a, b),
    }
}

fn dim(random: &mut Random, size: Size) -> DimTerm {
    let pick = random.below(size.dim_vars + size.atoms + 1);
    if pick == 0 {
        return Dim::Unit.into();
    }
    if pick <= size.atoms {
        return Dim::new(2 + pick as u64).expect("positive").into();
    }
    let names = ["a", "b", "c", "d"];
    DimVar::new(names[pick - size.atoms - 1]).into()
}

fn row(random: &mut Random, size: Size) -> RowTerm {
    let (front, back) = (random.below(size.flank + 1), random.below(size.flank + 1));
    let leading = (0..front).map(|_| dim(random, size)).collect();
    let trailing = (0..back).map(|_| dim(random, size)).collect();
    let pick = random.below(size.row_vars + 2);
    if pick < 2 {
        return RowTerm::closed(leading, trailing);
    }
    let names = ["r", "s", "t", "u"];
    RowTerm::open(leading, RowVar::new(names[pick - 2]), trailing)
}
