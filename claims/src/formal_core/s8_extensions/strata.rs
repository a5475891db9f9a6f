//! Conj. 8.2 in a small model. Stratum 1 is the projection solver. Stratum 2 reads equations `p = Σ c·q + o` and
//! `p = Concat(q₁ … q_k)` over the labels of stratum 1, checks that derived terms of one class are equal, and couples
//! the iterators that one concatenation joins.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::machinery::{Effort, Finding, Witness};
use lozenge_spec::projection_solver::solve;
use lozenge_testkit::random::Random;
use lozenge_vocabulary::projection_language::{Atom, AxisId, Equation};
use lozenge_vocabulary::projections::Index;

const AXES: usize = 6;

/// The index of an axis that is derived from those of other axes.
#[derive(Clone, Debug, PartialEq)]
enum Derived {
    /// An affine term.
    Affine(Vec<(i64, usize)>, i64),
    /// The parts one after the other.
    Concat(Vec<usize>),
}

/// The index of an axis after both strata.
#[derive(Clone, Debug, PartialEq)]
enum Label {
    /// Coefficients of iterators, and an offset.
    Affine(BTreeMap<usize, i64>, i64),
    /// The labels of the parts.
    Concat(Vec<Label>),
}

/// The labels of the axes, and which iterators are coupled.
type Answer = (Vec<Label>, BTreeSet<BTreeSet<usize>>);

/// Equations of both strata over axes of given sizes.
#[derive(Clone)]
struct Strata {
    flat: Vec<Equation>,
    derived: Vec<(usize, Derived)>,
    sizes: Vec<u64>,
}

/// The way in which the arguments of a derived term are read.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    /// The reading by stratum 1, as the conjecture says.
    Stratum1,
    /// The reading through the derived terms known so far, which the conjecture excludes.
    AsKnown,
}

fn axis(slot: usize) -> Atom {
    Atom::Proj(AxisId { slot, axis: 0 })
}

fn first_label(index: &Index) -> Label {
    match index {
        Index::Iter(factor) => Label::Affine(BTreeMap::from([(*factor, 1)]), 0),
        Index::Fix(at) => Label::Affine(BTreeMap::new(), *at as i64),
        Index::Symbol(_) => Label::Affine(BTreeMap::new(), 0),
        Index::Affine(affine) => {
            let terms = affine.terms.iter();
            let terms = terms.map(|(c, factor)| (*factor, *c as i64));
            Label::Affine(terms.collect(), affine.offset)
        }
    }
}

impl Strata {
    fn random(index: u64) -> Strata {
        let mut numbers = Random::indexed(index);
        let n = &mut numbers;
        let flat = (0..1 + n.below(4))
            .map(|_| match n.below(4) {
                0 => Equation::Eq(axis(n.below(AXES)), axis(n.below(AXES))),
                1 => Equation::Eq(axis(n.below(AXES)), Atom::Sol(Index::Fix(0))),
                _ => Equation::Iter(axis(n.below(AXES))),
            })
            .collect();
        let derived = (0..1 + n.below(3))
            .map(|_| {
                let term = match n.below(2) {
                    0 => {
                        let terms =
                            (0..1 + n.below(2)).map(|_| (1 + n.below(2) as i64, n.below(AXES)));
                        let terms = terms.collect();
                        Derived::Affine(terms, n.below(2) as i64)
                    }
                    _ => Derived::Concat((0..1 + n.below(2)).map(|_| n.below(AXES)).collect()),
                };
                (n.below(AXES), term)
            })
            .collect();
        let sizes = (0..AXES).map(|_| [1, 2, 2, 3, 4][n.below(5)]).collect();
        Strata {
            flat,
            derived,
            sizes,
        }
    }

