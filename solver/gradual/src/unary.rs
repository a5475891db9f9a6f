//! The exact solutions of a formula in one symbol.
//!
//! Modulo a period `P` that the divisors of the formula determine, every quotient by a number is a polynomial: where
//! `x = r + P*k`, the quotient `⌊t/d⌋` has integer coefficients in `k` as soon as `d` divides those of `t`. So for each
//! residue `r` a term is a polynomial in `k`, or a few of them on intervals where a condition switches, and a formula
//! is a set of intervals of `k`.

mod pieces;

use crate::integers::{Integers, MAX_PERIOD, combined};
use crate::limit::Limit;
use crate::term::walk::Item;
use crate::term::{AtomKind, Formula, FormulaKind, Int, Symbol, Term, Terms, gcd};
use pieces::{Intervals, Pieces};
use rustc_hash::FxHashMap;

/// The number of steps that one formula may take.
const MAX_WORK: usize = 4_000_000;

/// The reason why the evaluation for one residue stopped.
enum Stopped {
    /// The period has to be multiplied by the number.
    Factor(Int),
    Limit(Limit),
}

impl From<Limit> for Stopped {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// Returns the values of the symbol, among those of `domain`, for which the formula holds. The formula has no other
/// symbol.
pub(crate) fn solve(
    terms: &mut Terms,
    formula: Formula,
    symbol: Symbol,
    domain: &Integers,
) -> Result<Integers, Limit> {
    solutions(terms, formula, symbol)?
        .intersect(domain)
        .map_err(|_| Limit::Period)
}

/// Returns all values of the symbol for which the formula holds. Each formula is solved once.
pub(crate) fn solutions(
    terms: &mut Terms,
    formula: Formula,
    symbol: Symbol,
) -> Result<Integers, Limit> {
    if let Some(known) = terms.solutions.get(&formula) {
        return known.clone();
    }
    let bounds = terms.symbol_bounds(symbol);
    let found = by_residues(
        terms,
        formula,
        symbol,
        &Integers::between(bounds.low, bounds.high),
    );
    terms.solutions.insert(formula, found.clone());
    found
}

fn by_residues(
    terms: &Terms,
    formula: Formula,
    symbol: Symbol,
    domain: &Integers,
) -> Result<Integers, Limit> {
    let order = terms.order(Item::Formula(formula), |_| true);
    let mut period: Int = 1;
    'periods: loop {
        if usize::try_from(period)
            .unwrap_or(usize::MAX)
            .saturating_mul(order.len())
            > MAX_WORK
        {
            return Err(Limit::Period);
        }
        terms.charge(
            usize::try_from(period)
                .unwrap_or(0)
                .saturating_mul(order.len()),
        );
        let mut classes = Vec::new();
        // A factor that is found makes the period longer, and all begins anew.
        let tried = period;
        for residue in 0..tried {
            match Residue::new(terms, symbol, residue, tried).formula(&order, formula) {
                Ok(intervals) => classes.push(intervals),
                Err(Stopped::Factor(factor)) => {
                    period = tried
                        .checked_mul(factor)
                        .filter(|period| *period <= MAX_PERIOD)
                        .ok_or(Limit::Period)?;
                    continue 'periods;
                }
                Err(Stopped::Limit(limit)) => return Err(limit),
            }
        }
        let solutions = Integers::from_classes(period, classes);
        return solutions.intersect(domain).map_err(|_| Limit::Period);
    }
}

/// The terms and formulas where the symbol is `residue + period*k`.
struct Residue<'a> {
    terms: &'a Terms,
    symbol: Symbol,
    residue: Int,
    period: Int,
    values: FxHashMap<Item, Pieces>,
    truths: FxHashMap<Formula, Intervals>,
}

impl<'a> Residue<'a> {
    fn new(terms: &'a Terms, symbol: Symbol, residue: Int, period: Int) -> Self {
        Self {
            terms,
            symbol,
            residue,
            period,
            values: FxHashMap::default(),
            truths: FxHashMap::default(),
        }
    }

    fn formula(mut self, order: &[Item], root: Formula) -> Result<Intervals, Stopped> {
        // Outside the bounds of the symbol nothing is asked, and there a divisor may be 0.
        let bounds = self.terms.symbol_bounds(self.symbol);
        let low = bounds.low.map_or(Int::MIN, |low| {
            (low - self.residue + self.period - 1).div_euclid(self.period)
        });
        let high = bounds.high.map_or(Int::MAX, |high| {
            (high - self.residue).div_euclid(self.period)
        });
        let range = (low, high);
        if low > high {
            return Ok(Vec::new());
        }
        for item in order {
            match *item {
                Item::Term(term) => {
                    let value = self.polynomial(term, range)?;
                    self.values.insert(*item, value);
                }
                Item::Atom(atom) => {
                    let value = self.atom(&self.terms.atom_kind(atom).clone(), range)?;
                    self.values.insert(*item, value);
                }
                Item::Formula(formula) => {
                    let truth = self.truth(formula, range)?;
                    self.truths.insert(formula, truth);
                }
            }
        }
        Ok(self.truths.remove(&root).unwrap_or_default())
    }

