//! Terms made simpler by what a set of boxes says.

use crate::residual::SizeBox;
use crate::term::walk::Item;
use crate::term::{Atom, AtomKind, Formula, Rewriting, Term, Terms};
use crate::unary;
use crate::value::{Shape, Value};
use rustc_hash::FxHashMap;

/// The number of replacements in one term.
const MAX_STEPS: usize = 32;

/// Sizes that become simpler on some boxes. Layers repeat, and so do their sizes: each is made simpler once.
pub(super) struct Simpler<'b> {
    boxes: &'b [SizeBox],
    known: FxHashMap<Term, Term>,
}

impl<'b> Simpler<'b> {
    /// Begins with nothing known.
    pub(super) fn on(boxes: &'b [SizeBox]) -> Self {
        Self {
            boxes,
            known: FxHashMap::default(),
        }
    }

    /// Returns the value with simpler sizes that are equal to its own on all boxes.
    pub(super) fn value(&mut self, terms: &mut Terms, value: &Value) -> Value {
        match value {
            Value::Tensor(tensor) => {
                let shape = tensor.shape.as_ref();
                let shape = shape.map(|shape| self.shape(terms, shape));
                Value::Tensor(crate::value::Tensor {
                    shape,
                    ..tensor.clone()
                })
            }
            Value::Integer(number) => Value::Integer(self.term(terms, *number)),
            value => value.clone(),
        }
    }

    fn shape(&mut self, terms: &mut Terms, shape: &Shape) -> Shape {
        let axes = shape.axes.iter().map(|axis| self.term(terms, *axis));
        let axes = axes.collect();
        shape.with_axes(axes)
    }

    fn term(&mut self, terms: &mut Terms, own: Term) -> Term {
        if let Some(known) = self.known.get(&own) {
            return *known;
        }
        let simpler = term(terms, own, self.boxes);
        self.known.insert(own, simpler);
        simpler
    }
}

/// Returns a simpler term: where one branch of a switch is right on all boxes, it takes the place of the switch.
pub(super) fn term(terms: &mut Terms, term: Term, boxes: &[SizeBox]) -> Term {
    let mut term = term;
    for _ in 0..MAX_STEPS {
        let switches: Vec<Atom> = terms
            .order(Item::Term(term), |_| true)
            .into_iter()
            .filter_map(|item| match item {
                Item::Atom(atom)
                    if matches!(
                        **terms.atom_kind(atom),
                        AtomKind::Select(..) | AtomKind::Broadcast(_)
                    ) =>
                {
                    Some(atom)
                }
                _ => None,
            })
            .collect();
        let found = switches
            .into_iter()
            .find_map(|atom| replacement(terms, atom, boxes).map(|by| (atom, by)));
        let Some((atom, by)) = found else { return term };
        term = Rewriting::atom(terms, atom, by).term(terms, term);
    }
    term
}

fn replacement(terms: &mut Terms, atom: Atom, boxes: &[SizeBox]) -> Option<Term> {
    let mut candidates: Vec<Term> = match &**terms.atom_kind(atom) {
        AtomKind::Select(_, then, otherwise) => vec![*then, *otherwise],
        AtomKind::Broadcast(sizes) => sizes.to_vec(),
        _ => return None,
    };
    candidates.sort_by_key(|candidate| (terms.text(*candidate).len(), *candidate));
    let own = terms.of_atom(atom);
    candidates.into_iter().find(|candidate| {
        let equal = terms.equal(own, *candidate);
        boxes.iter().all(|found| holds_on(terms, equal, found))
    })
}

/// Says whether a formula certainly holds on all of a box.
pub(super) fn holds_on(terms: &mut Terms, formula: Formula, found: &SizeBox) -> bool {
    let mut formula = formula;
    for (symbol, term) in &found.equal {
        formula = Rewriting::symbol(terms, *symbol, *term).formula(terms, formula);
    }
    for (symbol, domain) in &found.domains {
        if let Some(value) = domain.single() {
            let value = terms.number(value);
            formula = Rewriting::symbol(terms, *symbol, value).formula(terms, formula);
        }
    }
    if let Some(truth) = terms.decided(formula) {
        return truth;
    }
    let [symbol] = *terms.formula_symbols(formula) else {
        return false;
    };
    let Some(domain) = found.domains.get(&symbol) else {
        return false;
    };
    unary::solve(terms, formula, symbol, domain)
        .is_ok_and(|solutions| domain.is_subset(&solutions).unwrap_or(false))
}
