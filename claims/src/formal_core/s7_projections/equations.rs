//! Defs. 7.1 to 7.3 and Thm. 7.4: projection equations and their solver, by all small equation sets.

use std::collections::{BTreeMap, BTreeSet};

use super::elaboration_proofs;
use crate::formal_core::case::Case;
use crate::formal_core::reading::Reading;
use crate::machinery::Check::{Proof, Search, Theorem};
use crate::machinery::{Claim, Effort, Finding, Witness};
use lozenge_spec::projection_solver::{Solved, solve};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;

/// The claims of Defs. 7.1 to 7.3 and Thm. 7.4.
pub const CLAIMS: &[Claim<Case>] = &[
    Claim::new(
        "Def. 7.1",
        "Atoms Proj(p), Sol(idx); equations Eq(q₁, q₂), symmetric, and Iter(q).",
        &[Search(def_7_1)],
    ),
    Claim::new(
        "Def. 7.2",
        "P1 to P6; Sol(Fix c) only within the axis (side condition).",
        &[Theorem(&["Elaboration.p1_kept", "Elaboration.p2_p3_kept", "Elaboration.p4_kept", "Elaboration.p5_kept", "Elaboration.p6_kept", "Elaboration.slice_kept"]), Proof(elaboration_proofs::elaboration)],
    ),
    Claim::new(
        "Def. 7.3",
        "Union–find with pins and iterates; labeling: a pinned class its pin, an unpinned iterated class longer than 1 a fresh iterator, otherwise Fix(0).",
        &[Theorem(&["Projections.solve_exact", "Projections.labels_allowed"]), Search(def_7_3)],
    ),
    Claim::new(
        "Thm. 7.4",
        "Partition, pins, iterates and labeling are independent of the order; the solver fails iff (a), (b) or (c); the output is unique up to renaming. The solver resolves no ambiguity: it has no default, no direction, and no policy.",
        &[Search(thm_7_4)],
    )
    .repaired(
        "The same but for the last sentence: Fix(0) of a class longer than 1 that nothing pins or iterates is a default; P6 keeps it from being used.",
        &[Theorem(&["Projections.solve_fails", "Projections.solve_order", "Projections.labelling_unique", "Projections.default_unused"]), Search(thm_7_4_repaired)],
    ),
];

/// Checks that `Eq` is symmetric: exchanging the sides of every equation changes no answer.
fn def_7_1(_: Effort) -> Finding {
    each_equation_set(|set, sizes| {
        let flipped: Vec<Equation> = set
            .iter()
            .map(|e| match e {
                Equation::Eq(a, b) => Equation::Eq(b.clone(), a.clone()),
                other => other.clone(),
            })
            .collect();
        let same = solve(set, sizes).map(|s| canonical(&s)).ok()
            == solve(&flipped, sizes).map(|s| canonical(&s)).ok();
        (!same).then_some("Eq is not symmetric")
    })
}

fn axis(slot: usize) -> AxisId {
    AxisId { slot, axis: 0 }
}

/// Returns the equations over three axes (one in each slot), two constants and a symbol.
fn equations() -> Vec<Equation> {
    let supplied = [Index::Fix(0), Index::Fix(1), Index::Symbol("i".into())];
    let mut all = Vec::new();
    for p in 0..3 {
        all.extend((p + 1..3).map(|q| Equation::Eq(Atom::Proj(axis(p)), Atom::Proj(axis(q)))));
        all.extend(
            supplied
                .iter()
                .map(|i| Equation::Eq(Atom::Proj(axis(p)), Atom::Sol(i.clone()))),
        );
        all.push(Equation::Iter(Atom::Proj(axis(p))));
    }
    all.push(Equation::Eq(
        Atom::Sol(Index::Fix(0)),
        Atom::Sol(Index::Fix(1)),
    ));
    all.push(Equation::Eq(
        Atom::Sol(Index::Fix(0)),
        Atom::Sol(Index::Fix(0)),
    ));
    all
}

const SCOPE: &str =
    "all sets of up to three equations over three axes of sizes 1 to 3, in every order";

fn sizes() -> Vec<Vec<Vec<u64>>> {
    let mut all = Vec::new();
    for code in 0..27u64 {
        all.push(
            [code % 3, code / 3 % 3, code / 9]
                .iter()
                .map(|n| vec![n + 1])
                .collect(),
        );
    }
    all
}

fn subsets() -> Vec<Vec<Equation>> {
    let all = equations();
    let mut sets = vec![Vec::new()];
    for (i, a) in all.iter().enumerate() {
        sets.push(vec![a.clone()]);
        for (j, b) in all.iter().enumerate().skip(i + 1) {
            sets.push(vec![a.clone(), b.clone()]);
            sets.extend(
                all[j + 1..]
                    .iter()
                    .map(|c| vec![a.clone(), b.clone(), c.clone()]),
            );
        }
    }
    sets
}

fn orders(set: &[Equation]) -> Vec<Vec<Equation>> {
    let mut all = vec![Vec::new()];
    for item in set {
        all = all
            .iter()
            .flat_map(|order: &Vec<Equation>| {
                (0..=order.len()).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, item.clone());
                    order
                })
            })
            .collect();
    }
    all
}

