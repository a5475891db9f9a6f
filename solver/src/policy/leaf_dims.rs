//! Which leaf dimensions commit next.
//!
//! A leaf dimension is *bounded* once an atom is known to lie below it. A bounded leaf is ready to commit when no other
//! bounded leaf lies below it. The search for one below stops at the first that it finds, and the leaf that waits is
//! looked at again only after that one has been closed, so that a chain of leaves costs one step for each.

use lozenge_vocabulary::Tag;
use rustc_hash::FxHashMap;

use crate::policy::inheritance::{Tags, stronger};
use crate::state::dims::Beneath;
use crate::state::engine::Engine;
use crate::term::{NONE, Term, number};

/// How many classes are passed on the way down from a leaf before the search with marks takes over. A longer way that many
/// leaves share would be walked once for each of them.
const STEPS: usize = 8;

/// The unsolved classes of dimension variables that are leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafDims {
    /// For each class, by its root, the tag by which it is closed.
    tags: Vec<Tag>,
    /// Whether a class is a bounded leaf that has not committed.
    bounded: Vec<bool>,
    /// Classes of leaves that are to be looked at.
    due: Vec<u32>,
    /// Bounded leaves that are not known to wait for another one.
    candidates: Vec<u32>,
    /// Leaves that had no bound when they were looked at.
    unbounded: Vec<u32>,
    /// For each class the first of the bounded leaves that wait for it, and for each leaf the next one that waits for the
    /// same class, each or `NONE`.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    /// Whether a leaf waits for a class. It waits for one at a time: the first that is found below it.
    waits: Vec<bool>,
    /// The classes for which leaves have begun to wait; some have been closed since.
    awaited: Vec<u32>,
    /// The components of rows that wait for a class.
    rows_waiting: FxHashMap<u32, Vec<u32>>,
    /// For each class the last search that reached it, and the bounded leaf that the search found below it, or `NONE`.
    reached: Vec<(u32, u32)>,
    search: u32,
    stack: Vec<(u32, bool)>,
}

/// What a short way down from a leaf dimension leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Near {
    /// This bounded leaf.
    Leaf(u32),
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
            self.first_waiting.resize(len, NONE);
            self.next_waiting.resize(len, NONE);
            self.waits.resize(len, false);
            self.reached.resize(len, (0, NONE));
        }
    }

    /// The tag by which the class of a root is closed.
    pub(crate) fn tag(&self, root: u32) -> Tag {
        self.tags.get(root as usize).copied().unwrap_or_default()
    }

    pub(crate) fn is_bounded(&self, root: u32) -> bool {
        self.bounded.get(root as usize) == Some(&true)
    }

    /// A class is closed as a leaf when one of its variables is one.
    fn raise(&mut self, root: u32, tag: Tag) {
        let before = &mut self.tags[root as usize];
        *before = stronger(*before, tag);
        self.due.push(root);
    }

    /// Notes that a component of rows is to be looked at when something happens to a class.
    pub(crate) fn await_class(&mut self, root: u32, component: u32) {
        self.rows_waiting.entry(root).or_default().push(component);
    }

    /// The leaves that nothing bounded when they were looked at; the list is empty afterwards.
    pub(crate) fn take_unbounded(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.unbounded)
    }

    /// Begins a search in which no class has been reached.
    pub(crate) fn begin_search(&mut self, len: usize) {
        self.grow(len);
        self.search += 1;
    }

    /// Whether a search reaches a class for the first time.
    pub(crate) fn reach(&mut self, root: u32) -> bool {
        let before = std::mem::replace(&mut self.reached[root as usize], (self.search, NONE));
        before.0 != self.search
    }

    /// Looks again at every leaf that waits for another one. False when none does.
    pub(crate) fn release_all(&mut self) -> bool {
        let mut any = false;
        while let Some(class) = self.awaited.pop() {
            any |= self.first_waiting[class as usize] != NONE;
            self.release(class);
        }
        self.due.sort_unstable();
        any
    }

    /// Whether no leaf is to be looked at, and no row waits for a class.
    pub(crate) fn is_idle(&self) -> bool {
        self.due.is_empty() && self.candidates.is_empty() && self.rows_waiting.is_empty()
    }

    /// Whether a leaf waits for a class.
    pub(crate) fn is_awaited(&self, class: u32) -> bool {
        let first = self.first_waiting.get(class as usize).copied();
        first.and_then(number).is_some()
    }

    /// The leaf that waits for a class, when there is exactly one.
    pub(crate) fn only_waiting(&self, class: u32) -> Option<u32> {
        let leaf = number(*self.first_waiting.get(class as usize)?)?;
        (self.next_waiting[leaf as usize] == NONE).then_some(leaf)
    }

    /// A class has been closed, or is a part of another one.
    pub(crate) fn forget_bounded(&mut self, class: u32) {
        if let Some(bounded) = self.bounded.get_mut(class as usize) {
            *bounded = false;
        }
    }

    /// The only leaf that waited for a class commits.
    pub(crate) fn go_on(&mut self, class: u32, leaf: u32) {
        self.release(class);
        self.due.clear();
        self.forget_bounded(leaf);
    }

    /// Lets a leaf wait for a class below it.
    fn wait(&mut self, leaf: u32, class: u32) {
        if std::mem::replace(&mut self.waits[leaf as usize], true) {
            return;
        }
        let first = std::mem::replace(&mut self.first_waiting[class as usize], leaf);
        self.next_waiting[leaf as usize] = first;
        if first == NONE {
            self.awaited.push(class);
        }
    }

    /// Looks again at the leaves that wait for a class.
    fn release(&mut self, class: u32) {
        let mut next = std::mem::replace(&mut self.first_waiting[class as usize], NONE);
        while next != NONE {
            self.due.push(next);
            self.waits[next as usize] = false;
            next = std::mem::replace(&mut self.next_waiting[next as usize], NONE);
        }
        if self.awaited.last() == Some(&class) {
            self.awaited.pop();
        }
    }
}

