//! Variables that may be 0 (§8), and the problems without them that they stand for.
//!
//! 0 is neither above nor below anything else, so variables that `=` and `<=` connect are 0 together. The constraints
//! say whether they may be: each must be declared a summand, and none may be connected with a constant or occur in a
//! row, a window, a product, a bound or as the whole of a concatenation. A problem in which some of these components
//! are 0 is a problem without zeros: their parts are left out of concatenations, and nothing else mentions them.
//! Constraints keep their numbers.
//!
//! A summand that occurs once, as a part, is a rest: it is whatever the other parts leave. No cases are needed for it,
//! since the arithmetic of sizes can tell ([`crate::arithmetic`]).

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use lozenge_vocabulary::{Composition, DimVar, Tag};
use rustc_hash::FxHashMap;

use super::{Asserted, Problem};
use crate::ids::{DimSet, DimVarId, Id, RowTermId};
use crate::term::Term;

/// At most so many components are taken as 0 or not in every combination.
const COMPONENTS: usize = 10;

/// The occurrences of summands in the constraints that have been read for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrences {
    /// The number of constraints, summands and names that were read.
    read: usize,
    summands: usize,
    names: usize,
    of: FxHashMap<DimVarId, Occurrence>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Occurrence {
    times: u32,
    /// True if one of them was as a part of a concatenation, and in which constraint it was first.
    as_part: bool,
    first: usize,
}

/// Components of dimension variables, by union-find, and which of them may be 0.
struct Components {
    parent: Vec<usize>,
    /// For each root, true if something keeps its component from being 0.
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

    /// Says whether a variable is declared to be one that may be 0.
    pub fn has_summands(&self) -> bool {
        !self.summands.is_empty()
    }

    /// Returns the rests, each with the number of the constraint that it occurs in, and whether there are other
    /// summands that are parts.
    pub(crate) fn rests(&mut self) -> (FxHashMap<DimVarId, usize>, bool) {
        if self.summands.is_empty() {
            return (FxHashMap::default(), false);
        }
        let mut seen = std::mem::take(&mut self.occurrences);
        let is_known = |id: &DimVarId| id.index() < seen.names;
        if self.summands[seen.summands..].iter().any(is_known) {
            seen = Occurrences::default();
        }
        let fresh = self.summands[seen.summands..].iter();
        seen.of.extend(fresh.map(|id| (*id, Occurrence::default())));
        for number in seen.read..self.asserted.len() {
            self.each_term(self.asserted[number], |term, as_part| {
                if term.is_var()
                    && let Some(occurrence) = seen.of.get_mut(&term.id())
                {
                    // The same may be stated several times.
                    let is_new = occurrence.times == 0;
                    if is_new
                        || number == occurrence.first
                        || !self.is_same(occurrence.first, number)
                    {
                        occurrence.times += 1;
                        occurrence.as_part |= as_part;
                    }
                    if is_new {
                        occurrence.first = number;
                    }
                }
            });
        }
        (seen.read, seen.summands) = (self.asserted.len(), self.summands.len());
        seen.names = self.dim_names.len();
        let is_rest = |id: &DimVarId, occurrence: &Occurrence| {
            occurrence.times == 1 && self.dim_tag(*id) == Tag::Interior
        };
        let parts = seen.of.iter().filter(|(_, of)| of.as_part);
        let (once, others): (Vec<_>, Vec<_>) = parts.partition(|(id, of)| is_rest(id, of));
        let rests = once.into_iter().map(|(id, of)| (*id, of.first)).collect();
        let found = (rests, !others.is_empty());
        self.occurrences = seen;
        found
    }

    /// Says whether two constraints are the same composite.
    fn is_same(&self, one: usize, other: usize) -> bool {
        match (self.asserted[one], self.asserted[other]) {
            (Asserted::Composite(one), Asserted::Composite(other)) => {
                self.composites[one] == self.composites[other]
            }
            _ => false,
        }
    }

    /// Calls with every dimension term of a constraint, and whether it is a part of a concatenation.
    fn each_term(&self, asserted: Asserted, mut each: impl FnMut(Term, bool)) {
        let mut all = |terms: &[Term]| terms.iter().for_each(|term| each(*term, false));
        match asserted {
            Asserted::DimEq(a, b) | Asserted::DimLe(a, b) => all(&[a, b]),
            Asserted::RowEq(at) | Asserted::RowLe(at) => {
                all(self.axes_of(at));
                all(self.axes_of(at.right()));
            }
            Asserted::Window(at) => {
                let window = &self.windows[at];
                window.axes().for_each(|axis| each(*axis, false));
            }
            Asserted::Composite(at) => {
                let composite = &self.composites[at];
                each(composite.whole, false);
                let is_part = composite.composition == Composition::Concat;
                let parts = composite.parts.iter();
                parts.for_each(|part| each(*part, is_part));
            }
            Asserted::Elements(at) => {
                let elements = &self.elements[at];
                elements.axes().for_each(|axis| each(*axis, false));
                for row in elements.rows() {
                    let axes = self.axes_of(*row).iter();
                    axes.for_each(|axis| each(*axis, false));
                }
            }
            Asserted::Flat(at) => {
                let flat = &self.flats[at];
                flat.axes.iter().for_each(|axis| each(*axis, false));
                for row in &flat.rows {
                    let axes = self.axes_of(*row).iter();
                    axes.for_each(|axis| each(*axis, false));
                }
            }
            Asserted::AtLeast(term, _) => each(term, false),
        }
    }

