//! §1: dimensions and their lattice, by enumeration of a few dimensions and by Z3 for all of them.

use crate::formal_core::case::Case;
use crate::formal_core::enumeration::{axes, each};
use crate::machinery::Check::{Proof, Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use crate::symbolic::prover::{Dim as AnyDim, Prover};
use lozenge_vocabulary::dim::{Basis, Dim, DimOrBottom};
use z3::ast::Bool;

/// The claims of §1.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 1.1",
        "D = {1∅} ∪ {n_b | n ≥ 1, b ∈ B} with a distinguished tag default; n_b are atoms, 1∅ is the claim-free unit; a fresh ⊥ is adjoined.",
        &[Search(def_1_1)],
    ),
    Claim::new(
        "Def. 1.2",
        "d₁ ⊑ d₂ iff d₂ = 1∅ or d₁ = d₂; ⊥ ⊑ d for all d.",
        &[Search(def_1_2)],
    ),
    Claim::new(
        "Prop. 1.3",
        "(D⊥, ⊑) is a bounded lattice of height 2: top 1∅, bottom ⊥, the atoms an antichain, each covering ⊥ and covered by 1∅; meets and joins as displayed.",
        &[Theorem(&["Dim.below_order", "Dim.below_bounded", "Dim.atoms_between", "Dim.height_two", "Dim.meet_glb", "Dim.joined_lub"]), Proof(lattice), Search(prop_1_3)],
    ),
    Claim::new(
        "Prop. 1.4",
        "If D contains at least three atoms (always), then D⊥ is not distributive, and not modular.",
        &[Search(prop_1_4)],
    )
    .repaired(
        "D⊥ is not distributive once D has three atoms; it is modular.",
        &[Theorem(&["Dim.modular", "Dim.not_distributive"]), Proof(modular), Search(prop_1_4_repaired)],
    ),
];

fn with_bottom() -> Vec<DimOrBottom> {
    axes()
        .into_iter()
        .map(DimOrBottom::Dim)
        .chain([DimOrBottom::Bottom])
        .collect()
}

fn def_1_1(_: Effort) -> Finding {
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
            (!(distinct && atom))
                .then(|| Witness::new(format!("{a} = {b}"), "one dimension in two forms"))
        },
    )
}

fn def_1_2(_: Effort) -> Finding {
    let all = with_bottom();
    let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (a, b)));
    each(
        "pairs over 1_, three atoms and the bottom".into(),
        pairs,
        |(a, b)| {
            let top = DimOrBottom::Dim(Dim::Unit);
            let printed = **a == DimOrBottom::Bottom || **b == top || a == b;
            (a.below(b) != printed).then(|| {
                Witness::new(
                    format!("{a:?} {b:?}"),
                    "the code differs from the definition",
                )
            })
        },
    )
}

fn prop_1_3(_: Effort) -> Finding {
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
                .then(|| Witness::new(format!("{a:?} {b:?} {c:?}"), "not a lattice of height 2"))
        },
    )
}

/// Checks that distributivity fails, and so does, as printed, modularity.
fn prop_1_4(_: Effort) -> Finding {
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
    let witness = (distributive || modular).then(|| Witness::new(
        "1\n2\n3",
        "with the bottom and 1_ these atoms are the lattice M3, in which a ∨ (b ∧ c) = (a ∨ b) ∧ c whenever a ⊑ c: it is modular",
    ));
    Finding::exhaustive(
        "triples over 1_, three atoms and the bottom",
        count,
        witness,
    )
}

fn prop_1_4_repaired(_: Effort) -> Finding {
    let all = with_bottom();
    let (mut count, mut distributive, mut witness) = (0, true, None);
    for a in &all {
        for b in &all {
            for c in &all {
                count += 1;
                distributive &= a.meet(&b.join(c)) == a.meet(b).join(&a.meet(c));
                if a.below(c) && a.join(&b.meet(c)) != a.join(b).meet(c) {
                    witness = Some(Witness::new(format!("{a:?} {b:?} {c:?}"), "not modular"));
                }
            }
        }
    }
    if distributive {
        witness = Some(Witness::new("1\n2\n3", "distributive"));
    }
    Finding::exhaustive(
        "triples over 1_, three atoms and the bottom",
        count,
        witness,
    )
}