    /// Returns the class of an axis in stratum 1, represented by its lowest axis.
    fn class(&self, of: usize) -> usize {
        let mut class = BTreeSet::from([of]);
        loop {
            let before = class.len();
            for equation in &self.flat {
                if let Equation::Eq(Atom::Proj(a), Atom::Proj(b)) = equation
                    && (class.contains(&a.slot) || class.contains(&b.slot))
                {
                    class.extend([a.slot, b.slot]);
                }
            }
            if class.len() == before {
                return class.first().copied().unwrap_or(of);
            }
        }
    }

    /// Returns the answer when the equations are read in their order; `None` at a conflict.
    fn answer(&self, reading: Reading) -> Option<Answer> {
        let sizes: Vec<Vec<u64>> = self.sizes.iter().map(|n| vec![*n]).collect();
        let solved = solve(&self.flat, &sizes).ok()?;
        let first = |q: usize| first_label(&solved.projections.maps[q].0[0]);
        let mut known: BTreeMap<usize, Label> = BTreeMap::new();
        let mut coupled: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        for (p, derived) in &self.derived {
            let argument = |q: usize| match known.get(&self.class(q)) {
                Some(label) if reading == Reading::AsKnown => label.clone(),
                _ => first(q),
            };
            let label = self.evaluated(*p, derived, argument)?;
            if let Label::Concat(parts) = &label {
                couple(&mut coupled, iterators(parts));
            }
            // The deferred check: the derived terms of one class are one term.
            let class = self.class(*p);
            if known.get(&class).is_some_and(|other| *other != label) {
                return None;
            }
            known.insert(class, label);
        }
        let label = |p: usize| {
            known
                .get(&self.class(p))
                .cloned()
                .unwrap_or_else(|| first(p))
        };
        Some(canonical((0..AXES).map(label).collect(), coupled))
    }

    fn evaluated(
        &self,
        p: usize,
        derived: &Derived,
        argument: impl Fn(usize) -> Label,
    ) -> Option<Label> {
        match derived {
            Derived::Concat(parts) => {
                let together: u64 = parts.iter().map(|q| self.sizes[*q]).sum();
                let labels = parts.iter().map(|q| argument(*q)).collect();
                (together == self.sizes[p]).then_some(Label::Concat(labels))
            }
            Derived::Affine(terms, offset) => {
                let (mut sum, mut constant) = (BTreeMap::new(), *offset);
                for (c, q) in terms {
                    // An affine term over a concatenation has no meaning.
                    let Label::Affine(of, at) = argument(*q) else {
                        return None;
                    };
                    of.into_iter()
                        .for_each(|(s, d)| *sum.entry(s).or_insert(0) += c * d);
                    constant += c * at;
                }
                sum.retain(|_, c| *c != 0);
                Some(Label::Affine(sum, constant))
            }
        }
    }

    /// Returns the same equations in another order.
    fn reordered(&self, numbers: &mut Random) -> Strata {
        let mut other = self.clone();
        let shuffle = |length: usize, numbers: &mut Random| -> Vec<usize> {
            let mut rest: Vec<usize> = (0..length).collect();
            (0..length)
                .map(|_| rest.remove(numbers.below(rest.len())))
                .collect()
        };
        other.flat = shuffle(self.flat.len(), numbers)
            .iter()
            .map(|i| self.flat[*i].clone())
            .collect();
        other.derived = shuffle(self.derived.len(), numbers)
            .iter()
            .map(|i| self.derived[*i].clone())
            .collect();
        other
    }

    /// Tells whether one of four other orders gives another answer.
    fn depends_on_the_order(&self, reading: Reading, seed: u64) -> bool {
        let mut numbers = Random::indexed(seed);
        let first = self.answer(reading);
        (0..4).any(|_| self.reordered(&mut numbers).answer(reading) != first)
    }

    /// Returns the sets with one equation less.
    fn smaller(&self) -> Vec<Strata> {
        let flat = (0..self.flat.len()).map(|at| {
            let mut smaller = self.clone();
            smaller.flat.remove(at);
            smaller
        });
        let derived = (0..self.derived.len()).map(|at| {
            let mut smaller = self.clone();
            smaller.derived.remove(at);
            smaller
        });
        flat.chain(derived).collect()
    }
}

