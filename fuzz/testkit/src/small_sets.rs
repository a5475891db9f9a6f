//! Random constraint sets, by seed. They are so small that enumeration decides every question about them.

use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, RowTerm, RowVar, notation,
};

use crate::random::Random;

/// The size of random sets.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The most constraints; there is at least one.
    pub constraints: usize,
    /// The most axes that a flank has.
    pub flank: usize,
    /// The number of row variables, at most 4.
    pub row_vars: usize,
    /// The number of dimension variables, at most 4.
    pub dim_vars: usize,
    /// The number of atoms beside the unit.
    pub atoms: usize,
}

impl Size {
    /// The size that most tests use.
    pub const SMALL: Size = Size {
        constraints: 4,
        flank: 2,
        row_vars: 3,
        dim_vars: 3,
        atoms: 3,
    };
}

/// Returns the set number `seed`.
pub fn random_set(seed: u64, size: Size) -> ConstraintSet {
    let mut random = Random::new(seed);
    let count = 1 + random.below(size.constraints);
    (0..count).map(|_| constraint(&mut random, size)).collect()
}

/// Returns any constraint between rows or dimensions.
pub fn constraint(random: &mut Random, size: Size) -> Constraint {
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

/// Returns a random set about periodic rows: rotations of a few words, on rows that other equations connect, with a
/// lower bound on a length.
pub fn rotations(seed: u64) -> ConstraintSet {
    let mut random = Random::new(seed);
    let mut axes = |n: usize| -> Vec<&str> {
        (0..n)
            .map(|_| ["3", "5", "a", "1_"][random.below(4)])
            .collect()
    };
    let words: Vec<Vec<&str>> = [2, 3, 4].map(&mut axes).into();
    let ends = axes(4);
    let mut pick = |n: usize| random.below(n);
    let mut text = String::new();
    for _ in 0..1 + pick(2) {
        let word = &words[pick(3)];
        let mut turned = word.clone();
        turned.rotate_left(pick(word.len()));
        if pick(6) == 0 {
            turned[0] = ends[0];
        }
        let row = ["r", "s"][pick(2)];
        text += &format!(
            "[{} <{row}>] ~ [<{row}> {}]\n",
            word.join(", "),
            turned.join(", ")
        );
    }
    match pick(4) {
        0 => text += &format!("[{} <r>] ~ <s>\n", ends[1]),
        1 => text += &format!("[<s> {}] ~ <r>\n", ends[2]),
        2 => text += &format!("[{} <r>] ~ [<s> {}]\n", ends[1], ends[2]),
        _ => {}
    }
    let long = vec!["1_"; 1 + pick(7)].join(", ");
    match pick(4) {
        0 => text += &format!("<r> <= [{long}]\n"),
        1 => text += &format!("<s> <= [{long} <>]\n"),
        2 => text += &format!("<r> <= [{long} <s>]\n"),
        _ => {}
    }
    let parsed = notation::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    parsed.set
}