impl Engine {
    /// Sorts the leaves of which something is new into bounded and unbounded ones. The components of rows that waited for
    /// one of them are appended to `rows`.
    pub(crate) fn look_at_dims(
        &mut self,
        tags: &mut Tags,
        leaves: &mut LeafDims,
        rows: &mut Vec<u32>,
    ) {
        if tags.due.is_empty() && self.dims.is_untouched() && leaves.due.is_empty() {
            return;
        }
        leaves.grow(self.dims.len());
        for var in tags.due.drain(..) {
            let root = self.dims.find(Term::var(var));
            if root.is_var() {
                let tag = tags.dims.get(var as usize).copied().unwrap_or_default();
                leaves.raise(root.id(), tag);
            }
        }
        let mut touched = self.dims.take_touched();
        for id in touched.drain(..) {
            let root = self.dims.find(Term::var(id));
            if root != Term::var(id) {
                leaves.bounded[id as usize] = false;
            }
            let tag = leaves.tags[id as usize];
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
                leaves.bounded[id as usize] = true;
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
        candidates.retain(|id| leaves.bounded[*id as usize]);
        candidates.sort_unstable();
        candidates.dedup();
        leaves.begin_search(self.dims.len());
        candidates.retain(|id| match self.bounded_leaf_below(*id, leaves) {
            Some(below) => {
                leaves.wait(*id, below);
                false
            }
            None => true,
        });
        for id in candidates.drain(..) {
            leaves.bounded[id as usize] = false;
            ready.push(Term::var(id));
        }
        leaves.candidates = candidates;
    }

    /// What the way down from a leaf leads to, as long as it does not fork. Classes without an atom have no bounded leaf
    /// below them.
    pub(crate) fn near_below(&self, leaf: u32, leaves: &LeafDims) -> Near {
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

    /// A bounded leaf at or below an unsolved class.
    pub(crate) fn bounded_leaf_at(&self, root: Term, leaves: &mut LeafDims) -> Option<u32> {
        leaves.begin_search(self.dims.len());
        if leaves.is_bounded(root.id()) {
            return Some(root.id());
        }
        self.bounded_leaf_below(root.id(), leaves)
    }

    /// A bounded leaf below an unsolved class. Whatever lies below a class without an atom has none itself, so that only
    /// classes with one are searched.
    fn bounded_leaf_below(&self, from: u32, leaves: &mut LeafDims) -> Option<u32> {
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
            } else if leaves.reached[id as usize].0 == leaves.search {
                let (_, below) = leaves.reached[id as usize];
                found = (below != NONE).then_some(below);
            } else {
                leaves.reached[id as usize] = (leaves.search, NONE);
                stack.push((id, true));
                self.dims.beneath(Term::var(id), &mut stack);
            }
        }
        // What is left with its own search unfinished leads to the leaf that was found.
        for (id, searched) in stack.drain(..) {
            if searched && let Some(below) = found {
                leaves.reached[id as usize] = (leaves.search, below);
            }
        }
        leaves.stack = stack;
        found
    }
}
