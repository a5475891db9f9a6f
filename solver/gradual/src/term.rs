//! Hash-consed terms over the sizes of inputs, and formulas over terms: equal normal forms are one number.
//!
//! Every size inside a model is a function of the sizes of its inputs, and layers repeat, so a term is made once
//! however often it occurs. The parts of a term have smaller numbers than the term itself; no walk over terms
//! recurses.
//!
//! The crate `hashconsing` was considered and not tried: its terms hold each other by counted references, so that
//! dropping a deep one recurses.

mod build;
mod evaluate;
mod formula;
mod made;
pub(crate) mod polynomial;
mod print;
mod stored;
mod substitute;
pub(crate) mod walk;

pub(crate) use evaluate::Evaluated;
pub(crate) use formula::lcm;
pub use polynomial::Int;
pub(crate) use polynomial::{Polynomial, TooLarge, gcd};
pub use stored::Stored;
pub(crate) use stored::{Places, Restored};
pub(crate) use substitute::Rewriting;

use crate::integers::Integers;
use crate::limit::{Limit, MAX_STEPS};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A size or an integer of an input: what terms are functions of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

/// An integer as a function of symbols, in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

/// A condition on symbols, in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(pub(crate) u32);

/// A function of symbols that polynomials are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Atom(pub(crate) u32);

/// The function that an atom stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AtomKind {
    Symbol(Symbol),
    /// The quotient by a number that is at least 2, rounded down.
    Floor(Term, Int),
    /// The quotient by a term, rounded down; it has no value where the divisor is 0.
    Quotient(Term, Term),
    /// The second where the condition holds, the third elsewhere.
    Select(Formula, Term, Term),
    /// The size of an axis to which several are broadcast: the first that is not 1, or else 1. Where the sizes clash it
    /// means nothing, and a [`FormulaKind::Compatible`] excludes that.
    Broadcast(Arc<[Term]>),
}

/// The shape of a formula. Negation is pushed to the leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FormulaKind {
    Constant(bool),
    Zero(Term),
    NotZero(Term),
    AtLeastZero(Term),
    /// All of them hold.
    All(Arc<[Formula]>),
    /// Some of them holds.
    Any(Arc<[Formula]>),
    /// All sizes but those that are 1 are equal.
    Compatible(Arc<[Term]>),
}

/// Numbers between which a term lies, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) low: Option<Int>,
    pub(crate) high: Option<Int>,
}

impl Bounds {
    pub(crate) fn exactly(value: Int) -> Self {
        Self {
            low: Some(value),
            high: Some(value),
        }
    }
}

/// A sorted set of symbols.
pub(crate) type Symbols = Arc<[Symbol]>;

/// A kept atom, term or formula with the facts that are computed when it is made.
#[derive(Clone, Debug)]
struct Known<T> {
    value: T,
    bounds: Bounds,
    symbols: Symbols,
}

/// All terms and formulas of one analysis.
#[derive(Debug)]
pub struct Terms {
    names: Vec<String>,
    symbol_of: FxHashMap<String, Symbol>,
    symbol_bounds: Vec<Bounds>,
    atoms: Vec<Known<Arc<AtomKind>>>,
    atom_of: FxHashMap<Arc<AtomKind>, Atom>,
    terms: Vec<Known<Arc<Polynomial>>>,
    term_of: FxHashMap<Arc<Polynomial>, Term>,
    formulas: Vec<Known<Arc<FormulaKind>>>,
    formula_of: FxHashMap<Arc<FormulaKind>, Formula>,
    none: Symbols,
    too_large: bool,
    /// The steps that were taken, and how many may be.
    steps: AtomicU64,
    most_steps: u64,
    /// The solutions of formulas in one symbol, as far as they were asked for.
    pub(crate) solutions: FxHashMap<Formula, Result<Integers, Limit>>,
    made: made::Made,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// Starts without a symbol.
    #[must_use]
    pub fn new() -> Self {
        let mut terms = Self {
            names: Vec::new(),
            symbol_of: FxHashMap::default(),
            symbol_bounds: Vec::new(),
            atoms: Vec::new(),
            atom_of: FxHashMap::default(),
            terms: Vec::new(),
            term_of: FxHashMap::default(),
            formulas: Vec::new(),
            formula_of: FxHashMap::default(),
            none: Arc::from([]),
            too_large: false,
            steps: AtomicU64::new(0),
            most_steps: MAX_STEPS,
            solutions: FxHashMap::default(),
            made: made::Made::default(),
        };
        terms.formula(FormulaKind::Constant(false));
        terms.formula(FormulaKind::Constant(true));
        terms
    }

