//! Order in which leaf dimensions commit.
//!
//! A leaf dimension is *bounded* once an atom is known to lie below it. A bounded leaf is ready to commit when no other
//! bounded leaf lies below it. The search for one below stops at the first that it finds, and the leaf that waits is
//! looked at again only after that one has been closed, so that a chain of leaves costs one step for each.

use lozenge_vocabulary::Tag;
use rustc_hash::FxHashMap;

use crate::ids::{ComponentId, DimVarId, IdVec};
use crate::policy::inheritance::{Tags, stronger};
use crate::state::dims::Beneath;
use crate::state::engine::Engine;
use crate::term::Term;

/// The number of classes that are passed on the way down from a leaf before the search with marks takes over. A longer
/// way that many leaves share would be walked once for each of them.
const STEPS: usize = 8;

/// The unsolved classes of dimension variables that are leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafDims {
    /// For each class, by its root, the tag by which it is closed.
    tags: IdVec<DimVarId, Tag>,
    /// For each class, true if it is a bounded leaf that has not committed.
    bounded: IdVec<DimVarId, bool>,
    /// Classes of leaves that are to be looked at.
    due: Vec<DimVarId>,
    /// Bounded leaves that are not known to wait for another one.
    candidates: Vec<DimVarId>,
    /// Leaves that had no bound when they were looked at.
    unbounded: Vec<DimVarId>,
    /// For each class the first of the bounded leaves that wait for it, and for each leaf the next one that waits for
    /// the same class.
    first_waiting: IdVec<DimVarId, Option<DimVarId>>,
    next_waiting: IdVec<DimVarId, Option<DimVarId>>,
    /// For each class, true if a leaf waits for it. It waits for one at a time: the first that is found below it.
    waits: IdVec<DimVarId, bool>,
    /// The classes for which leaves have begun to wait; some have been closed since.
    awaited: Vec<DimVarId>,
    /// The components of rows that wait for a class.
    rows_waiting: FxHashMap<DimVarId, Vec<ComponentId>>,
    /// For each class the last search that reached it, and the bounded leaf that the search found below it, if any.
    reached: IdVec<DimVarId, (u32, Option<DimVarId>)>,
    search: u32,
    stack: Vec<(DimVarId, bool)>,
    /// The number of classes that have been looked at and are not counted as work yet.
    seen: usize,
}

/// The end of a short way down from a leaf dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Near {
    /// This bounded leaf.
    Leaf(DimVarId),
    /// No bounded leaf is below.
    NoLeaf,
    /// The way is longer, or forks.
    Unknown,
}

impl LeafDims {
    fn grow(&mut self, len: usize) {
        if self.tags.len() < len {
            self.tags.resize(len, Tag::Interior);
            self.bounded.resize(len, false);
            self.first_waiting.resize(len, None);
            self.next_waiting.resize(len, None);
            self.waits.resize(len, false);
            self.reached.resize(len, (0, None));
        }
    }

    /// Returns the tag by which the class of a root is closed.
    pub(crate) fn tag(&self, root: DimVarId) -> Tag {
        self.tags.get(root).copied().unwrap_or_default()
    }

    pub(crate) fn is_bounded(&self, root: DimVarId) -> bool {
        self.bounded.get(root) == Some(&true)
    }

    /// Raises the tag of a class, which is closed as a leaf when one of its variables is one.
    fn raise(&mut self, root: DimVarId, tag: Tag) {
        let before = &mut self.tags[root];
        *before = stronger(*before, tag);
        self.due.push(root);
    }

    /// Notes that a component of rows is to be looked at when something happens to a class.
    pub(crate) fn await_class(&mut self, root: DimVarId, component: ComponentId) {
        self.rows_waiting.entry(root).or_default().push(component);
    }

    /// Returns the leaves that nothing bounded when they were looked at; the list is empty afterwards.
    pub(crate) fn take_unbounded(&mut self) -> Vec<DimVarId> {
        std::mem::take(&mut self.unbounded)
    }

    /// Counts what was looked at.
    pub(crate) fn see(&mut self, classes: usize) {
        self.seen += classes;
    }

