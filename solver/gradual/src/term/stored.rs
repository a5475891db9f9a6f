//! Terms and formulas as data that can be written to a file and read again.

use super::walk::Item;
use super::{AtomKind, Bounds, Formula, FormulaKind, Int, Term, Terms};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Terms and formulas, each entry after those that it is made of and that it names by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Stored {
    entries: Vec<Entry>,
}

/// A product of powers with its factor: the places of functions with their powers.
type Product = (i64, Vec<(usize, u32)>);

/// A function, a sum of products of functions, or a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Entry {
    /// A symbol with the numbers between which it lies.
    Symbol(String, Option<i64>, Option<i64>),
    Floor(usize, i64),
    Quotient(usize, usize),
    Select(usize, usize, usize),
    Broadcast(Vec<usize>),
    Sum(Vec<Product>),
    Constant(bool),
    Zero(usize),
    NotZero(usize),
    AtLeastZero(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Compatible(Vec<usize>),
}

/// The result of loading an entry.
#[derive(Clone, Copy)]
enum Loaded {
    Term(Term),
    Formula(Formula),
}

impl Stored {
    /// Adds a term and returns its place. Nothing if a number has more than 64 bits.
    pub(crate) fn term(&mut self, terms: &Terms, places: &mut Places, term: Term) -> Option<usize> {
        self.item(terms, places, Item::Term(term))
    }

    /// Adds a formula and returns its place.
    pub(crate) fn formula(
        &mut self,
        terms: &Terms,
        places: &mut Places,
        formula: Formula,
    ) -> Option<usize> {
        self.item(terms, places, Item::Formula(formula))
    }

    fn item(&mut self, terms: &Terms, places: &mut Places, root: Item) -> Option<usize> {
        for item in terms.order(root, |item| !places.0.contains_key(&item)) {
            let entry = entry(terms, places, item)?;
            places.0.insert(item, self.entries.len());
            self.entries.push(entry);
        }
        places.0.get(&root).copied()
    }

    /// Makes the terms and formulas anew, the symbols from their names. Nothing if the entries are not those of a file
    /// that was written.
    pub(crate) fn load(
        &self,
        terms: &mut Terms,
        symbol: &mut impl FnMut(&mut Terms, &str, Bounds) -> Term,
    ) -> Option<Restored> {
        let mut loaded: Vec<Loaded> = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let next = load(terms, symbol, &loaded, entry)?;
            loaded.push(next);
        }
        Some(Restored(loaded))
    }
}

/// The places of what was stored already.
#[derive(Default)]
pub(crate) struct Places(FxHashMap<Item, usize>);

/// The loaded terms and formulas, by their places.
pub(crate) struct Restored(Vec<Loaded>);

impl Restored {
    pub(crate) fn term(&self, at: usize) -> Option<Term> {
        term(&self.0, at)
    }

    pub(crate) fn formula(&self, at: usize) -> Option<Formula> {
        formula(&self.0, at)
    }
}

fn entry(terms: &Terms, places: &Places, item: Item) -> Option<Entry> {
    let place = |item: Item| places.0.get(&item).copied();
    let term = |term: &Term| place(Item::Term(*term));
    let all = |terms: &[Term]| terms.iter().map(term).collect::<Option<Vec<usize>>>();
    let formulas = |formulas: &[Formula]| {
        formulas
            .iter()
            .map(|part| place(Item::Formula(*part)))
            .collect::<Option<Vec<usize>>>()
    };
    let number = |number: Int| i64::try_from(number).ok();
    Some(match item {
        Item::Term(term) => {
            let products = terms
                .polynomial(term)
                .parts
                .iter()
                .map(|(monomial, factor)| {
                    let powers = monomial
                        .iter()
                        .map(|(atom, power)| Some((place(Item::Atom(*atom))?, *power)));
                    Some((number(*factor)?, powers.collect::<Option<Vec<_>>>()?))
                });
            Entry::Sum(products.collect::<Option<Vec<_>>>()?)
        }
        Item::Atom(atom) => match &**terms.atom_kind(atom) {
            AtomKind::Symbol(symbol) => {
                let Bounds { low, high } = terms.symbol_bounds(*symbol);
                let bound = |bound: Option<Int>| {
                    bound
                        .map(number)
                        .map_or(Some(None), |bound| bound.map(Some))
                };
                Entry::Symbol(terms.name(*symbol).to_owned(), bound(low)?, bound(high)?)
            }
            AtomKind::Floor(inner, by) => Entry::Floor(term(inner)?, number(*by)?),
            AtomKind::Quotient(upper, lower) => Entry::Quotient(term(upper)?, term(lower)?),
            AtomKind::Select(condition, then, otherwise) => Entry::Select(
                place(Item::Formula(*condition))?,
                term(then)?,
                term(otherwise)?,
            ),
            AtomKind::Broadcast(sizes) => Entry::Broadcast(all(sizes)?),
        },
        Item::Formula(formula) => match &**terms.formula_kind(formula) {
            FormulaKind::Constant(value) => Entry::Constant(*value),
            FormulaKind::Zero(inner) => Entry::Zero(term(inner)?),
            FormulaKind::NotZero(inner) => Entry::NotZero(term(inner)?),
            FormulaKind::AtLeastZero(inner) => Entry::AtLeastZero(term(inner)?),
            FormulaKind::All(parts) => Entry::All(formulas(parts)?),
            FormulaKind::Any(parts) => Entry::Any(formulas(parts)?),
            FormulaKind::Compatible(sizes) => Entry::Compatible(all(sizes)?),
        },
    })
}

