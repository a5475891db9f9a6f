//! The values of terms and formulas where the symbols have values.

use super::walk::Item;
use super::{AtomKind, Formula, FormulaKind, Int, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// The test that a formula makes of the value of its term.
type Truth = fn(Int) -> bool;

/// A formula that is evaluated at many points: what it is made of is listed once.
pub(crate) struct Evaluated {
    formula: Formula,
    order: Vec<Item>,
    values: FxHashMap<Item, Option<Int>>,
}

impl Evaluated {
    pub(crate) fn new(terms: &Terms, formula: Formula) -> Self {
        Self {
            formula,
            order: terms.order(Item::Formula(formula), |_| true),
            values: FxHashMap::default(),
        }
    }

    /// Says whether the formula holds, as [`Terms::holds`] does.
    pub(crate) fn holds(
        &mut self,
        terms: &Terms,
        of: &impl Fn(Symbol) -> Option<Int>,
    ) -> Option<bool> {
        let value = match terms.plain(Item::Formula(self.formula), of) {
            Some(value) => value,
            None => {
                terms.charge(self.order.len());
                terms.last(&self.order, &mut self.values, of)
            }
        };
        value.map(|value| value != 0)
    }
}

impl Terms {
    /// Returns the value of a term, or nothing where a symbol has none, a divisor is 0, or a number is too large.
    pub fn value(&self, term: Term, of: &impl Fn(Symbol) -> Option<Int>) -> Option<Int> {
        self.evaluate(Item::Term(term), of)
    }

    /// Says whether a formula holds, or nothing where a symbol has no value, a divisor is 0, or a number is too large.
    pub fn holds(&self, formula: Formula, of: &impl Fn(Symbol) -> Option<Int>) -> Option<bool> {
        self.evaluate(Item::Formula(formula), of)
            .map(|value| value != 0)
    }

    fn evaluate(&self, root: Item, of: &impl Fn(Symbol) -> Option<Int>) -> Option<Int> {
        if let Some(value) = self.plain(root, of) {
            return value;
        }
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

    /// Returns the value of what has no parts but symbols: nothing else is kept meanwhile. Nothing for what has others.
    fn plain(&self, root: Item, of: &impl Fn(Symbol) -> Option<Int>) -> Option<Option<Int>> {
        let (term, truth): (Term, Option<Truth>) = match root {
            Item::Term(term) => (term, None),
            Item::Atom(_) => return None,
            Item::Formula(formula) => match &**self.formula_kind(formula) {
                FormulaKind::Zero(term) => (*term, Some(|value| value == 0)),
                FormulaKind::NotZero(term) => (*term, Some(|value| value != 0)),
                FormulaKind::AtLeastZero(term) => (*term, Some(|value| value >= 0)),
                _ => return None,
            },
        };
        let parts = &self.polynomial(term).parts;
        self.charge(parts.len() + 1);
        let mut sum = Some(0);
        for (monomial, coefficient) in parts {
            let mut product = Some(*coefficient);
            for (atom, power) in monomial {
                let AtomKind::Symbol(symbol) = **self.atom_kind(*atom) else {
                    return None;
                };
                let value = of(symbol).and_then(|value| value.checked_pow(*power));
                product = product
                    .zip(value)
                    .and_then(|(one, two)| one.checked_mul(two));
            }
            sum = sum
                .zip(product)
                .and_then(|(one, two)| Int::checked_add(one, two));
        }
        Some(sum.map(|value| truth.map_or(value, |truth| Int::from(truth(value)))))
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
