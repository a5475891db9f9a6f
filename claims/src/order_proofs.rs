//! §1 in Z3: the lattice of dimensions.

use crate::core::Finding;
use z3::ast::Bool;

use super::prover::{Dim, Prover};

/// The proof of a claim, if there is one here.
pub fn proof(id: &str) -> Option<Finding> {
    Some(match id {
        "Prop. 1.3" => lattice(),
        "Prop. 1.4 repaired" => modular(),
        _ => return None,
    })
}

/// `a ∧ b ⊒ c` for dimensions, the bottom as no dimension at all: below both.
fn below_both(c: &Dim, a: &Dim, b: &Dim) -> Bool {
    Bool::and(&[c.below(a), c.below(b)])
}

fn lattice() -> Finding {
    let [a, b, c] = ["a", "b", "c"].map(Dim::any);
    let formed: Vec<Bool> = [&a, &b, &c].map(Dim::well_formed).to_vec();
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
        ("top", a.below(&Dim::unit())),
        (
            "an antichain of atoms",
            Bool::and(&[a.below(&b), b.is_unit().not()]).implies(a.equals(&b)),
        ),
        (
            "join",
            Bool::and(&[a.below(&c), b.below(&c)]).iff(join.below(&c)),
        ),
        // Nothing but the bottom is below two distinct atoms; else the meet is the lower one.
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

/// With a flag for ⊥: the modular law, and the failure of the distributive one.
fn modular() -> Finding {
    let flag = |name: &str| Bool::new_const(format!("{name} is bottom"));
    let [a, b, c] = ["a", "b", "c"].map(|n| (flag(n), Dim::any(n)));
    type Element = (Bool, Dim);
    let below = |x: &Element, y: &Element| {
        Bool::or(&[x.0.clone(), Bool::and(&[y.0.not(), x.1.below(&y.1)])])
    };
    let join = |x: &Element, y: &Element| -> Element {
        let joined = Dim::select(&x.0, &y.1, &Dim::select(&y.0, &x.1, &x.1.join(&y.1)));
        (Bool::and(&[x.0.clone(), y.0.clone()]), joined)
    };
    let meet = |x: &Element, y: &Element| -> Element {
        let lower = Dim::select(&y.1.is_unit(), &x.1, &y.1);
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
