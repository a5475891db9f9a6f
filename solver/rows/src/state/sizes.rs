//! Facts about the sizes of unsolved axes, and the constraints that wait for more of them.

use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroU64;

use hashbrown::HashMap;
use lozenge_vocabulary::Composite;
use rustc_hash::FxBuildHasher;

use crate::ids::{
    AssertedId, DimSet, DimVarId, ElementsId, Id, IdVec, RowVarId, UseId, queue_room, room,
};
use crate::state::inferences::Reason;
use crate::term::Term;
use crate::tracked::Tracked;

/// The facts about a class of unsolved dimension variables, beside its caps. It is kept with the root of the class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Its size, and why it has it.
    pub(crate) size: Option<(NonZeroU64, Reason)>,
    /// An atom of its basis, and why that is its basis.
    pub(crate) basis: Option<(Term, Reason)>,
    /// The reason why it is an atom, if it is known to be one.
    pub(crate) atom: Option<Reason>,
    /// The last of its uses, in a ring.
    pub(crate) uses: Option<UseId>,
}

impl Known {
    const NOTHING: Known = Known {
        size: None,
        basis: None,
        atom: None,
        uses: None,
    };
}

impl Known {
    /// Says whether neither the size nor the basis is known, nor that it is an atom.
    pub(crate) fn is_nothing(&self) -> bool {
        self.size.is_none() && self.basis.is_none() && self.atom.is_none()
    }

    /// Lists the reasons why the size and the basis are what they are.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Reason> + use<> {
        let size = self.size.map(|(_, reason)| reason);
        let basis = self.basis.map(|(_, reason)| reason);
        size.into_iter().chain(basis)
    }
}

/// A constraint that mentions a class.
#[derive(Clone, Copy, Debug)]
struct Use {
    constraint: AssertedId,
    next: UseId,
}

/// The state of all sizes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    /// True if there is a constraint of sizes.
    pub(crate) is_on: bool,
    known: Tracked<DimVarId, Known>,
    uses: Tracked<UseId, Use>,
    /// The constraints of sizes that have been taken in.
    asserted: Tracked<u32, AssertedId>,
    /// The constraints among them in which a size may be open.
    pub(crate) open: Vec<AssertedId>,
    /// Constraints to look at, each once.
    due: VecDeque<AssertedId>,
    is_due: IdVec<AssertedId, bool>,
    /// The facts about each product with rows among its factors, by its number.
    pub(crate) counted: IdVec<ElementsId, Counted>,
    /// The products among them that have to be spelled again.
    pub(crate) spelling: Spelling,
    /// The rests: summands that occur once, as a part. A rest may be 0, and is kept as one more than its size, so that
    /// all sizes that are kept are positive.
    pub(crate) rests: DimSet,
    /// True if the sizes have a solution only if some open row has more axes than are known of it.
    pub(crate) is_unwitnessed: bool,
    /// True if the open sizes have been decided since something changed.
    pub(crate) is_decided: bool,
    /// True if forced sizes have been looked for since then.
    pub(crate) is_examined: bool,
    /// Lists that are used again: the terms of a constraint, and reasons.
    pub(crate) terms: Vec<Term>,
    pub(crate) reasons: Vec<Reason>,
    /// The values that a solution gives to classes whose sizes are open.
    pub(crate) model: Model,
    /// The number of snapshots that are open.
    depth: usize,
    /// For each of them that had constraints of sizes.
    saved: Vec<Saved>,
}

/// A product of the axes of rows.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    /// The axes that are known.
    pub(crate) product: Composite<Term>,
    /// The reason why they are axes of the rows.
    pub(crate) reason: Option<Reason>,
    /// The variables in which the rows may have more.
    pub(crate) open: Vec<RowVarId>,
}

impl Counted {
    /// Says whether the rows may have more axes.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    fn bytes(&self) -> usize {
        [room(&self.product.parts), room(&self.open)].iter().sum()
    }
}

/// The products with rows among their factors that have to be spelled again: those with a row of which more has become
/// known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelling {
    due: BTreeSet<AssertedId>,
    /// The variables in which rows may have more axes, each with a product that counts it.
    watched: BTreeSet<(RowVarId, AssertedId)>,
}

impl Spelling {
    /// Queues a product.
    pub(crate) fn queue(&mut self, product: AssertedId) {
        self.due.insert(product);
    }

    /// Queues a product as soon as more is known of one of these variables.
    pub(crate) fn watch(&mut self, product: AssertedId, open: &[RowVarId]) {
        let pairs = open.iter().map(|var| (*var, product));
        self.watched.extend(pairs);
    }