    /// Takes the number of classes that were looked at since the last call.
    pub(crate) fn take_seen(&mut self) -> usize {
        std::mem::take(&mut self.seen)
    }

    /// Begins a search in which no class has been reached.
    pub(crate) fn begin_search(&mut self, len: usize) {
        self.grow(len);
        self.search += 1;
    }

    /// Says whether a search reaches a class for the first time.
    pub(crate) fn reach(&mut self, root: DimVarId) -> bool {
        let before = std::mem::replace(&mut self.reached[root], (self.search, None));
        before.0 != self.search
    }

    /// Looks again at every leaf that waits for another one. False when none does.
    pub(crate) fn release_all(&mut self) -> bool {
        let mut any = false;
        while let Some(class) = self.awaited.pop() {
            any |= self.first_waiting[class].is_some();
            self.release(class);
        }
        self.due.sort_unstable();
        any
    }

    /// Says whether no leaf is to be looked at, and no row waits for a class.
    pub(crate) fn is_idle(&self) -> bool {
        self.due.is_empty() && self.candidates.is_empty() && self.rows_waiting.is_empty()
    }

    /// Says whether a leaf waits for a class.
    pub(crate) fn is_awaited(&self, class: DimVarId) -> bool {
        self.first_waiting.get(class).is_some_and(Option::is_some)
    }

    /// Returns the leaf that waits for a class, when there is exactly one.
    pub(crate) fn only_waiting(&self, class: DimVarId) -> Option<DimVarId> {
        let leaf = (*self.first_waiting.get(class)?)?;
        self.next_waiting[leaf].is_none().then_some(leaf)
    }

    /// Forgets a class that has been closed, or is a part of another one.
    pub(crate) fn forget_bounded(&mut self, class: DimVarId) {
        if let Some(bounded) = self.bounded.get_mut(class) {
            *bounded = false;
        }
    }

    /// Notes that the only leaf that waited for a class commits.
    pub(crate) fn go_on(&mut self, class: DimVarId, leaf: DimVarId) {
        self.release(class);
        self.due.clear();
        self.forget_bounded(leaf);
    }

    /// Lets a leaf wait for a class below it.
    fn wait(&mut self, leaf: DimVarId, class: DimVarId) {
        if std::mem::replace(&mut self.waits[leaf], true) {
            return;
        }
        let first = self.first_waiting[class].replace(leaf);
        self.next_waiting[leaf] = first;
        if first.is_none() {
            self.awaited.push(class);
        }
    }

    /// Looks again at the leaves that wait for a class.
    fn release(&mut self, class: DimVarId) {
        let mut next = self.first_waiting[class].take();
        while let Some(leaf) = next {
            self.due.push(leaf);
            self.waits[leaf] = false;
            next = self.next_waiting[leaf].take();
        }
        if self.awaited.last() == Some(&class) {
            self.awaited.pop();
        }
    }
}

impl Engine {
    /// Sorts the leaves of which something is new into bounded and unbounded ones. The components of rows that waited
    /// for one of them are appended to `rows`.
    pub(crate) fn look_at_dims(
        &mut self,
        tags: &mut Tags,
        leaves: &mut LeafDims,
        rows: &mut Vec<ComponentId>,
    ) {
        if tags.due.is_empty() && self.dims.is_untouched() && leaves.due.is_empty() {
            return;
        }
        leaves.grow(self.dims.len());
        let mut due = std::mem::take(&mut tags.due);
        for var in due.drain(..) {
            let root = self.dims.find(Term::var(var));
            if root.is_var() {
                leaves.raise(root.id(), tags.dim(var));
            }
        }
        tags.due = due;
        let mut touched = self.dims.take_touched();
        for id in touched.drain(..) {
            let root = self.dims.find(Term::var(id));
            if root != Term::var(id) {
                leaves.bounded[id] = false;
            }
            let tag = leaves.tags[id];
            if root.is_var() && tag != Tag::Interior {
                leaves.raise(root.id(), tag);
            }
            leaves.release(id);
            if !leaves.rows_waiting.is_empty() {
                rows.extend(leaves.rows_waiting.remove(&id).unwrap_or_default());
            }
        }
        self.dims.give_touched(touched);
        let mut due = std::mem::take(&mut leaves.due);
        for id in due.drain(..) {
            let root = self.dims.find(Term::var(id));
            if !root.is_var() {
                continue;
            }
            let id = root.id();
            if self.dims.cap(root).is_some() {
                leaves.bounded[id] = true;
                leaves.candidates.push(id);
            } else {
                leaves.unbounded.push(id);
            }
        }
        leaves.due = due;
    }

