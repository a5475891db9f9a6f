//! Variables that may be 0 (§8), and the problems without them that they stand for.
//!
//! 0 is neither above nor below anything else, so variables that `=` and `<=` connect are 0 together. Whether they may be is read off
//! the constraints: each must be declared a summand, and none may be connected with a constant or occur in a row, a window, a
//! product, a bound or as the whole of a concatenation. A problem in which some of these components are 0 is a problem without
//! zeros: their parts are left out of concatenations, and nothing else mentions them. Constraints keep their numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use lozenge_vocabulary::{Composition, DimVar};

use super::{Asserted, Problem};
use crate::ids::{DimVarId, Id, RowTermId};
use crate::term::Term;

/// At most so many components are taken as 0 or not in every combination.
const COMPONENTS: usize = 10;

/// Components of dimension variables, by union-find, and which of them may be 0.
struct Components {
    parent: Vec<usize>,
    /// Whether something keeps the component of a root from being 0.
    present: Vec<bool>,
}

impl Components {
    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn keep(&mut self, term: Term) {
        if term.is_var() {
            let root = self.root(term.id().index());
            self.present[root] = true;
        }
    }

    fn connect(&mut self, a: Term, b: Term) {
        if !(a.is_var() && b.is_var()) {
            self.keep(a);
            self.keep(b);
            return;
        }
        let [a, b] = [a, b].map(|term| self.root(term.id().index()));
        self.parent[b] = a;
        self.present[a] |= self.present[b];
    }
}

impl Problem {
    /// Declares that a dimension variable may be 0.
    pub fn summand(&mut self, var: &DimVar) {
        let id = self.dim_names.intern(var.name());
        self.take_summand(id);
    }

    pub(super) fn take_summand(&mut self, id: DimVarId) {
        if !self.summands.contains(&id) {
            self.summands.push(id);
        }
    }

    /// Whether a variable is declared to be one that may be 0.
    pub fn has_summands(&self) -> bool {
        !self.summands.is_empty()
    }

    /// The components that may be 0 and of which a part of a concatenation is a member, in the order of those parts.
    pub(crate) fn undetermined(&self) -> Vec<BTreeSet<DimVarId>> {
        if self.summands.is_empty() {
            return Vec::new();
        }
        let mut components = self.components();
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        for asserted in &self.asserted {
            let Asserted::Composite(at) = *asserted else {
                continue;
            };
            let composite = &self.composites[at as usize];
            for part in composite.parts.iter().filter(|part| part.is_var()) {
                let root = components.root(part.id().index());
                if composite.composition == Composition::Concat && !components.present[root] {
                    let next = found.len();
                    found.entry(root).or_insert(next);
                }
            }
        }
        let mut members = vec![BTreeSet::new(); found.len()];
        for id in &self.summands {
            let root = components.root(id.index());
            if let Some(at) = found.get(&root) {
                members[*at].insert(*id);
            }
        }
        members
    }

    fn components(&self) -> Components {
        let count = self.dim_names.len();
        let mut components = Components {
            parent: (0..count).collect(),
            present: vec![true; count],
        };
        for id in &self.summands {
            components.present[id.index()] = false;
        }
        for asserted in &self.asserted {
            match *asserted {
                Asserted::DimEq(a, b) | Asserted::DimLe(a, b) => components.connect(a, b),
                Asserted::RowEq(at) | Asserted::RowLe(at) => {
                    for row in [at, at.right()] {
                        self.axes_of(row)
                            .iter()
                            .for_each(|axis| components.keep(*axis));
                    }
                }
                Asserted::Window(at) => {
                    let window = &self.windows[at as usize];
                    window.axes().for_each(|axis| components.keep(*axis));
                }
                Asserted::Composite(at) => {
                    let composite = &self.composites[at as usize];
                    match composite.composition {
                        Composition::Concat => components.keep(composite.whole),
                        Composition::Product => {
                            composite.axes().for_each(|axis| components.keep(*axis));
                        }
                    }
                }
                // A factor is not 0, and the axes of a row are not.
                Asserted::Elements(at) => {
                    let elements = &self.elements[at as usize];
                    elements.axes().for_each(|axis| components.keep(*axis));
                    for row in elements.rows() {
                        let axes = self.axes_of(*row).iter();
                        axes.for_each(|axis| components.keep(*axis));
                    }
                }
                Asserted::AtLeast(term, _) => components.keep(term),
            }
        }
        components
    }

    fn axes_of(&self, at: RowTermId) -> &[Term] {
        let row = self.rows[at.index()];
        let (start, count) = (row.start as usize, (row.lead + row.trail) as usize);
        &self.terms[start..start + count]
    }

    /// The problem for every choice of components that are 0, those with the fewest first.
    ///
    /// # Errors
    /// In words, when there are too many.
    pub(crate) fn cases(&self) -> Result<Vec<Problem>, String> {
        let components = self.undetermined();
        if components.len() > COMPONENTS {
            return Err(format!(
                "{} parts of axes may be 0 independently of each other, and at most {COMPONENTS} are decided",
                components.len()
            ));
        }
        let mut choices: Vec<usize> = (0..1 << components.len()).collect();
        choices.sort_by_key(|choice: &usize| choice.count_ones());
        let zeros = choices.into_iter().map(|choice| {
            let chosen = components.iter().enumerate();
            let chosen = chosen.filter(move |(at, _)| choice >> at & 1 == 1);
            chosen.flat_map(|(_, ids)| ids.iter().copied()).collect()
        });
        Ok(zeros.filter_map(|zeros| self.case(zeros)).collect())
    }

    /// The problem in which these variables are 0; `None` where a concatenation would have no part.
    fn case(&self, zeros: BTreeSet<DimVarId>) -> Option<Problem> {
        let is_zero = |term: &Term| term.is_var() && zeros.contains(&term.id());
        let mut case = self.clone();
        for number in 0..case.asserted.len() {
            match case.asserted[number] {
                Asserted::DimEq(a, b) | Asserted::DimLe(a, b) if is_zero(&a) || is_zero(&b) => {
                    // A bound that everything keeps stands in its place.
                    let at = case.least_sizes.len() as u32;
                    case.least_sizes.push(NonZeroU64::MIN);
                    case.asserted[number] = Asserted::AtLeast(Term::UNIT, at);
                }
                Asserted::Composite(at) => {
                    let parts = &mut case.composites[at as usize].parts;
                    parts.retain(|part| !is_zero(part));
                    if parts.is_empty() {
                        return None;
                    }
                }
                _ => {}
            }
        }
        case.summands.clear();
        case.zeros = zeros;
        Some(case)
    }
}