    /// Returns the components that may be 0 and of which a part of a concatenation is a member, in the order of those
    /// parts, without the rests.
    pub(crate) fn undetermined(&self, rests: &DimSet) -> Vec<BTreeSet<DimVarId>> {
        if self.summands.len() == rests.len() {
            return Vec::new();
        }
        let mut components = self.components();
        let mut found: BTreeMap<usize, usize> = BTreeMap::new();
        for asserted in &self.asserted {
            let Asserted::Composite(at) = *asserted else {
                continue;
            };
            let composite = &self.composites[at];
            let is_open = |part: &&Term| part.is_var() && !rests.contains(&part.id());
            for part in composite.parts.iter().filter(is_open) {
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

    /// Returns the summands that may be 0 and that are in no concatenation, not even with those that they are connected
    /// with: whether they are 0 makes no difference to anything else.
    fn loose(&self, rests: &DimSet, undetermined: &[BTreeSet<DimVarId>]) -> DimSet {
        let mut components = self.components();
        let mut is_loose = |id: &DimVarId| {
            let root = components.root(id.index());
            !components.present[root]
                && !rests.contains(id)
                && !undetermined.iter().any(|members| members.contains(id))
        };
        let summands = self.summands.iter().copied();
        summands.filter(|id| is_loose(id)).collect()
    }

    /// Says whether some summand may be 0 or a dimension, apart from the rests, about which arithmetic decides. In a
    /// problem in which some components are 0 and the others are not this is one that is in no concatenation.
    pub(crate) fn has_loose_summands(&self, rests: &DimSet) -> bool {
        !self.summands.is_empty() && !self.loose(rests, &[]).is_empty()
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
                    let window = &self.windows[at];
                    window.axes().for_each(|axis| components.keep(*axis));
                }
                Asserted::Composite(at) => {
                    let composite = &self.composites[at];
                    match composite.composition {
                        Composition::Concat => components.keep(composite.whole),
                        Composition::Product => {
                            composite.axes().for_each(|axis| components.keep(*axis));
                        }
                    }
                }
                // A factor is not 0, and the axes of a row are not.
                Asserted::Elements(at) => {
                    let elements = &self.elements[at];
                    elements.axes().for_each(|axis| components.keep(*axis));
                    for row in elements.rows() {
                        let axes = self.axes_of(*row).iter();
                        axes.for_each(|axis| components.keep(*axis));
                    }
                }
                Asserted::Flat(_) => {
                    self.each_term(*asserted, |axis, _| components.keep(axis));
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

    /// Returns the problem for every choice of components that are 0, those with the fewest first.
    ///
    /// # Errors
    /// In words, when there are too many.
    pub(crate) fn cases(&self) -> Result<Vec<Problem>, String> {
        let rests = self.clone().rests().0.into_keys().collect();
        let components = self.undetermined(&rests);
        if components.len() > COMPONENTS {
            return Err(format!(
                "{} parts of axes may be 0 independently of each other, and at most {COMPONENTS} are decided",
                components.len()
            ));
        }
        let loose = self.loose(&rests, &components);
        let mut choices: Vec<usize> = (0..1 << components.len()).collect();
        choices.sort_by_key(|choice: &usize| choice.count_ones());
        let zeros = choices.into_iter().map(|choice| {
            let chosen = components.iter().enumerate();
            let chosen = chosen.filter(move |(at, _)| choice >> at & 1 == 1);
            chosen.flat_map(|(_, ids)| ids.iter().copied()).collect()
        });
        let stay = &rests | &loose;
        Ok(zeros.filter_map(|zeros| self.case(zeros, &stay)).collect())
    }

    /// Returns the problem in which these variables are 0, and of the other summands only some may be; `None` where a
    /// concatenation would have no part.
    fn case(&self, zeros: BTreeSet<DimVarId>, summands: &DimSet) -> Option<Problem> {
        let is_zero = |term: &Term| term.is_var() && zeros.contains(&term.id());
        let mut case = self.clone();
        for number in 0..case.asserted.len() {
            match case.asserted[number] {
                Asserted::DimEq(a, b) | Asserted::DimLe(a, b) if is_zero(&a) || is_zero(&b) => {
                    // A bound that everything keeps stands in its place.
                    let at = case.least_sizes.push(NonZeroU64::MIN);
                    case.asserted[number] = Asserted::AtLeast(Term::UNIT, at);
                }
                Asserted::Composite(at) => {
                    let parts = &mut case.composites[at].parts;
                    parts.retain(|part| !is_zero(part));
                    if parts.is_empty() {
                        return None;
                    }
                }
                _ => {}
            }
        }
        case.summands.retain(|id| summands.contains(id));
        case.occurrences = Occurrences::default();
        case.zeros = zeros;
        Some(case)
    }
}
