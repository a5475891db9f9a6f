//! Ranks: each equation of shapes is a linear equation of ranks, which are at least 0.

use std::collections::BTreeMap;

use lozenge_axon_vocabulary::{Piece, ShapeVar};
use lozenge_sizes::{Fact, Limits, Reason, Store, Term, Value, Verdict};

use crate::words::balance;

/// A linear equation: the sum of the multiples of ranks and the constant is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Equation {
    counts: BTreeMap<ShapeVar, i64>,
    constant: i64,
    /// The names that stand as often on both sides, whose ranks are not bound by the equation.
    free: Vec<ShapeVar>,
}

/// The conclusions from the ranks in equations.
#[derive(Debug)]
pub(crate) enum Ranks {
    /// The equations with these indices have no common solution.
    Contradiction(Vec<usize>),
    /// These names have these ranks in every solution.
    Forced(Vec<(ShapeVar, u64)>),
}

/// Returns the equation of the ranks of two sides.
pub(crate) fn equation(left: &[Piece], right: &[Piece]) -> Equation {
    let (counts, constant) = balance(left, right);
    let mut free: Vec<ShapeVar> = left
        .iter()
        .chain(right)
        .filter_map(|piece| match piece {
            Piece::Shape(name) if !counts.contains_key(name) => Some(*name),
            _ => None,
        })
        .collect();
    free.sort_unstable();
    free.dedup();
    Equation {
        counts,
        constant,
        free,
    }
}

/// The ranks of names in a store of arithmetic.
pub(crate) struct RankStore {
    pub(crate) store: Store,
    pub(crate) terms: BTreeMap<ShapeVar, Term>,
}

impl RankStore {
    /// Returns the store of all equations; the reason of each is its index.
    pub(crate) fn new(equations: &[Equation], limits: Limits) -> RankStore {
        let mut store = Store::with_limits(limits);
        let mut terms: BTreeMap<ShapeVar, Term> = BTreeMap::new();
        let zero = store.number(0);
        for (index, equation) in equations.iter().enumerate() {
            for name in equation.counts.keys().chain(&equation.free) {
                terms.entry(*name).or_insert_with(|| store.natural());
            }
            let parts: Vec<(i64, Term)> = equation
                .counts
                .iter()
                .map(|(name, count)| (*count, terms[name]))
                .collect();
            let sum = store.sum(&parts, equation.constant);
            store.assert(Fact::Equal(sum, zero), Reason(index as u32));
        }
        RankStore { store, terms }
    }
}

/// Returns what the equations say together.
pub(crate) fn forced(equations: &[Equation]) -> Ranks {
    let mut ranks = RankStore::new(equations, Limits::default());
    if let Verdict::Unsatisfiable(reasons) = ranks.store.check() {
        let indices = reasons.reasons.iter().map(|reason| reason.0 as usize);
        return Ranks::Contradiction(indices.collect());
    }
    let mut values = Vec::new();
    for (name, term) in &ranks.terms {
        if let Value::Forced(rank) = ranks.store.value_of(*term)
            && let Ok(rank) = u64::try_from(rank)
        {
            values.push((*name, rank));
        }
    }
    Ranks::Forced(values)
}