fn load(
    terms: &mut Terms,
    symbol: &mut impl FnMut(&mut Terms, &str, Bounds) -> Term,
    known: &[Loaded],
    entry: &Entry,
) -> Option<Loaded> {
    let term_at = |at: &usize| term(known, *at);
    let terms_at = |places: &[usize]| places.iter().map(term_at).collect::<Option<Vec<Term>>>();
    let formulas_at = |places: &[usize]| {
        places
            .iter()
            .map(|at| formula(known, *at))
            .collect::<Option<Vec<Formula>>>()
    };
    let loaded = match entry {
        Entry::Symbol(name, low, high) => {
            let bounds = Bounds {
                low: low.map(Int::from),
                high: high.map(Int::from),
            };
            Loaded::Term(symbol(terms, name, bounds))
        }
        Entry::Floor(inner, by) => {
            Loaded::Term(terms.floor_divide(term_at(inner)?, Int::from(*by).max(1)))
        }
        Entry::Quotient(upper, lower) => {
            Loaded::Term(terms.divide(term_at(upper)?, term_at(lower)?))
        }
        Entry::Select(condition, then, otherwise) => Loaded::Term(terms.select(
            formula(known, *condition)?,
            term_at(then)?,
            term_at(otherwise)?,
        )),
        Entry::Broadcast(sizes) => Loaded::Term(terms.broadcast(&terms_at(sizes)?)),
        Entry::Sum(products) => Loaded::Term(sum(terms, known, products)?),
        Entry::Constant(value) => Loaded::Formula(Formula::constant(*value)),
        Entry::Zero(inner) => Loaded::Formula(terms.zero(term_at(inner)?)),
        Entry::NotZero(inner) => {
            let zero = terms.zero(term_at(inner)?);
            Loaded::Formula(terms.not(zero))
        }
        Entry::AtLeastZero(inner) => Loaded::Formula(terms.at_least_zero(term_at(inner)?)),
        Entry::All(parts) => Loaded::Formula(terms.all(&formulas_at(parts)?)),
        Entry::Any(parts) => Loaded::Formula(terms.any(&formulas_at(parts)?)),
        Entry::Compatible(sizes) => Loaded::Formula(terms.compatible(&terms_at(sizes)?)),
    };
    Some(loaded)
}

/// The powers beyond which a file is damaged.
const MAX_POWER: u32 = 64;

fn sum(terms: &mut Terms, known: &[Loaded], products: &[Product]) -> Option<Term> {
    let mut total = terms.number(0);
    for (factor, powers) in products {
        let mut product = terms.number(Int::from(*factor));
        for (at, power) in powers {
            let base = term(known, *at)?;
            for _ in 0..(*power).min(MAX_POWER) {
                product = terms.multiply(product, base);
            }
        }
        total = terms.add(total, product);
    }
    Some(total)
}

fn term(known: &[Loaded], at: usize) -> Option<Term> {
    match known.get(at)? {
        Loaded::Term(term) => Some(*term),
        Loaded::Formula(_) => None,
    }
}

fn formula(known: &[Loaded], at: usize) -> Option<Formula> {
    match known.get(at)? {
        Loaded::Formula(formula) => Some(*formula),
        Loaded::Term(_) => None,
    }
}
