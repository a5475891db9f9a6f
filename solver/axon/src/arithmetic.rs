//! The arithmetic that is left after propagation, put to the procedure for sizes.

use std::num::NonZeroU64;
use std::sync::Arc;

use lozenge_axon_vocabulary::{Atom, DimId, DimVar, Linear};
use lozenge_sizes::{Fact, Limits, Reason, Store, Term, Verdict};
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::origin::OriginId;
use crate::stop::{Clash, Stop};

/// The exponent above which every power of a number other than 1 leaves 64 bits.
const LARGEST_EXPONENT: u32 = 64;

/// A fact about dimensions beside the equations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Two terms have different values.
    Differ(DimId, DimId),
    /// A term is less than a number.
    Less(DimId, i64),
    /// A number does not divide a term.
    DoesNotDivide(NonZeroU64, DimId),
    /// A term is 0.
    Zero(DimId),
    /// One of these terms has another value than stands beside it.
    AnyDiffers(Vec<(DimId, i64)>),
}

/// The answer of the arithmetic.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Satisfiable,
    /// The facts with these origins have no common solution.
    Unsatisfiable(Vec<OriginId>),
    Unknown(String),
}

/// The facts about dimensions that have no value.
#[derive(Debug)]
pub(crate) struct Arithmetic {
    pub(crate) store: Store,
    names: FxHashMap<DimVar, Term>,
    terms: FxHashMap<DimId, Term>,
    /// The origins of facts; the reason of a fact is an index.
    origins: Vec<OriginId>,
    /// The quotients whose divisors may have either sign.
    pub(crate) open_signs: usize,
    /// A bit for each of these: the fact that the divisor is taken to be negative.
    signs: u32,
    /// The reason for which something cannot be expressed.
    limit: Option<String>,
}

impl Arithmetic {
    /// Puts all that is left of the arithmetic into a store.
    pub(crate) fn new(engine: &mut Engine<'_>, work: u64, signs: u32) -> Result<Arithmetic, Stop> {
        let mut arithmetic = Arithmetic {
            store: Store::with_limits(Limits {
                work,
                ..Limits::default()
            }),
            names: FxHashMap::default(),
            terms: FxHashMap::default(),
            origins: Vec::new(),
            open_signs: 0,
            signs,
            limit: None,
        };
        for left in engine.dims.left.clone() {
            let mut from = vec![left.origin];
            let one = arithmetic.term(engine, left.sides.0, &mut from)?;
            let other = arithmetic.term(engine, left.sides.1, &mut from)?;
            arithmetic.assert(engine, Fact::Equal(one, other), from);
        }
        let zero = arithmetic.store.number(0);
        for (divisor, origin) in engine.divisors.clone() {
            let mut from = vec![origin];
            let term = arithmetic.term(engine, divisor, &mut from)?;
            arithmetic.assert(engine, Fact::Differ(term, zero), from);
        }
        let mut sizes = Vec::new();
        for (dim, origin) in engine.positive.clone() {
            sizes.extend(size(engine, dim, vec![origin])?);
        }
        // The value of a name is at least 1 as the name is.
        for variable in engine.dims.known() {
            let dim = engine.pool.var(variable);
            sizes.extend(size(engine, dim, Vec::new())?);
        }
        for (form, origin) in smallest(sizes) {
            let term = arithmetic.form(engine, &form)?;
            let one = arithmetic.store.number(1);
            arithmetic.assert(engine, Fact::AtMost(one, term), vec![origin]);
        }
        Ok(arithmetic)
    }

    /// Adds a fact that follows from others.
    pub(crate) fn assert(&mut self, engine: &mut Engine<'_>, fact: Fact, from: Vec<OriginId>) {
        let reason = Reason(self.origins.len() as u32);
        self.origins.push(engine.origins.derived(from));
        self.store.assert(fact, reason);
    }

