//! The values of terms and formulas where the symbols have values.

use super::walk::Item;
use super::{AtomKind, Formula, FormulaKind, Int, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// The number of levels up to which a value is computed without keeping those of parts: of formulas in formulas, and of
/// terms in atoms.
const SHALLOW: usize = 3;

/// A formula that is evaluated at many points: what it is made of is listed once.
pub(crate) struct Evaluated {
    formula: Formula,
    /// The parts of a formula that is not shallow.
    order: Vec<Item>,
    values: FxHashMap<Item, Option<Int>>,
}

impl Evaluated {
    pub(crate) fn new(formula: Formula) -> Self {
        Self {
            formula,
            order: Vec::new(),
            values: FxHashMap::default(),
        }
    }

    /// Says whether the formula holds, as [`Terms::holds`] does.
    pub(crate) fn holds(
        &mut self,
        terms: &Terms,
        of: &impl Fn(Symbol) -> Option<Int>,
    ) -> Option<bool> {
        if let Some(truth) = terms.shallow_truth(self.formula, of, SHALLOW) {
            return truth;
        }
        if self.order.is_empty() {
            self.order = terms.order(Item::Formula(self.formula), |_| true);
        }
        terms.charge(self.order.len());
        let value = terms.last(&self.order, &mut self.values, of);
        value.map(|value| value != 0)
    }
}

impl Terms {
    /// Returns the value of a term, or nothing where a symbol has none, a divisor is 0, or a number is too large.
    pub fn value(&self, term: Term, of: &impl Fn(Symbol) -> Option<Int>) -> Option<Int> {
        if let Some(value) = self.shallow_value(term, of, SHALLOW) {
            return value;
        }
        self.evaluate(Item::Term(term), of)
    }

    /// Says whether a formula holds, or nothing where a symbol has no value, a divisor is 0, or a number is too large.
    pub fn holds(&self, formula: Formula, of: &impl Fn(Symbol) -> Option<Int>) -> Option<bool> {
        if let Some(truth) = self.shallow_truth(formula, of, SHALLOW) {
            return truth;
        }
        self.evaluate(Item::Formula(formula), of)
            .map(|value| value != 0)
    }

    fn evaluate(&self, root: Item, of: &impl Fn(Symbol) -> Option<Int>) -> Option<Int> {
        let order = self.order(root, |_| true);
        self.last(&order, &mut FxHashMap::default(), of)
    }

    /// Returns the value of the last of items, each of which stands behind its parts.
    fn last(
        &self,
        order: &[Item],
        values: &mut FxHashMap<Item, Option<Int>>,
        of: &impl Fn(Symbol) -> Option<Int>,
    ) -> Option<Int> {
        values.clear();
        values.reserve(order.len());
        for item in order {
            let value = self.step(*item, values, of);
            values.insert(*item, value);
        }
        values.get(order.last()?).copied().flatten()
    }

    /// Returns the value of a term as [`Terms::value`] does. Nothing is kept meanwhile; nothing is returned for a term
    /// of more levels, or with a condition inside.
    fn shallow_value(
        &self,
        term: Term,
        of: &impl Fn(Symbol) -> Option<Int>,
        levels: usize,
    ) -> Option<Option<Int>> {
        let parts = &self.polynomial(term).parts;
        self.charge(parts.len() + 1);
        let mut sum = Some(0);
        for (monomial, coefficient) in parts {
            let mut product = Some(*coefficient);
            for (atom, power) in monomial {
                let value = self.shallow_atom(self.atom_kind(*atom), of, levels)?;
                let value = value.and_then(|value| value.checked_pow(*power));
                product = product
                    .zip(value)
                    .and_then(|(one, two)| one.checked_mul(two));
            }
            sum = sum
                .zip(product)
                .and_then(|(one, two)| Int::checked_add(one, two));
        }
        Some(sum)
    }

    fn shallow_atom(
        &self,
        kind: &AtomKind,
        of: &impl Fn(Symbol) -> Option<Int>,
        levels: usize,
    ) -> Option<Option<Int>> {
        let below = levels.checked_sub(1);
        let value = |term: Term| self.shallow_value(term, of, below?);
        Some(match kind {
            AtomKind::Symbol(symbol) => of(*symbol),
            AtomKind::Floor(inner, by) => value(*inner)?.map(|value| value.div_euclid(*by)),
            AtomKind::Quotient(upper, lower) => match (value(*upper)?, value(*lower)?) {
                (Some(upper), Some(lower)) if lower != 0 => Some(floor_of(upper, lower)),
                _ => None,
            },
            AtomKind::Select(..) | AtomKind::Broadcast(_) => return None,
        })
    }

    /// Says whether a formula holds as [`Terms::holds`] does, in the way of [`Terms::shallow_value`].
    fn shallow_truth(
        &self,
        formula: Formula,
        of: &impl Fn(Symbol) -> Option<Int>,
        levels: usize,
    ) -> Option<Option<bool>> {
        let value = |term: Term| self.shallow_value(term, of, levels);
        Some(match &**self.formula_kind(formula) {
            FormulaKind::Constant(truth) => Some(*truth),
            FormulaKind::Zero(term) => value(*term)?.map(|value| value == 0),
            FormulaKind::NotZero(term) => value(*term)?.map(|value| value != 0),
            FormulaKind::AtLeastZero(term) => value(*term)?.map(|value| value >= 0),
            FormulaKind::All(parts) => self.first_of(parts, false, of, levels)?,
            FormulaKind::Any(parts) => self.first_of(parts, true, of, levels)?,
            FormulaKind::Compatible(_) => return None,
        })
    }

    /// Returns the truth that decides, if some part has it, and the other one if all parts have that.
    fn first_of(
        &self,
        parts: &[Formula],
        decides: bool,
        of: &impl Fn(Symbol) -> Option<Int>,
        levels: usize,
    ) -> Option<Option<bool>> {
        let below = levels.checked_sub(1)?;
        let mut truth = Some(!decides);
        for part in parts {
            match self.shallow_truth(*part, of, below)? {
                Some(found) if found == decides => return Some(Some(decides)),
                Some(_) => {}
                None => truth = None,
            }
        }
        Some(truth)
    }

    fn step(
        &self,
        item: Item,
        values: &FxHashMap<Item, Option<Int>>,
        of: &impl Fn(Symbol) -> Option<Int>,
    ) -> Option<Int> {
        let term = |term: Term| values[&Item::Term(term)];
        match item {
            Item::Term(term) => self.polynomial(term).parts.iter().try_fold(
                0,
                |sum: Int, (monomial, coefficient)| {
                    let product =
                        monomial
                            .iter()
                            .try_fold(*coefficient, |product, (atom, power)| {
                                product
                                    .checked_mul(values[&Item::Atom(*atom)]?.checked_pow(*power)?)
                            })?;
                    sum.checked_add(product)
                },
            ),
            Item::Atom(atom) => match &**self.atom_kind(atom) {
                AtomKind::Symbol(symbol) => of(*symbol),
                AtomKind::Floor(inner, by) => Some(term(*inner)?.div_euclid(*by)),
                AtomKind::Quotient(upper, lower) => {
                    let (upper, lower) = (term(*upper)?, term(*lower)?);
                    if lower == 0 {
                        None
                    } else {
                        Some(floor_of(upper, lower))
                    }
                }
                AtomKind::Select(condition, then, otherwise) => {
                    if values[&Item::Formula(*condition)]? == 0 {
                        term(*otherwise)
                    } else {
                        term(*then)
                    }
                }
                AtomKind::Broadcast(sizes) => {
                    let sizes = sizes
                        .iter()
                        .map(|size| term(*size))
                        .collect::<Option<Vec<_>>>()?;
                    Some(sizes.into_iter().find(|size| *size != 1).unwrap_or(1))
                }
            },
            Item::Formula(formula) => {
                let part = |part: &Formula| values[&Item::Formula(*part)];
                let truth = match &**self.formula_kind(formula) {
                    FormulaKind::Constant(value) => *value,
                    FormulaKind::Zero(inner) => term(*inner)? == 0,
                    FormulaKind::NotZero(inner) => term(*inner)? != 0,
                    FormulaKind::AtLeastZero(inner) => term(*inner)? >= 0,
                    // A part that has no value does not matter beside one that decides.
                    FormulaKind::All(parts) => {
                        let decides = parts.iter().any(|formula| part(formula) == Some(0));
                        !decides
                            && parts
                                .iter()
                                .map(part)
                                .collect::<Option<Vec<_>>>()
                                .map(|_| true)?
                    }
                    FormulaKind::Any(parts) => {
                        let decides = parts
                            .iter()
                            .any(|formula| part(formula).is_some_and(|value| value != 0));
                        decides
                            || parts
                                .iter()
                                .map(part)
                                .collect::<Option<Vec<_>>>()
                                .map(|_| false)?
                    }
                    FormulaKind::Compatible(sizes) => {
                        let sizes = sizes
                            .iter()
                            .map(|size| term(*size))
                            .collect::<Option<Vec<_>>>()?;
                        let mut others = sizes.into_iter().filter(|size| *size != 1);
                        others
                            .next()
                            .is_none_or(|first| others.all(|size| size == first))
                    }
                };
                Some(Int::from(truth))
            }
        }
    }
}

/// Returns the quotient rounded down, whatever the signs.
pub(crate) fn floor_of(upper: Int, lower: Int) -> Int {
    let quotient = upper / lower;
    if upper % lower != 0 && (upper < 0) != (lower < 0) {
        quotient - 1
    } else {
        quotient
    }
}
