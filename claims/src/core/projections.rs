//! §7: projection inference, by all small equation sets and index maps.

use std::collections::{BTreeMap, BTreeSet};

use super::einsums::{lemma_7_7_a, thm_7_8_1, thm_7_8_2};
use super::locality::lemma_7_7_b;
use super::writing::Nest;
use super::{Check, Claim, Effort, Finding, Witness, claim};
use lozenge_spec::projection_solver::{Solved, solve};
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::{Index, IndexMap, Projections};

fn axis(slot: usize) -> AxisId {
    AxisId { slot, axis: 0 }
}

/// Equations over three axes, one a slot, two constants and a symbol.
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

/// The classes by the least equivalence, computed without union and find.
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

/// Whether (a), (b) or (c) of Thm. 7.4 holds.
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

/// The label that Def. 7.3 gives: `None` stands for an iterator.
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

/// The same up to the numbering of iterators: which axes share one.
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

/// With "it has no default": a class that no equation pins or iterates has one label only if its size is 1.
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
            });
            named && sizes[p][0] > 1 && pins(set, &class).is_empty() && !iterated(set, &class)
        });
        free.then_some("a class longer than 1 that is neither pinned nor iterated is read at 0: position 1 satisfies the equations as well, so 0 is a default")
    })
}

fn thm_7_4_repaired(_: Effort) -> Finding {
    each_equation_set(canonicity)
}

/// All left-hand-side maps of up to three axes over up to three factors of sizes 2 and 3, and the slices.
fn maps() -> Vec<Projections> {
    let mut all = Vec::new();
    for factors in [vec![], vec![2], vec![2, 3], vec![2, 2], vec![2, 3, 2]] {
        let labels: Vec<(Index, u64)> = (0..factors.len())
            .map(|j| (Index::Iter(j), factors[j]))
            .chain([(Index::Fix(0), 1), (Index::Fix(0), 2), (Index::Fix(1), 2)])
            .collect();
        let mut words: Vec<Vec<(Index, u64)>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer = words.iter().flat_map(|w| {
                labels
                    .iter()
                    .map(move |l| [w.as_slice(), std::slice::from_ref(l)].concat())
            });
            words = words.iter().cloned().chain(longer).collect();
        }
        words.sort();
        words.dedup();
        all.extend(words.into_iter().map(|word| Projections {
            factors: factors.clone(),
            maps: vec![IndexMap(word.iter().map(|(i, _)| i.clone()).collect())],
            sizes: vec![word.iter().map(|(_, n)| *n).collect()],
        }));
    }
    all
}

pub(super) fn points(factors: &[u64]) -> Vec<Vec<u64>> {
    factors.iter().fold(vec![Vec::new()], |points, n| {
        points
            .iter()
            .flat_map(|p| (0..*n).map(move |i| [p.as_slice(), &[i]].concat()))
            .collect()
    })
}

pub(super) fn address(map: &IndexMap, point: &[u64]) -> Vec<u64> {
    map.0
        .iter()
        .map(|index| match index {
            Index::Iter(factor) => point[*factor],
            Index::Fix(at) => *at,
            Index::Symbol(_) => 0,
        })
        .collect()
}

fn nest(p: &Projections, erase: bool) -> Nest {
    let targets = points(&p.sizes[0]);
    let cell = |point: &Vec<u64>| {
        targets
            .iter()
            .position(|t| *t == address(&p.maps[0], point))
            .unwrap_or(usize::MAX)
    };
    Nest {
        cells: points(&p.factors).iter().map(cell).collect(),
        count: targets.len(),
        erase,
    }
}

fn described(p: &Projections) -> String {
    let labels: Vec<String> = p.maps[0].0.iter().map(Index::to_string).collect();
    format!(
        "lhs [{}] of sizes {:?} over factors {:?}",
        labels.join(", "),
        p.sizes[0],
        p.factors
    )
}

const MAPS: &str = "left-hand sides of up to three axes over up to three factors of sizes 2 and 3";