fn shown(set: &[Equation], sizes: &[Vec<u64>]) -> String {
    let sizes: Vec<u64> = sizes.iter().flatten().copied().collect();
    let lines: Vec<String> = set.iter().map(Equation::to_string).collect();
    format!("{}\nsizes {sizes:?}", lines.join("\n"))
}

/// Returns the class of an axis in the least equivalence, computed without union-find.
fn class(set: &[Equation], of: usize) -> BTreeSet<usize> {
    let mut class = BTreeSet::from([of]);
    loop {
        let before = class.len();
        for equation in set {
            if let Equation::Eq(Atom::Proj(p), Atom::Proj(q)) = equation
                && (class.contains(&p.slot) || class.contains(&q.slot))
            {
                class.extend([p.slot, q.slot]);
            }
        }
        if class.len() == before {
            return class;
        }
    }
}

fn pins(set: &[Equation], class: &BTreeSet<usize>) -> BTreeSet<Index> {
    let pin = |e: &Equation| match e {
        Equation::Eq(Atom::Proj(p), Atom::Sol(i)) if class.contains(&p.slot) => Some(i.clone()),
        _ => None,
    };
    set.iter().filter_map(pin).collect()
}

fn iterated(set: &[Equation], class: &BTreeSet<usize>) -> bool {
    set.iter()
        .any(|e| matches!(e, Equation::Iter(Atom::Proj(p)) if class.contains(&p.slot)))
}

/// Tells whether (a), (b) or (c) of Thm. 7.4 holds.
fn conflicts(set: &[Equation], sizes: &[Vec<u64>]) -> bool {
    (0..3).any(|p| {
        let class = class(set, p);
        class.iter().any(|q| sizes[*q] != sizes[p]) || pins(set, &class).len() > 1
    }) || set
        .iter()
        .any(|e| matches!(e, Equation::Eq(Atom::Sol(i), Atom::Sol(j)) if i != j))
}

fn each_equation_set(
    mut against: impl FnMut(&[Equation], &[Vec<u64>]) -> Option<&'static str>,
) -> Finding {
    let mut count = 0;
    for set in subsets() {
        for sizes in sizes() {
            count += 1;
            if let Some(why) = against(&set, &sizes) {
                return Finding::exhaustive(
                    SCOPE,
                    count,
                    Some(Witness {
                        text: shown(&set, &sizes),
                        why: why.into(),
                    }),
                );
            }
        }
    }
    Finding::exhaustive(SCOPE, count, None)
}

/// Returns the label that Def. 7.3 gives: `None` stands for an iterator.
fn printed_label(set: &[Equation], sizes: &[Vec<u64>], p: usize) -> Option<Index> {
    let class = class(set, p);
    match pins(set, &class).into_iter().next() {
        Some(pin) => Some(pin),
        None if iterated(set, &class) && sizes[p][0] > 1 => None,
        None => Some(Index::Fix(0)),
    }
}

fn def_7_3(_: Effort) -> Finding {
    each_equation_set(|set, sizes| {
        let solved = solve(set, sizes).ok()?;
        let wrong = (0..3).any(|p| {
            match (
                &solved.projections.maps[p].0[0],
                printed_label(set, sizes, p),
            ) {
                (Index::Iter(factor), None) => solved.projections.factors[*factor] != sizes[p][0],
                (index, Some(printed)) => *index != printed,
                _ => true,
            }
        });
        wrong.then_some("another label than printed")
    })
}

/// Returns the labels up to the numbering of iterators, so that only their sharing counts.
fn canonical(solved: &Solved) -> Vec<Index> {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let maps = solved.projections.maps.iter().flat_map(|m| m.0.iter());
    maps.map(|index| match index {
        Index::Iter(factor) => {
            let next = numbers.len();
            Index::Iter(*numbers.entry(*factor).or_insert(next))
        }
        other => other.clone(),
    })
    .collect()
}

fn canonicity(set: &[Equation], sizes: &[Vec<u64>]) -> Option<&'static str> {
    let answers: Vec<Option<Vec<Index>>> = orders(set)
        .iter()
        .map(|o| solve(o, sizes).ok().map(|s| canonical(&s)))
        .collect();
    if answers.iter().any(|a| *a != answers[0]) {
        return Some("two orders give two answers");
    }
    (answers[0].is_none() != conflicts(set, sizes))
        .then_some("it fails otherwise than by (a), (b), (c)")
}

/// Decides the statement with "it has no default": the label of a class that no equation pins or iterates is unique
/// only if its size is 1.
fn thm_7_4(_: Effort) -> Finding {
    each_equation_set(|set, sizes| {
        if let Some(why) = canonicity(set, sizes) {
            return Some(why);
        }
        (!set.is_empty() && !conflicts(set, sizes)).then_some(())?;
        let free = (0..3).any(|p| {
            let class = class(set, p);
            let named = set.iter().any(|e| match e {
                Equation::Eq(a, b) => [a, b].iter().any(|x| **x == Atom::Proj(axis(p))),
                Equation::Iter(a) => *a == Atom::Proj(axis(p)),
                Equation::Derive(..) => false,
            });
            named && sizes[p][0] > 1 && pins(set, &class).is_empty() && !iterated(set, &class)
        });
        free.then_some("a class longer than 1 that is neither pinned nor iterated is read at 0: position 1 satisfies the equations as well, so 0 is a default")
    })
    .under(Reading::Printed)
}

pub fn thm_7_4_repaired(_: Effort) -> Finding {
    each_equation_set(canonicity)
}