    /// Adds a fact beside the equations.
    pub(crate) fn assert_extra(
        &mut self,
        engine: &mut Engine<'_>,
        extra: &Extra,
    ) -> Result<(), Stop> {
        let mut from = Vec::new();
        let facts = match extra {
            Extra::Differ(one, other) => {
                let one = self.term(engine, *one, &mut from)?;
                vec![Fact::Differ(one, self.term(engine, *other, &mut from)?)]
            }
            Extra::Less(dim, number) => {
                let term = self.term(engine, *dim, &mut from)?;
                vec![Fact::Less(term, self.store.number(*number))]
            }
            Extra::DoesNotDivide(number, dim) => {
                vec![Fact::DoesNotDivide(
                    *number,
                    self.term(engine, *dim, &mut from)?,
                )]
            }
            Extra::Zero(dim) => {
                let term = self.term(engine, *dim, &mut from)?;
                vec![Fact::Equal(term, self.store.number(0))]
            }
            Extra::AnyDiffers(values) => {
                let mut facts = Vec::new();
                for (dim, value) in values {
                    let term = self.term(engine, *dim, &mut from)?;
                    facts.push(Fact::Differ(term, self.store.number(*value)));
                }
                facts
            }
        };
        let reason = Reason(self.origins.len() as u32);
        self.origins.push(engine.origins.derived(from));
        self.store.assert_any(&facts, reason);
        Ok(())
    }

    /// Returns the term of a dimension, and adds the origins of the values that were used.
    pub(crate) fn term(
        &mut self,
        engine: &mut Engine<'_>,
        dim: DimId,
        from: &mut Vec<OriginId>,
    ) -> Result<Term, Stop> {
        let form = engine
            .dims
            .reduced(engine.pool, &mut engine.origins, dim, from)?;
        self.form(engine, &form)
    }

