//! §§1 and 2 in Z3: the lattice of dimensions and the orders of rows, for symbolic letters at every shape.

use lozenge_spec::claims::{Effort, Finding};
use z3::ast::Bool;

use super::prover::{Dim, Prover, Row, pointwise};

/// The proof of a claim, if there is one here.
pub fn proof(id: &str, effort: Effort) -> Option<Finding> {
    let longest = if effort == Effort::Quick { 2 } else { 3 };
    let finding = match id {
        "Prop. 1.3" => lattice(),
        "Prop. 1.4 repaired" => modular(),
        "Lemma 2.4" => monotone(longest),
        "Prop. 2.5" => partial_order(longest),
        "Prop. 2.6" => top(longest),
        "Prop. 2.7" => join(longest),
        "Prop. 2.10(ii)" => incomparable(longest),
        "Prop. 2.13" => two_sorted(longest),
        "Rem. 2.15(ii) repaired" | "Def. 3.4" => one_shot(longest),
        _ => return None,
    };
    Some(finding)
}

fn shapes(longest: usize) -> Vec<(usize, usize)> {
    (0..=longest)
        .flat_map(|l| (0..=longest).map(move |t| (l, t)))
        .collect()
}

fn bounds(longest: usize) -> String {
    format!("every flank shape up to length {longest} a side")
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

fn monotone(longest: usize) -> Finding {
    let mut prover = Prover::new();
    for low in shapes(longest) {
        for high in shapes(longest) {
            let (a, b) = (Row::any("a", low), Row::any("b", high));
            let Some(below) = a.below(&b) else { continue };
            let rank = low.0 + low.1;
            for n in rank..=rank + 2 {
                let goal = pointwise(&a.expansion(n), &b.expansion(n));
                prover.prove(std::slice::from_ref(&below), &goal, || {
                    format!("{low:?} {high:?} at {n}")
                });
            }
        }
    }
    prover.finding(&bounds(longest))
}

fn partial_order(longest: usize) -> Finding {
    let mut prover = Prover::new();
    for x in shapes(longest) {
        let a = Row::any("a", x);
        prover.relate(&[], Some(Bool::from_bool(true)), a.below(&a), true, || {
            format!("reflexive at {x:?}")
        });
        for y in shapes(longest) {
            let b = Row::any("b", y);
            let formed = [a.well_formed(), b.well_formed()];
            let mutual = a
                .below(&b)
                .zip(b.below(&a))
                .map(|(p, q)| Bool::and(&[p, q]));
            prover.relate(&formed, mutual, a.identical(&b), false, || {
                format!("antisymmetric at {x:?} {y:?}")
            });
            for z in shapes(longest) {
                let c = Row::any("c", z);
                let chain = a
                    .below(&b)
                    .zip(b.below(&c))
                    .map(|(p, q)| Bool::and(&[p, q]));
                prover.relate(&formed, chain, a.below(&c), false, || {
                    format!("transitive at {x:?} {y:?} {z:?}")
                });
            }
        }
    }
    prover.finding(&bounds(longest))
}

fn top(longest: usize) -> Finding {
    let mut prover = Prover::new();
    let empty = Row::default();
    for shape in shapes(longest) {
        let row = Row::any("a", shape);
        prover.relate(
            &[],
            Some(Bool::from_bool(true)),
            row.below(&empty),
            true,
            || format!("{shape:?}"),
        );
        prover.relate(&[], empty.below(&row), row.identical(&empty), false, || {
            format!("{shape:?}")
        });
    }
    prover.finding(&bounds(longest))
}

fn join(longest: usize) -> Finding {
    let mut prover = Prover::new();
    for x in shapes(longest) {
        for y in shapes(longest) {
            let (a, b) = (Row::any("a", x), Row::any("b", y));
            let leading = a
                .leading
                .iter()
                .zip(&b.leading)
                .map(|(a, b)| a.join(b))
                .collect();
            let mut trailing: Vec<Dim> = a
                .trailing
                .iter()
                .rev()
                .zip(b.trailing.iter().rev())
                .map(|(a, b)| a.join(b))
                .collect();
            trailing.reverse();
            let join = Row { leading, trailing };
            for z in shapes(longest) {
                let c = Row::any("c", z);
                let formed = [a.well_formed(), b.well_formed(), c.well_formed()];
                let both = a
                    .below(&c)
                    .zip(b.below(&c))
                    .map(|(p, q)| Bool::and(&[p, q]));
                prover.relate(&formed, both, join.below(&c), true, || {
                    format!("{x:?} {y:?} {z:?}")
                });
            }
        }
    }
    prover.finding(&bounds(longest))
}

fn incomparable(longest: usize) -> Finding {
    let mut prover = Prover::new();
    for x in shapes(longest) {
        for y in shapes(longest).into_iter().filter(|y| *y != x) {
            let (a, b) = (Row::any("a", x), Row::any("b", y));
            let comparable = a
                .same_content(&b)
                .zip(a.below(&b))
                .map(|(p, q)| Bool::and(&[p, q]));
            prover.relate(&[], comparable, None, false, || format!("{x:?} {y:?}"));
        }
    }
    prover.finding(&bounds(longest))
}

/// Rows with a marker or rigid: the second as its flat content.
fn below_two_sorted(a: &(Row, bool), b: &(Row, bool)) -> Option<Bool> {
    let (x, y) = (a.0.flat(), b.0.flat());
    match (a.1, b.1) {
        (false, false) => a.0.below(&b.0),
        (true, true) => (x.len() == y.len()).then(|| pointwise(&x, &y)),
        (true, false) => (x.len() >= y.len()).then(|| pointwise(&x, &b.0.expansion(x.len()))),
        (false, true) => None,
    }
}

fn two_sorted(longest: usize) -> Finding {
    let longest = longest.min(2);
    let mut prover = Prover::new();
    let marked = shapes(longest).into_iter().map(|shape| (shape, false));
    let all: Vec<((usize, usize), bool)> = marked
        .chain((0..=2 * longest).map(|n| ((0, n), true)))
        .collect();
    for x in &all {
        for y in &all {
            for z in &all {
                let row = |name: &str, of: &((usize, usize), bool)| (Row::any(name, of.0), of.1);
                let (a, b, c) = (row("a", x), row("b", y), row("c", z));
                let chain = below_two_sorted(&a, &b)
                    .zip(below_two_sorted(&b, &c))
                    .map(|(p, q)| Bool::and(&[p, q]));
                prover.relate(&[], chain, below_two_sorted(&a, &c), false, || {
                    format!("{x:?} {y:?} {z:?}")
                });
            }
        }
    }
    prover.finding(&bounds(longest))
}

fn one_shot(longest: usize) -> Finding {
    let mut prover = Prover::new();
    let below = |a: &Row, b: &Row| {
        let (x, y) = (a.flat(), b.flat());
        (x.len() >= y.len()).then(|| pointwise(&x, &b.expansion(x.len())))
    };
    for x in shapes(longest) {
        for y in shapes(longest) {
            let (a, b) = (Row::any("a", x), Row::any("b", y));
            let formed = [a.well_formed(), b.well_formed()];
            let mutual = below(&a, &b)
                .zip(below(&b, &a))
                .map(|(p, q)| Bool::and(&[p, q]));
            prover.relate(&formed, mutual, a.same_content(&b), true, || {
                format!("mutual at {x:?} {y:?}")
            });
            prover.relate(&formed, a.below(&b), below(&a, &b), false, || {
                format!("weaker at {x:?} {y:?}")
            });
        }
    }
    prover.finding(&bounds(longest))
}