    /// Returns the products that count a variable.
    pub(crate) fn watching(&self, var: RowVarId) -> impl Iterator<Item = AssertedId> + '_ {
        let last = AssertedId::of((1 << 31) - 1);
        let pairs = self.watched.range((var, AssertedId::FIRST)..=(var, last));
        pairs.map(|(_, product)| *product)
    }

    /// Queues the products that count a variable of which more is known.
    #[inline]
    pub(crate) fn wake(&mut self, var: RowVarId) {
        if !self.watched.is_empty() {
            let woken: Vec<AssertedId> = self.watching(var).collect();
            for product in woken {
                self.watched.remove(&(var, product));
                self.due.insert(product);
            }
            // An empty tree would keep its root.
            if self.watched.is_empty() {
                self.watched = BTreeSet::new();
            }
        }
    }

    /// Returns the next product, in the order in which they are stated.
    pub(crate) fn next_due(&mut self) -> Option<AssertedId> {
        let next = self.due.pop_first();
        if self.due.is_empty() {
            self.due = BTreeSet::new();
        }
        next
    }

    fn bytes(&self) -> usize {
        [tree_bytes(&self.due), tree_bytes(&self.watched)]
            .iter()
            .sum()
    }
}

/// Estimates the bytes that a set takes: a node has room for eleven elements and the place of its parent, and in a set
/// that was filled in order it has six of them.
fn tree_bytes<T>(set: &BTreeSet<T>) -> usize {
    set.len().div_ceil(6) * (11 * size_of::<T>() + 12)
}

/// Values of classes.
type Model = HashMap<DimVarId, Term, FxBuildHasher>;

/// The state to which a rollback goes back.
#[derive(Clone, Debug)]
struct Saved {
    depth: usize,
    open: Vec<AssertedId>,
    counted: IdVec<ElementsId, Counted>,
    rests: DimSet,
    is_decided: bool,
    is_unwitnessed: bool,
    model: Model,
}

impl Saved {
    fn bytes(&self) -> usize {
        let tables = [
            room(&self.open),
            self.counted.bytes(),
            self.rests.allocation_size(),
            self.model.allocation_size(),
        ];
        let inside = self.counted.values().map(Counted::bytes);
        tables.into_iter().chain(inside).sum()
    }
}

impl Sizes {
    /// Returns the facts about the class of a root; nothing beside its value where that is a constant.
    #[inline]
    pub(crate) fn known(&self, root: Term) -> Known {
        match root.is_var() && root.id().index() < self.known.len() {
            true => self.known.get(root.id()),
            false => Known::NOTHING,
        }
    }

    /// Returns the same, to be changed.
    #[inline]
    pub(crate) fn edit(&mut self, root: Term) -> &mut Known {
        let index = root.id().index();
        if index >= self.known.len() {
            self.known.grow(index + 1, |_| Known::NOTHING);
        }
        self.known.edit(root.id())
    }

    /// Returns all constraints of sizes.
    pub(crate) fn all(&self) -> &[AssertedId] {
        self.asserted.as_slice()
    }

    /// Registers a constraint. `constraints` and `dims` are how many constraints and dimension variables there are now.
    pub(crate) fn take(&mut self, constraint: AssertedId, constraints: usize, dims: usize) {
        self.known.grow(dims, |_| Known::NOTHING);
        if self.is_due.len() < constraints {
            self.is_due.resize(constraints, false);
        }
        self.is_on = true;
        self.asserted.push(constraint);
        self.open.push(constraint);
        self.queue(constraint);
    }

    /// Notes that a constraint mentions the class of a root.
    pub(crate) fn mention(&mut self, root: Term, constraint: AssertedId) {
        let at = UseId::at(self.uses.len());
        self.uses.push(Use {
            constraint,
            next: at,
        });
        self.join(root, Some(at));
    }

    /// Joins the ring of which this is a part to that of a class.
    pub(crate) fn join(&mut self, root: Term, ring: Option<UseId>) {
        let own = self.known(root).uses;
        let Some(last) = ring.filter(|_| own != ring) else {
            return;
        };
        if let Some(own) = own {
            let (first, second) = (self.uses.at(own).next, self.uses.at(last).next);
            self.uses.edit(own).next = second;
            self.uses.edit(last).next = first;
        }
        self.edit(root).uses = ring;
    }

    /// Says whether a part of an axis is a rest.
    pub(crate) fn is_rest(&self, term: Term) -> bool {
        !self.rests.is_empty() && term.is_var() && self.rests.contains(&term.id())
    }

    /// Says whether a constraint of sizes mentions the class of a root.
    pub(crate) fn is_used(&self, root: Term) -> bool {
        self.known(root).uses.is_some()
    }