    /// Appends the bounded leaves that have no other one below them.
    pub(crate) fn ready_dims(&self, leaves: &mut LeafDims, ready: &mut Vec<Term>) {
        if leaves.candidates.is_empty() {
            return;
        }
        let mut candidates = std::mem::take(&mut leaves.candidates);
        candidates.retain(|id| leaves.bounded[*id]);
        candidates.sort_unstable();
        candidates.dedup();
        leaves.begin_search(self.dims.len());
        leaves.see(candidates.len());
        candidates.retain(|id| match self.bounded_leaf_below(*id, leaves) {
            Some(below) => {
                leaves.wait(*id, below);
                false
            }
            None => true,
        });
        for id in candidates.drain(..) {
            leaves.bounded[id] = false;
            ready.push(Term::var(id));
        }
        leaves.candidates = candidates;
    }

    /// Follows the way down from a leaf, as long as it does not fork. Classes without an atom have no bounded leaf
    /// below them.
    pub(crate) fn near_below(&self, leaf: DimVarId, leaves: &LeafDims) -> Near {
        let mut at = leaf;
        for _ in 0..STEPS {
            match self.dims.only_beneath(Term::var(at)) {
                Beneath::Several => return Near::Unknown,
                Beneath::Nothing => return Near::NoLeaf,
                // A class that equalities have put below itself waits for nobody.
                Beneath::Class(low) if low == leaf => return Near::Unknown,
                Beneath::Class(low) if leaves.is_bounded(low) => return Near::Leaf(low),
                Beneath::Class(low) if self.dims.cap(Term::var(low)).is_none() => {
                    return Near::NoLeaf;
                }
                Beneath::Class(low) => at = low,
            }
        }
        Near::Unknown
    }

    /// Returns a bounded leaf at or below an unsolved class.
    pub(crate) fn bounded_leaf_at(&self, root: Term, leaves: &mut LeafDims) -> Option<DimVarId> {
        leaves.begin_search(self.dims.len());
        if leaves.is_bounded(root.id()) {
            return Some(root.id());
        }
        self.bounded_leaf_below(root.id(), leaves)
    }

    /// Returns a bounded leaf below an unsolved class. Whatever lies below a class without an atom has none itself, so
    /// that only classes with one are searched.
    fn bounded_leaf_below(&self, from: DimVarId, leaves: &mut LeafDims) -> Option<DimVarId> {
        match self.near_below(from, leaves) {
            Near::Leaf(below) => return Some(below),
            Near::NoLeaf => return None,
            Near::Unknown => {}
        }
        let mut stack = std::mem::take(&mut leaves.stack);
        stack.push((from, false));
        let mut found = None;
        while found.is_none()
            && let Some((id, searched)) = stack.pop()
        {
            if searched || self.dims.cap(Term::var(id)).is_none() {
                continue;
            }
            if id != from && leaves.is_bounded(id) {
                found = Some(id);
            } else if leaves.reached[id].0 == leaves.search {
                let (_, below) = leaves.reached[id];
                found = below;
            } else {
                leaves.reached[id] = (leaves.search, None);
                stack.push((id, true));
                let before = stack.len();
                self.dims.beneath(Term::var(id), &mut stack);
                leaves.seen += 1 + stack.len() - before;
            }
        }
        // A class that is left with its own search unfinished leads to the leaf that was found.
        for (id, searched) in stack.drain(..) {
            if searched && let Some(below) = found {
                leaves.reached[id] = (leaves.search, Some(below));
            }
        }
        leaves.stack = stack;
        found
    }
}
