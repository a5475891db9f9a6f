//! Walks over what terms and formulas are made of, without recursion.

use super::{Atom, AtomKind, Formula, FormulaKind, Symbol, Term, Terms};
use rustc_hash::FxHashSet;

/// A place in a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Term(Term),
    Atom(Atom),
    Formula(Formula),
}

impl Terms {
    /// Lists the root and everything that it is made of, each after its parts. An item that `enter` refuses is left out
    /// with all below it.
    pub(crate) fn order(&self, root: Item, enter: impl Fn(Item) -> bool) -> Vec<Item> {
        let mut order = Vec::new();
        let mut entered = FxHashSet::default();
        let mut pending = vec![(root, false)];
        while let Some((item, is_complete)) = pending.pop() {
            if is_complete {
                order.push(item);
            } else if enter(item) && entered.insert(item) {
                pending.push((item, true));
                self.parts(item, |part| pending.push((part, false)));
            }
        }
        self.charge(order.len());
        order
    }

    fn parts(&self, item: Item, mut visit: impl FnMut(Item)) {
        match item {
            Item::Term(term) => self
                .polynomial(term)
                .parts
                .iter()
                .flat_map(|part| &part.0)
                .for_each(|power| visit(Item::Atom(power.0))),
            Item::Atom(atom) => match &**self.atom_kind(atom) {
                AtomKind::Symbol(_) => {}
                AtomKind::Floor(term, _) => visit(Item::Term(*term)),
                AtomKind::Quotient(term, by) => [*term, *by]
                    .into_iter()
                    .for_each(|part| visit(Item::Term(part))),
                AtomKind::Select(condition, then, otherwise) => {
                    visit(Item::Formula(*condition));
                    [*then, *otherwise]
                        .into_iter()
                        .for_each(|part| visit(Item::Term(part)));
                }
                AtomKind::Broadcast(sizes) => {
                    sizes.iter().for_each(|part| visit(Item::Term(*part)))
                }
            },
            Item::Formula(formula) => match &**self.formula_kind(formula) {
                FormulaKind::Constant(_) => {}
                FormulaKind::Zero(term)
                | FormulaKind::NotZero(term)
                | FormulaKind::AtLeastZero(term) => visit(Item::Term(*term)),
                FormulaKind::All(parts) | FormulaKind::Any(parts) => {
                    parts.iter().for_each(|part| visit(Item::Formula(*part)))
                }
                FormulaKind::Compatible(sizes) => {
                    sizes.iter().for_each(|part| visit(Item::Term(*part)))
                }
            },
        }
    }

    pub(crate) fn item_symbols(&self, item: Item) -> &[Symbol] {
        match item {
            Item::Term(term) => self.symbols(term),
            Item::Atom(atom) => &self.atom_known(atom).symbols,
            Item::Formula(formula) => self.formula_symbols(formula),
        }
    }

    pub(crate) fn item_bounds(&self, atom: Atom) -> super::Bounds {
        self.atom_known(atom).bounds
    }
}