    /// Returns the constraints of sizes that mention the class of a root.
    pub(crate) fn uses_of(&self, root: Term) -> impl Iterator<Item = AssertedId> + '_ {
        let last = self.known(root).uses;
        let first = last.map(|last| self.uses.at(last).next);
        let next = move |at: &UseId| Some(self.uses.at(*at).next).filter(|_| Some(*at) != last);
        std::iter::successors(first, next).map(|at| self.uses.at(at).constraint)
    }

    /// Queues every constraint of a ring.
    #[inline]
    pub(crate) fn queue_ring(&mut self, last: Option<UseId>) -> usize {
        let (mut ring, mut seen) = (last, 0);
        while let Some(at) = ring {
            let Use { constraint, next } = self.uses.get(at);
            self.queue(constraint);
            ring = (Some(next) != last).then_some(next);
            seen += 1;
        }
        seen
    }

    /// Queues a constraint to be looked at.
    pub(crate) fn queue(&mut self, constraint: AssertedId) {
        if !std::mem::replace(&mut self.is_due[constraint], true) {
            self.due.push_back(constraint);
        }
        (self.is_decided, self.is_examined) = (false, false);
    }

    /// Returns the next constraint to look at.
    pub(crate) fn next_due(&mut self) -> Option<AssertedId> {
        let constraint = self.due.pop_front()?;
        self.is_due[constraint] = false;
        Some(constraint)
    }

    /// Empties the work list.
    pub(crate) fn forget_work(&mut self) {
        for constraint in self.due.drain(..) {
            self.is_due[constraint] = false;
        }
    }

    /// Remembers the state. While there is no constraint of sizes there is nothing to remember.
    pub(crate) fn snapshot(&mut self) {
        self.depth += 1;
        if self.is_on {
            self.known.snapshot();
            self.uses.snapshot();
            self.asserted.snapshot();
            self.saved.push(Saved {
                depth: self.depth,
                open: self.open.clone(),
                counted: self.counted.clone(),
                rests: self.rests.clone(),
                is_unwitnessed: self.is_unwitnessed,
                is_decided: self.is_decided,
                model: self.model.clone(),
            });
        }
    }

    pub(crate) fn rollback(&mut self) {
        match self.take_saved() {
            Some(saved) => {
                self.known.rollback();
                self.uses.rollback();
                self.asserted.rollback();
                (self.open, self.model) = (saved.open, saved.model);
                (self.counted, self.rests) = (saved.counted, saved.rests);
                self.spell_all_again();
                self.is_unwitnessed = saved.is_unwitnessed;
                (self.is_decided, self.is_examined) = (saved.is_decided, false);
            }
            None => {
                *self = Sizes {
                    depth: self.depth,
                    ..Sizes::default()
                }
            }
        }
    }

    /// Queues every product with rows among its factors.
    pub(crate) fn spell_all_again(&mut self) {
        self.spelling.watched.clear();
        self.spelling.due.clear();
        if !self.counted.is_empty() {
            self.spelling.due.extend(self.asserted.as_slice());
        }
    }

    /// Takes the state that the last open snapshot has saved; the snapshot is closed.
    fn take_saved(&mut self) -> Option<Saved> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        self.saved.pop_if(|saved| saved.depth == depth)
    }

    pub(crate) fn commit(&mut self) {
        if self.take_saved().is_some() {
            self.known.commit();
            self.uses.commit();
            self.asserted.commit();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let tables = [
            self.known.bytes(),
            self.uses.bytes(),
            self.asserted.bytes(),
            room(&self.open),
            queue_room(&self.due),
            self.counted.bytes(),
            self.spelling.bytes(),
            self.rests.allocation_size(),
            room(&self.terms),
            room(&self.reasons),
            self.is_due.bytes(),
            self.model.allocation_size(),
            room(&self.saved),
        ];
        let counted = self.counted.values().map(Counted::bytes);
        let saved = self.saved.iter().map(Saved::bytes);
        tables.into_iter().chain(counted).chain(saved).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand nodes, each with room for eleven elements of 8 bytes and 12 bytes more.
    #[test]
    fn a_set_of_six_thousand_elements_has_a_thousand_nodes() {
        let bytes = |count: u64| tree_bytes(&(0..count).collect::<BTreeSet<u64>>());
        assert_eq!([0, 1, 6, 7].map(bytes), [0, 100, 100, 200]);
        assert_eq!([6000, 6001].map(bytes), [100_000, 100_100]);
    }

    #[test]
    fn products_that_wait_are_told_with_those_that_are_due() {
        let mut spelling = Spelling::default();
        let told = [0, 6, 7].map(|count| {
            (0..count).for_each(|at| spelling.queue(AssertedId::of(at)));
            spelling.bytes()
        });
        assert_eq!(told, [0, 56, 112]);
        spelling.watch(AssertedId::FIRST, &[RowVarId::at(0)]);
        assert_eq!(spelling.bytes(), 112 + 100);
    }
}
