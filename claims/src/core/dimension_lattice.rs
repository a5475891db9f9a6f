//! §1: dimensions and their lattice, by trying all of a few.

use super::orders::{each, letters, seen};
use super::{Effort, Finding};
use lozenge_vocabulary::dim::{Basis, Dim, DimOrBottom};

fn with_bottom() -> Vec<DimOrBottom> {
    letters()
        .into_iter()
        .map(DimOrBottom::Dim)
        .chain([DimOrBottom::Bottom])
        .collect()
}

pub(super) fn def_1_1(_: Effort) -> Finding {
    let bases = ["default", "rgb"].map(Basis::named);
    let atoms = (1..=3).flat_map(|n| bases.iter().filter_map(move |b| Dim::based(n, b.clone())));
    let all: Vec<Dim> = atoms.chain([Dim::Unit]).collect();
    let pairs = all
        .iter()
        .enumerate()
        .flat_map(|(i, a)| all.iter().enumerate().map(move |(j, b)| (i, a, j, b)));
    each(
        "the unit and the atoms of sizes 1 to 3 in two bases".into(),
        pairs,
        |(i, a, j, b)| {
            let distinct = (i == j) == (a == b);
            let atom = a.is_atom() == (**a != Dim::Unit);
            (!(distinct && atom)).then(|| seen(format!("{a} = {b}"), "one dimension in two forms"))
        },
    )
}

pub(super) fn def_1_2(_: Effort) -> Finding {
    let all = with_bottom();
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    each(
        "pairs over 1_, three atoms and the bottom".into(),
        pairs,
        |(a, b)| {
            let top = DimOrBottom::Dim(Dim::Unit);
            let printed = **a == DimOrBottom::Bottom || **b == top || a == b;
            (a.below(b) != printed).then(|| {
                seen(
                    format!("{a:?} {b:?}"),
                    "the code differs from the definition",
                )
            })
        },
    )
}

pub(super) fn prop_1_3(_: Effort) -> Finding {
    let all = with_bottom();
    let triples = all.iter().flat_map(|a| {
        all.iter().flat_map({
            let all = &all;
            move |b| all.iter().map(move |c| (a, b, c))
        })
    });
    each(
        "triples over 1_, three atoms and the bottom".into(),
        triples,
        |(a, b, c)| {
            let (meet, join) = (a.meet(b), a.join(b));
            let bounds = (c.below(a) && c.below(b)) == c.below(&meet)
                && (a.below(c) && b.below(c)) == join.below(c);
            let transitive = !(a.below(b) && b.below(c)) || a.below(c);
            let short = !(a.below(b) && b.below(c) && a != b && b != c)
                || (**a == DimOrBottom::Bottom && **c == DimOrBottom::Dim(Dim::Unit));
            (!(bounds && transitive && short))
                .then(|| seen(format!("{a:?} {b:?} {c:?}"), "not a lattice of height 2"))
        },
    )
}

/// Distributivity fails, and so does, as printed, modularity.
pub(super) fn prop_1_4(_: Effort) -> Finding {
    let all = with_bottom();
    let mut count = 0;
    let (mut distributive, mut modular) = (true, true);
    for a in &all {
        for b in &all {
            for c in &all {
                count += 1;
                distributive &= a.meet(&b.join(c)) == a.meet(b).join(&a.meet(c));
                modular &= !a.below(c) || a.join(&b.meet(c)) == a.join(b).meet(c);
            }
        }
    }
    let witness = (distributive || modular).then(|| seen(
        "1\n2\n3".into(),
        "with the bottom and 1_ these atoms are the lattice M3, in which a ∨ (b ∧ c) = (a ∨ b) ∧ c whenever a ⊑ c: it is modular",
    ));
    Finding::exhaustive(
        "triples over 1_, three atoms and the bottom",
        count,
        witness,
    )
}

pub(super) fn prop_1_4_repaired(_: Effort) -> Finding {
    let all = with_bottom();
    let (mut count, mut distributive, mut witness) = (0, true, None);
    for a in &all {
        for b in &all {
            for c in &all {
                count += 1;
                distributive &= a.meet(&b.join(c)) == a.meet(b).join(&a.meet(c));
                if a.below(c) && a.join(&b.meet(c)) != a.join(b).meet(c) {
                    witness = Some(seen(format!("{a:?} {b:?} {c:?}"), "not modular"));
                }
            }
        }
    }
    if distributive {
        witness = Some(seen("1\n2\n3".into(), "distributive"));
    }
    Finding::exhaustive(
        "triples over 1_, three atoms and the bottom",
        count,
        witness,
    )
}