    /// Returns the symbol with a name, made for the integers from `low` to `high` if there is none yet.
    pub fn symbol(&mut self, name: &str, low: Option<Int>, high: Option<Int>) -> Symbol {
        if let Some(symbol) = self.symbol_of.get(name) {
            return *symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        self.symbol_of.insert(name.to_owned(), symbol);
        self.symbol_bounds.push(Bounds { low, high });
        symbol
    }

    pub(crate) fn symbol_named(&self, name: &str) -> Option<Symbol> {
        self.symbol_of.get(name).copied()
    }

    /// Returns the name that the symbol was given.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// Counts the symbols.
    #[must_use]
    pub fn symbol_count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn symbol_bounds(&self, symbol: Symbol) -> Bounds {
        self.symbol_bounds[symbol.0 as usize]
    }

    /// Says whether a number or a polynomial has become too large to go on. Terms made since then mean nothing.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// Allows so many steps from here on.
    pub(crate) fn allow(&mut self, steps: u64) {
        self.most_steps = self.steps.get_mut().saturating_add(steps);
    }

    /// Notes steps that are taken.
    pub(crate) fn charge(&self, steps: usize) {
        self.steps
            .fetch_add(u64::try_from(steps).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the number of steps that were taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Returns the limit that is reached, if one is. The question that asks for it ends there.
    pub(crate) fn exhausted(&self) -> Option<Limit> {
        if self.too_large {
            Some(Limit::Overflow)
        } else {
            (self.steps() > self.most_steps).then_some(Limit::Steps)
        }
    }

    pub(crate) fn polynomial(&self, term: Term) -> &Arc<Polynomial> {
        &self.terms[term.0 as usize].value
    }

    pub(crate) fn atom_kind(&self, atom: Atom) -> &Arc<AtomKind> {
        &self.atoms[atom.0 as usize].value
    }

    pub(crate) fn formula_kind(&self, formula: Formula) -> &Arc<FormulaKind> {
        &self.formulas[formula.0 as usize].value
    }

    /// Returns the value of a term that is a number.
    #[must_use]
    pub fn as_number(&self, term: Term) -> Option<Int> {
        self.polynomial(term).as_constant()
    }

    /// Returns the symbol of a term that is nothing else.
    #[must_use]
    pub fn as_symbol(&self, term: Term) -> Option<Symbol> {
        match **self.atom_kind(self.polynomial(term).as_atom()?) {
            AtomKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    pub(crate) fn bounds(&self, term: Term) -> Bounds {
        self.terms[term.0 as usize].bounds
    }

    /// Returns the symbols of which a term is a function.
    #[must_use]
    pub fn symbols(&self, term: Term) -> &[Symbol] {
        &self.terms[term.0 as usize].symbols
    }

    /// Returns the symbols of which a formula speaks.
    #[must_use]
    pub fn formula_symbols(&self, formula: Formula) -> &[Symbol] {
        &self.formulas[formula.0 as usize].symbols
    }

    fn atom_known(&self, atom: Atom) -> &Known<Arc<AtomKind>> {
        &self.atoms[atom.0 as usize]
    }

    fn union<'a>(&self, sets: impl Iterator<Item = &'a Symbols>) -> Symbols {
        let mut union = self.none.clone();
        for set in sets {
            if set.is_empty()
                || Arc::ptr_eq(set, &union)
                || set.iter().all(|symbol| union.binary_search(symbol).is_ok())
            {
                continue;
            }
            if union.iter().all(|symbol| set.binary_search(symbol).is_ok()) {
                union = set.clone();
                continue;
            }
            let mut all: Vec<Symbol> = union.iter().chain(set.iter()).copied().collect();
            all.sort_unstable();
            all.dedup();
            union = all.into();
        }
        union
    }
}