fn iterators(labels: &[Label]) -> BTreeSet<usize> {
    let of = |label: &Label| match label {
        Label::Affine(terms, _) => terms.keys().copied().collect(),
        Label::Concat(parts) => iterators(parts),
    };
    labels.iter().flat_map(of).collect()
}

/// Adds a set of coupled iterators, and merges it with the components that share an iterator with it.
fn couple(components: &mut BTreeSet<BTreeSet<usize>>, mut more: BTreeSet<usize>) {
    let (met, apart): (BTreeSet<_>, BTreeSet<_>) = std::mem::take(components)
        .into_iter()
        .partition(|component| !component.is_disjoint(&more));
    met.into_iter().for_each(|component| more.extend(component));
    *components = apart;
    if !more.is_empty() {
        components.insert(more);
    }
}

/// Iterators numbered by first occurrence.
fn canonical(labels: Vec<Label>, coupled: BTreeSet<BTreeSet<usize>>) -> Answer {
    fn renamed(label: Label, numbers: &mut BTreeMap<usize, usize>) -> Label {
        match label {
            Label::Affine(terms, offset) => {
                let mut rename = |(s, c)| {
                    let next = numbers.len();
                    (*numbers.entry(s).or_insert(next), c)
                };
                Label::Affine(terms.into_iter().map(&mut rename).collect(), offset)
            }
            Label::Concat(parts) => Label::Concat(
                parts
                    .into_iter()
                    .map(|part| renamed(part, numbers))
                    .collect(),
            ),
        }
    }
    let mut numbers = BTreeMap::new();
    let labels = labels
        .into_iter()
        .map(|label| renamed(label, &mut numbers))
        .collect();
    // Iterators that label no axis are not visible in the answer.
    let named = |component: BTreeSet<usize>| -> BTreeSet<usize> {
        component
            .iter()
            .filter_map(|s| numbers.get(s).copied())
            .collect()
    };
    (labels, coupled.into_iter().map(named).collect())
}

impl fmt::Display for Strata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.flat
            .iter()
            .try_for_each(|equation| writeln!(f, "{equation}"))?;
        for (p, derived) in &self.derived {
            writeln!(f, "slot {p} axis 0 = {derived:?}")?;
        }
        write!(f, "sizes {:?}", self.sizes)
    }
}

/// Tries random equation sets of both strata, each in five orders.
pub fn search(effort: Effort) -> Finding {
    let tried = effort.samples();
    let (mut answered, mut concatenated, mut told_apart) = (0u64, 0u64, 0u64);
    for index in 0..tried {
        let mut strata = Strata::random(index);
        if strata.depends_on_the_order(Reading::Stratum1, index) {
            let fails = |s: &Strata| s.depends_on_the_order(Reading::Stratum1, index);
            while let Some(smaller) = strata.smaller().into_iter().find(&fails) {
                strata = smaller;
            }
            let witness = Witness {
                text: strata.to_string(),
                why: "another order, another answer".into(),
            };
            return Finding::sampled("random equation sets", index + 1, Some(witness));
        }
        if let Some((labels, _)) = strata.answer(Reading::Stratum1) {
            answered += 1;
            let concat = |label: &Label| matches!(label, Label::Concat(_));
            concatenated += u64::from(labels.iter().any(concat));
        }
        told_apart += u64::from(strata.depends_on_the_order(Reading::AsKnown, index));
    }
    let scope = format!(
        "{tried} random equation sets over {AXES} axes, each in five orders: {answered} have an answer, {concatenated} of them with a \
         concatenation; arguments are read by stratum 1, as stated (read through the derived terms known by then, {told_apart} sets \
         depend on the order); the document fixes no semantics beyond that, so neither does this model"
    );
    let nothing_told = (told_apart == 0 || concatenated == 0).then(|| Witness {
        text: "every set".into(),
        why: "no order could make a difference, so that nothing was tested".into(),
    });
    Finding::sampled(scope, tried, nothing_told)
}