    fn of(&self, term: Term) -> &Pieces {
        &self.values[&Item::Term(term)]
    }

    fn polynomial(&self, term: Term, range: (Int, Int)) -> Result<Pieces, Stopped> {
        let mut sum = Pieces::constant(0, range);
        for (monomial, coefficient) in &self.terms.polynomial(term).parts {
            let mut product = Pieces::constant(*coefficient, range);
            for (atom, power) in monomial {
                for _ in 0..*power {
                    product = product.times(&self.values[&Item::Atom(*atom)])?;
                }
            }
            sum = sum.plus(&product)?;
        }
        Ok(sum)
    }

    fn atom(&self, kind: &AtomKind, range: (Int, Int)) -> Result<Pieces, Stopped> {
        match kind {
            AtomKind::Symbol(_) => Ok(Pieces::linear(self.residue, self.period, range)),
            AtomKind::Floor(term, by) => divided(self.of(*term), *by),
            AtomKind::Quotient(upper, lower) => quotient(self.of(*upper), self.of(*lower)),
            AtomKind::Select(condition, then, otherwise) => Ok(self
                .of(*then)
                .choose(self.of(*otherwise), &self.truths[condition])?),
            AtomKind::Broadcast(sizes) => {
                let mut sizes = sizes.iter();
                let mut result = sizes.next().map_or_else(
                    || Pieces::constant(1, range),
                    |first| self.of(*first).clone(),
                );
                for size in sizes {
                    let is_one = result.shifted(-1)?.zeros()?;
                    result = self.of(*size).choose(&result, &is_one)?;
                }
                Ok(result)
            }
        }
    }

    fn truth(&self, formula: Formula, range: (Int, Int)) -> Result<Intervals, Stopped> {
        let all = || vec![range];
        Ok(match &**self.terms.formula_kind(formula) {
            FormulaKind::Constant(true) => all(),
            FormulaKind::Constant(false) => Vec::new(),
            FormulaKind::Zero(term) => self.of(*term).zeros()?,
            FormulaKind::NotZero(term) => {
                combined(&all(), &self.of(*term).zeros()?, |inside, zero| {
                    inside && !zero
                })
            }
            FormulaKind::AtLeastZero(term) => self.of(*term).not_negative()?,
            FormulaKind::All(parts) => parts.iter().fold(all(), |truth, part| {
                intersection(&truth, &self.truths[part])
            }),
            FormulaKind::Any(parts) => parts
                .iter()
                .fold(Vec::new(), |truth, part| union(&truth, &self.truths[part])),
            FormulaKind::Compatible(sizes) => {
                let mut truth = all();
                for (at, left) in sizes.iter().enumerate() {
                    for right in &sizes[at + 1..] {
                        let equal = self.of(*left).minus(self.of(*right))?.zeros()?;
                        let one = union(
                            &self.of(*left).shifted(-1)?.zeros()?,
                            &self.of(*right).shifted(-1)?.zeros()?,
                        );
                        truth = intersection(&truth, &union(&equal, &one));
                    }
                }
                truth
            }
        })
    }
}

fn union(left: &[(Int, Int)], right: &[(Int, Int)]) -> Intervals {
    combined(left, right, |left, right| left || right)
}

fn intersection(left: &[(Int, Int)], right: &[(Int, Int)]) -> Intervals {
    combined(left, right, |left, right| left && right)
}

fn divided(pieces: &Pieces, by: Int) -> Result<Pieces, Stopped> {
    let content = pieces.content();
    if content % by != 0 {
        return Err(Stopped::Factor(by / gcd(content, by)));
    }
    Ok(pieces.floor(by))
}

/// Returns the quotient by a term that is a number on each piece, or divides exactly.
fn quotient(upper: &Pieces, lower: &Pieces) -> Result<Pieces, Stopped> {
    let (upper, lower) = upper.refined(lower)?;
    let mut result = Vec::new();
    for (above, below) in upper.parts.into_iter().zip(lower.parts) {
        let divisor = below.constant().ok_or(Limit::Quotient)?;
        if divisor == 0 {
            return Err(Limit::Quotient.into());
        }
        let sign = divisor.signum();
        let part = Pieces { parts: vec![above] }.scaled(sign)?;
        result.extend(divided(&part, divisor.abs())?.parts);
    }
    Ok(Pieces { parts: result })
}

/// Returns the values of a symbol before anything is demanded.
pub(crate) fn domain(terms: &Terms, symbol: Symbol) -> Integers {
    let bounds = terms.symbol_bounds(symbol);
    Integers::between(bounds.low, bounds.high)
}
