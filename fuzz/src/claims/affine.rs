//! Conj. 8.2 in a small model: stratum 1 is the projection solver; stratum 2 pins classes at affine terms over the iterators
//! of other classes, and checks deferred equalities between derived terms.

use std::collections::BTreeMap;

use lozenge_spec::claims::sampling::Numbers;
use lozenge_spec::claims::{Effort, Finding, Witness};
use lozenge_spec::projection_language::{Atom, AxisId, Equation};
use lozenge_spec::projection_solver::solve;
use lozenge_spec::projections::Index;

/// `p = Σ c·q + o`: the index of an axis is an affine term of the indices of two others.
#[derive(Clone, Debug, PartialEq)]
struct Derived {
    of: usize,
    terms: [(i64, usize); 2],
    offset: i64,
}

/// An affine term over iterators, as coefficients and an offset.
type Term = (BTreeMap<usize, i64>, i64);

fn term(index: &Index) -> Term {
    match index {
        Index::Iter(factor) => (BTreeMap::from([(*factor, 1)]), 0),
        Index::Fix(at) => (BTreeMap::new(), *at as i64),
        Index::Symbol(_) => (BTreeMap::new(), 0),
    }
}

/// The labels after both strata; `None` at a conflict. Derived equations are read in their order.
fn answer(flat: &[Equation], derived: &[Derived], sizes: &[Vec<u64>]) -> Option<Vec<Term>> {
    let solved = solve(flat, sizes).ok()?;
    let maps = &solved.projections.maps;
    let mut pins: BTreeMap<usize, Term> = BTreeMap::new();
    for equation in derived {
        let mut sum: Term = (BTreeMap::new(), equation.offset);
        for (c, q) in equation.terms {
            let (terms, offset) = term(&maps[q].0[0]);
            terms
                .into_iter()
                .for_each(|(s, d)| *sum.0.entry(s).or_default() += c * d);
            sum.1 += c * offset;
        }
        sum.0.retain(|_, c| *c != 0);
        // Deferred checks: two derived terms of one axis must be the same term.
        if pins.get(&equation.of).is_some_and(|known| *known != sum) {
            return None;
        }
        pins.insert(equation.of, sum);
    }
    let label = |axis: usize| {
        pins.get(&axis)
            .cloned()
            .unwrap_or_else(|| term(&maps[axis].0[0]))
    };
    Some(canonical((0..sizes.len()).map(label).collect()))
}

/// Iterators numbered by first occurrence.
fn canonical(labels: Vec<Term>) -> Vec<Term> {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let rename = |(terms, offset): Term| {
        let renamed = terms.into_iter().map(|(s, c)| {
            let next = numbers.len();
            (*numbers.entry(s).or_insert(next), c)
        });
        (renamed.collect(), offset)
    };
    labels.into_iter().map(rename).collect()
}

/// Random equation sets of both strata, each in several orders.
pub fn hunt(effort: Effort) -> Finding {
    let tried = effort.samples();
    let axis = |slot| Atom::Proj(AxisId { slot, axis: 0 });
    for index in 0..tried {
        let mut numbers = Numbers::new(index);
        let sizes: Vec<Vec<u64>> = (0..5)
            .map(|_| vec![[1, 2, 2, 3][numbers.below(4)]])
            .collect();
        let mut flat: Vec<Equation> = (0..1 + numbers.below(4))
            .map(|_| match numbers.below(3) {
                0 => Equation::Eq(axis(numbers.below(5)), axis(numbers.below(5))),
                1 => Equation::Iter(axis(numbers.below(5))),
                _ => Equation::Eq(axis(numbers.below(5)), Atom::Sol(Index::Fix(0))),
            })
            .collect();
        let mut derived: Vec<Derived> = (0..1 + numbers.below(3))
            .map(|_| Derived {
                of: numbers.below(5),
                terms: [
                    (1 + numbers.below(2) as i64, numbers.below(5)),
                    (numbers.below(2) as i64, numbers.below(5)),
                ],
                offset: numbers.below(2) as i64,
            })
            .collect();
        let first = answer(&flat, &derived, &sizes);
        for _ in 0..3 {
            let (f, d) = (numbers.below(flat.len()), numbers.below(derived.len()));
            flat.rotate_left(f);
            derived.rotate_left(d);
            flat.reverse();
            if answer(&flat, &derived, &sizes) != first {
                let witness = Witness {
                    text: format!("{flat:?}\n{derived:?}\n{sizes:?}"),
                    why: "another order, another answer".into(),
                };
                return Finding::sampled("random equation sets", index, Some(witness));
            }
        }
    }
    let scope = format!(
        "{tried} random equation sets over five axes with affine terms over iterators of stratum 1, each in four orders; this \
         model evaluates derived terms once, and has no Concat"
    );
    Finding::sampled(scope, tried, None)
}
