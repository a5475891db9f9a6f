//! Terms and formulas in which parts are replaced, in normal form again.

use super::walk::Item;
use super::{Atom, AtomKind, Formula, FormulaKind, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// A replacement of atoms by terms and of formulas by their truth. One value serves for many terms, and remembers what
/// was done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewriting {
    atoms: FxHashMap<Atom, Term>,
    formulas: FxHashMap<Formula, Formula>,
    terms: FxHashMap<Term, Term>,
    touched: Vec<Symbol>,
}

impl Rewriting {
    /// Replaces a symbol.
    pub(crate) fn symbol(terms: &mut Terms, symbol: Symbol, by: Term) -> Self {
        let atom = terms.atom(AtomKind::Symbol(symbol));
        Self::atom(terms, atom, by)
    }

    /// Replaces an atom.
    pub(crate) fn atom(terms: &Terms, atom: Atom, by: Term) -> Self {
        let mut touched: Vec<Symbol> = terms.item_symbols(Item::Atom(atom)).to_vec();
        touched.sort_unstable();
        Self {
            atoms: FxHashMap::from_iter([(atom, by)]),
            touched,
            ..Self::default()
        }
    }

    pub(crate) fn term(&mut self, terms: &mut Terms, term: Term) -> Term {
        self.run(terms, Item::Term(term));
        self.terms.get(&term).copied().unwrap_or(term)
    }

    pub(crate) fn formula(&mut self, terms: &mut Terms, formula: Formula) -> Formula {
        self.run(terms, Item::Formula(formula));
        self.formulas.get(&formula).copied().unwrap_or(formula)
    }

    fn run(&mut self, terms: &mut Terms, root: Item) {
        let order = terms.order(root, |item| {
            let is_touched = self
                .touched
                .iter()
                .all(|symbol| terms.item_symbols(item).binary_search(symbol).is_ok());
            is_touched && !self.is_done(item)
        });
        for item in order {
            self.step(terms, item);
        }
    }

    fn is_done(&self, item: Item) -> bool {
        match item {
            Item::Term(term) => self.terms.contains_key(&term),
            Item::Atom(atom) => self.atoms.contains_key(&atom),
            Item::Formula(formula) => self.formulas.contains_key(&formula),
        }
    }

    fn step(&mut self, terms: &mut Terms, item: Item) {
        match item {
            Item::Term(term) => {
                let result = self.rebuilt(terms, term);
                self.terms.insert(term, result);
            }
            Item::Atom(atom) => {
                let result = match &*terms.atom_kind(atom).clone() {
                    AtomKind::Symbol(symbol) => terms.of(*symbol),
                    AtomKind::Floor(inner, by) => {
                        let inner = self.of_term(*inner);
                        terms.floor_divide(inner, *by)
                    }
                    AtomKind::Quotient(upper, lower) => {
                        let (upper, lower) = (self.of_term(*upper), self.of_term(*lower));
                        terms.divide(upper, lower)
                    }
                    AtomKind::Select(condition, then, otherwise) => {
                        let condition = self.of_formula(*condition);
                        let (then, otherwise) = (self.of_term(*then), self.of_term(*otherwise));
                        terms.select(condition, then, otherwise)
                    }
                    AtomKind::Broadcast(sizes) => {
                        let sizes: Vec<Term> =
                            sizes.iter().map(|size| self.of_term(*size)).collect();
                        terms.broadcast(&sizes)
                    }
                };
                self.atoms.insert(atom, result);
            }
            Item::Formula(formula) => {
                let result = match &*terms.formula_kind(formula).clone() {
                    FormulaKind::Constant(value) => Formula::constant(*value),
                    FormulaKind::Zero(inner) => terms.zero(self.of_term(*inner)),
                    FormulaKind::NotZero(inner) => {
                        let zero = terms.zero(self.of_term(*inner));
                        terms.not(zero)
                    }
                    FormulaKind::AtLeastZero(inner) => terms.at_least_zero(self.of_term(*inner)),
                    FormulaKind::All(parts) => {
                        let parts: Vec<Formula> =
                            parts.iter().map(|part| self.of_formula(*part)).collect();
                        terms.all(&parts)
                    }
                    FormulaKind::Any(parts) => {
                        let parts: Vec<Formula> =
                            parts.iter().map(|part| self.of_formula(*part)).collect();
                        terms.any(&parts)
                    }
                    FormulaKind::Compatible(sizes) => {
                        let sizes: Vec<Term> =
                            sizes.iter().map(|size| self.of_term(*size)).collect();
                        terms.compatible(&sizes)
                    }
                };
                self.formulas.insert(formula, result);
            }
        }
    }

    fn of_term(&self, term: Term) -> Term {
        self.terms.get(&term).copied().unwrap_or(term)
    }

    fn of_formula(&self, formula: Formula) -> Formula {
        self.formulas.get(&formula).copied().unwrap_or(formula)
    }

    fn rebuilt(&self, terms: &mut Terms, term: Term) -> Term {
        let polynomial = terms.polynomial(term).clone();
        let mut sum = terms.number(0);
        for (monomial, coefficient) in &polynomial.parts {
            let mut product = terms.number(*coefficient);
            for (atom, power) in monomial {
                let factor = match self.atoms.get(atom) {
                    Some(term) => *term,
                    None => terms.of_atom(*atom),
                };
                for _ in 0..*power {
                    product = terms.multiply(product, factor);
                }
            }
            sum = terms.add(sum, product);
        }
        sum
    }
}