    /// Returns the term of a normal form over names without value. Its opaque parts are made before it, without
    /// recursion.
    fn form(&mut self, engine: &mut Engine<'_>, form: &Linear) -> Result<Term, Stop> {
        let root = engine.pool.term(form);
        let mut pending = vec![root];
        while let Some(&dim) = pending.last() {
            if self.terms.contains_key(&dim) {
                pending.pop();
                continue;
            }
            let form = engine.pool.linear(dim)?;
            let missing: Vec<DimId> = form
                .terms
                .iter()
                .flat_map(|(atom, _)| parts(atom))
                .filter(|part| !self.terms.contains_key(part))
                .collect();
            if missing.is_empty() {
                let term = self.form_of_parts(engine, &form);
                self.terms.insert(dim, term);
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
        Ok(self.terms[&root])
    }

    fn form_of_parts(&mut self, engine: &mut Engine<'_>, form: &Linear) -> Term {
        let mut parts = Vec::with_capacity(form.terms.len());
        for (atom, coefficient) in &form.terms {
            let term = match atom {
                Atom::Var(variable) => *self
                    .names
                    .entry(*variable)
                    .or_insert_with(|| self.store.size()),
                // A ragged dimension is one unknown size here; what it may be equal to is decided elsewhere.
                Atom::Ragged(_) => self.store.size(),
                Atom::Product(factors) => self.product(factors),
                Atom::Quotient(dividend, divisor) => self.quotient(engine, *dividend, *divisor),
            };
            parts.push((*coefficient, term));
        }
        self.store.sum(&parts, form.constant)
    }

    fn product(&mut self, factors: &[(DimId, u32)]) -> Term {
        let mut product = self.store.number(1);
        for (factor, exponent) in factors {
            if *exponent > LARGEST_EXPONENT {
                self.limit = Some(format!("a power with the exponent {exponent}"));
                return self.store.integer();
            }
            for _ in 0..*exponent {
                product = self.store.product(product, self.terms[factor]);
            }
        }
        product
    }

    /// Returns a quotient, rounded down. By a divisor that is not constant it is an integer between two bounds.
    fn quotient(&mut self, engine: &mut Engine<'_>, dividend: DimId, divisor: DimId) -> Term {
        let (top, bottom) = (self.terms[&dividend], self.terms[&divisor]);
        let form = engine.pool.linear(divisor);
        let number = form.as_ref().ok().and_then(|form| form.as_number());
        if let Some(number) = number
            .and_then(|number| u64::try_from(number).ok())
            .and_then(NonZeroU64::new)
        {
            return self.store.floor_div(top, number);
        }
        let is_negative = if form.is_ok_and(|form| is_positive(&form)) {
            false
        } else {
            self.open_signs += 1;
            self.open_signs <= 32 && self.signs >> (self.open_signs - 1) & 1 == 1
        };
        let quotient = self.store.integer();
        let product = self.store.product(quotient, bottom);
        let rest = self.store.sum(&[(1, top), (-1, product)], 0);
        let (zero, one, minus_one) = (
            self.store.number(0),
            self.store.number(1),
            self.store.number(-1),
        );
        // The rest is between 0 and the divisor, which belongs to the side of its sign.
        let facts = if is_negative {
            [
                Fact::AtMost(bottom, minus_one),
                Fact::AtMost(rest, zero),
                Fact::Less(bottom, rest),
            ]
        } else {
            [
                Fact::AtMost(one, bottom),
                Fact::AtMost(zero, rest),
                Fact::Less(rest, bottom),
            ]
        };
        for fact in facts {
            self.assert(engine, fact, Vec::new());
        }
        quotient
    }

    /// Decides whether the facts have a common solution.
    pub(crate) fn check(&mut self) -> Answer {
        match self.store.check() {
            Verdict::Satisfiable => match &self.limit {
                None => Answer::Satisfiable,
                Some(limit) => Answer::Unknown(limit.clone()),
            },
            Verdict::Unsatisfiable(reasons) => {
                let origins = reasons
                    .reasons
                    .iter()
                    .filter_map(|reason| self.origins.get(reason.0 as usize));
                Answer::Unsatisfiable(origins.copied().collect())
            }
            Verdict::Unknown(limit) => Answer::Unknown(limit.to_string()),
        }
    }

    /// Returns the value of a name in the solution that was found, and 1 for a name in no fact.
    pub(crate) fn value(&mut self, variable: DimVar) -> Option<i64> {
        let Some(&term) = self.names.get(&variable) else {
            return Some(1);
        };
        self.store.model()?.value(term)
    }
}

/// The form of a size that may be less than 1, with the origin of the fact that it is not.
type Size = (Arc<Linear>, OriginId);

/// Returns the form of a size; none if it is at least 1 whatever the values of its names.
fn size(
    engine: &mut Engine<'_>,
    dim: DimId,
    mut from: Vec<OriginId>,
) -> Result<Option<Size>, Stop> {
    let form = engine
        .dims
        .reduced(engine.pool, &mut engine.origins, dim, &mut from)?;
    if is_positive(&form) {
        return Ok(None);
    }
    let origin = engine.origins.derived(from);
    if let Some(number) = form.as_number() {
        let shown = engine.pool.show(dim);
        let clash = Clash::said(format!("{shown} is {number}, and sizes are at least 1"));
        return Err(Stop::clash(origin, clash));
    }
    Ok(Some((form, origin)))
}

/// Leaves out sizes that are never below another one that stands shortly behind them. A chain of convolutions has a
/// size for each, of which the last one is the smallest.
fn smallest(sizes: Vec<Size>) -> Vec<Size> {
    const NEAR: usize = 8;
    let mut kept: Vec<Size> = Vec::new();
    for size in sizes.into_iter().rev() {
        let mut near = kept.iter().rev().take(NEAR);
        if !near.any(|(other, _)| size.0.is_never_below(other)) {
            kept.push(size);
        }
    }
    kept.reverse();
    kept
}

/// Returns the opaque operands of an atom.
fn parts(atom: &Atom) -> Vec<DimId> {
    match atom {
        Atom::Var(_) | Atom::Ragged(_) => Vec::new(),
        Atom::Product(factors) => factors.iter().map(|(factor, _)| *factor).collect(),
        Atom::Quotient(dividend, divisor) => vec![*dividend, *divisor],
    }
}

/// Tells whether a form is at least 1 whatever the values of its names, by its signs alone.
pub(crate) fn is_positive(form: &Linear) -> bool {
    let is_name = |atom: &Atom| matches!(atom, Atom::Var(_) | Atom::Ragged(_));
    if !form
        .terms
        .iter()
        .all(|(atom, coefficient)| is_name(atom) && *coefficient > 0)
    {
        return false;
    }
    let least = form
        .terms
        .iter()
        .map(|(_, coefficient)| i128::from(*coefficient))
        .sum::<i128>();
    least + i128::from(form.constant) >= 1
}