/// States `a ∧ b ⊒ c` for a dimension `c`, stated without the bottom: `c` is below both.
fn below_both(c: &AnyDim, a: &AnyDim, b: &AnyDim) -> Bool {
    Bool::and(&[c.below(a), c.below(b)])
}

fn lattice(_: Effort) -> Finding {
    let [a, b, c] = ["a", "b", "c"].map(AnyDim::any);
    let formed: Vec<Bool> = [&a, &b, &c].map(AnyDim::well_formed).to_vec();
    let mut prover = Prover::new();
    let join = a.join(&b);
    let goals = [
        ("reflexive", a.below(&a)),
        (
            "antisymmetric",
            Bool::and(&[a.below(&b), b.below(&a)]).implies(a.equals(&b)),
        ),
        (
            "transitive",
            Bool::and(&[a.below(&b), b.below(&c)]).implies(a.below(&c)),
        ),
        ("top", a.below(&AnyDim::unit())),
        (
            "an antichain of atoms",
            Bool::and(&[a.below(&b), b.is_unit().not()]).implies(a.equals(&b)),
        ),
        (
            "join",
            Bool::and(&[a.below(&c), b.below(&c)]).iff(join.below(&c)),
        ),
        // Only the bottom is below two distinct atoms; otherwise the meet is the lower of the two.
        (
            "meet of distinct atoms",
            Bool::and(&[a.is_unit().not(), b.is_unit().not(), a.equals(&b).not()])
                .implies(below_both(&c, &a, &b).not()),
        ),
        (
            "meet of comparable ones",
            a.below(&b).implies(below_both(&c, &a, &b).iff(c.below(&a))),
        ),
    ];
    for (what, goal) in goals {
        prover.prove(&formed, &goal, || what.into());
    }
    prover.finding("any three dimensions")
}

/// Checks, with a flag for ⊥, that the modular law holds, and the distributive law fails.
fn modular(_: Effort) -> Finding {
    let flag = |name: &str| Bool::new_const(format!("{name} is bottom"));
    let [a, b, c] = ["a", "b", "c"].map(|n| (flag(n), AnyDim::any(n)));
    type Element = (Bool, AnyDim);
    let below = |x: &Element, y: &Element| {
        Bool::or(&[x.0.clone(), Bool::and(&[y.0.not(), x.1.below(&y.1)])])
    };
    let join = |x: &Element, y: &Element| -> Element {
        let joined = AnyDim::select(&x.0, &y.1, &AnyDim::select(&y.0, &x.1, &x.1.join(&y.1)));
        (Bool::and(&[x.0.clone(), y.0.clone()]), joined)
    };
    let meet = |x: &Element, y: &Element| -> Element {
        let lower = AnyDim::select(&y.1.is_unit(), &x.1, &y.1);
        let clash = Bool::and(&[
            x.1.is_unit().not(),
            y.1.is_unit().not(),
            x.1.equals(&y.1).not(),
        ]);
        (Bool::or(&[x.0.clone(), y.0.clone(), clash]), lower)
    };
    let same = |x: &Element, y: &Element| {
        Bool::or(&[
            Bool::and(&[x.0.clone(), y.0.clone()]),
            Bool::and(&[x.0.not(), y.0.not(), x.1.equals(&y.1)]),
        ])
    };
    let formed: Vec<Bool> = [&a, &b, &c].map(|e| e.1.well_formed()).to_vec();
    let mut prover = Prover::new();
    let law = below(&a, &c).implies(same(&join(&a, &meet(&b, &c)), &meet(&join(&a, &b), &c)));
    prover.prove(&formed, &law, || "the modular law".into());
    let atoms = [&a, &b, &c].map(|e| Bool::and(&[e.0.not(), e.1.is_unit().not()]));
    let distinct = [
        a.1.equals(&b.1).not(),
        b.1.equals(&c.1).not(),
        a.1.equals(&c.1).not(),
    ];
    let assumed: Vec<Bool> = formed.into_iter().chain(atoms).chain(distinct).collect();
    let fails = same(
        &meet(&a, &join(&b, &c)),
        &join(&meet(&a, &b), &meet(&a, &c)),
    )
    .not();
    prover.prove(&assumed, &fails, || {
        "three distinct atoms break distributivity".into()
    });
    prover.finding("any three elements of D⊥")
}