fn each_map(mut against: impl FnMut(&Projections) -> Option<(String, &'static str)>) -> Finding {
    let all = maps();
    let count = all.len() as u64;
    let found = all.iter().find_map(|p| {
        against(p).map(|(how, why)| Witness {
            text: format!("{}{how}", described(p)),
            why: why.into(),
        })
    });
    Finding::exhaustive(MAPS, count, found)
}

fn def_7_5(_: Effort) -> Finding {
    each_map(|p| {
        let missing: Vec<usize> = (0..p.factors.len())
            .filter(|j| !p.maps[0].0.contains(&Index::Iter(*j)))
            .collect();
        (p.reduction_axes() != missing)
            .then_some((String::new(), "not the factors that are missing"))
    })
}

fn prop_7_6_i(_: Effort) -> Finding {
    each_map(|p| {
        (nest(p, true).is_injective() != p.reduction_axes().is_empty())
            .then_some((String::new(), "injectivity and reduction axes disagree"))
    })
}

fn prop_7_6_ii(_: Effort) -> Finding {
    each_map(|p| {
        (nest(p, true).is_surjective() != p.is_surjective())
            .then_some((String::new(), "surjectivity and its criterion disagree"))
    })
}

/// As printed: the read-modify-write iff there is a reduction axis; clearing iff non-surjective, or erasing and non-injective.
fn prop_7_6_iii(_: Effort) -> Finding {
    each_map(|p| {
        [false, true].into_iter().find_map(|erase| {
            let nest = nest(p, erase);
            let how = if erase {
                ", written with =:+"
            } else {
                ", written with =+"
            };
            if nest.needs_reading() == nest.is_injective() {
                return Some((
                    how.to_string(),
                    "what the tensor held is added to, so it is read although no axis is reduced",
                ));
            }
            let printed = !nest.is_surjective() || (erase && !nest.is_injective());
            (nest.needs_clearing() != printed).then(|| {
                (
                    how.to_string(),
                    "clearing first would lose what cells that are not written hold",
                )
            })
        })
    })
}

fn prop_7_6_iii_repaired(_: Effort) -> Finding {
    each_map(|p| {
        [false, true].into_iter().find_map(|erase| {
            let nest = nest(p, erase);
            let reads = !nest.is_injective() || !erase;
            let clears = erase && !(nest.is_surjective() && nest.is_injective());
            let fine = nest.needs_reading() == reads && nest.needs_clearing() == clears;
            (!fine).then(|| (String::new(), "not as stated"))
        })
    })
}

/// The claims of §7.
pub const CLAIMS: &[Claim] = &[
    claim(
        "Def. 7.1",
        "Atoms Proj(p), Sol(idx); equations Eq(q₁, q₂), symmetric, and Iter(q).",
        "equation sets",
        |_| {
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
        },
    ),
    Claim {
        id: "Def. 7.2",
        statement: "P1 to P6; Sol(Fix c) only within the axis (side condition).",
        universe: "axes of symbolic size and basis",
        check: Check::Elsewhere,
    },
    claim(
        "Def. 7.3",
        "Union–find with pins and iterates; labeling: a pinned class its pin, an unpinned iterated class longer than 1 a fresh iterator, otherwise Fix(0).",
        "equation sets",
        def_7_3,
    ),
    claim(
        "Thm. 7.4",
        "Partition, pins, iterates and labeling are independent of the order; the solver fails iff (a), (b) or (c); the output is unique up to renaming. The solver resolves no ambiguity: it has no default, no direction, and no policy.",
        "equation sets and orders",
        thm_7_4,
    ),
    claim(
        "Thm. 7.4 repaired",
        "The same but for the last sentence: Fix(0) of a class longer than 1 that nothing pins or iterates is a default; P6 keeps it from being used.",
        "equation sets and orders",
        thm_7_4_repaired,
    ),
    claim(
        "Def. 7.5",
        "A factor is a reduction axis iff no component of π_LHS is Iter(s_j).",
        "index maps",
        def_7_5,
    ),
    claim(
        "Prop. 7.6(i)",
        "π_LHS is injective iff every product variable occurs in some component of it.",
        "index maps",
        prop_7_6_i,
    ),
    claim(
        "Prop. 7.6(ii)",
        "π_LHS is surjective iff every LHS axis of size > 1 is labeled Iter, no two by one variable.",
        "index maps",
        prop_7_6_ii,
    ),
    claim(
        "Prop. 7.6(iii)",
        "The accumulating read-modify-write is required iff a reduction axis exists; pre-initialization is required iff π_LHS is non-surjective or (under an erasing accumulator) non-injective.",
        "index maps and accumulators",
        prop_7_6_iii,
    ),
    claim(
        "Prop. 7.6(iii) repaired",
        "The read-modify-write is required iff a reduction axis exists or the accumulator does not erase; pre-initialization iff it erases and π_LHS is non-surjective or non-injective.",
        "index maps and accumulators",
        prop_7_6_iii_repaired,
    ),
    claim(
        "Lemma 7.7(a)",
        "If the global solve and closing succeeded, the per-operation re-derivation has a solution and the core solver finds it, eliminating every spec variable.",
        "einsums",
        lemma_7_7_a,
    ),
    claim(
        "Lemma 7.7(b)",
        "The resulting ≈ depends only on Φ_op: no other operation's constraint mentions its identifiers.",
        "einsums",
        lemma_7_7_b,
    ),
    claim(
        "Thm. 7.8(1)",
        "For every participating tensor and every point of the product space the multi-index is valid: an Iter component addresses an axis as long as its factor, a Fix(c) component has c below the axis size.",
        "einsums and points",
        thm_7_8_1,
    ),
    claim(
        "Thm. 7.8(2)",
        "p ≈ q implies sz(p) = sz(q), and ≈ is the least equivalence justified by this operation's own constraints.",
        "einsums",
        thm_7_8_2,
    ),
    claim(
        "Rem. 7.9",
        "Projection solving needs only a naming: forced, unique up to renaming, no direction.",
        "equation sets and orders",
        thm_7_4_repaired,
    ),
];
