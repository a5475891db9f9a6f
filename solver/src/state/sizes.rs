//! What is known of the sizes of unsolved axes, and which constraints wait for more.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::state::inferences::Reason;
use crate::term::{NONE, Term};
use crate::tracked::Tracked;

/// What is known of a class of unsolved dimension variables, beside its caps. It is kept with the root of the class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Its size, or 0.
    pub(crate) size: u64,
    pub(crate) size_reason: Reason,
    /// An atom of its basis, or none.
    pub(crate) basis: Term,
    pub(crate) basis_reason: Reason,
    /// Whether it is an atom.
    pub(crate) is_atom: bool,
    pub(crate) atom_reason: Reason,
    /// The last of its uses, in a ring.
    pub(crate) uses: u32,
}

impl Known {
    const NOTHING: Known = Known {
        size: 0,
        size_reason: Reason::NONE,
        basis: Term::NONE,
        basis_reason: Reason::NONE,
        is_atom: false,
        atom_reason: Reason::NONE,
        uses: NONE,
    };
}

/// A constraint that mentions a class.
#[derive(Clone, Copy, Debug)]
struct Use {
    constraint: u32,
    next: u32,
}

/// The state of all sizes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    /// Whether there is a constraint of sizes.
    pub(crate) is_on: bool,
    known: Tracked<Known>,
    uses: Tracked<Use>,
    /// The constraints of sizes that have been taken in.
    taken: Tracked<u32>,
    /// Those of them in which a size may be open.
    pub(crate) open: Vec<u32>,
    /// Constraints to look at, each once.
    due: VecDeque<u32>,
    is_due: Vec<bool>,
    /// Whether what is open has been decided since something changed.
    pub(crate) is_decided: bool,
    /// Whether what is forced has been looked for since then.
    pub(crate) is_examined: bool,
    /// The values that a solution gives to classes whose sizes are open.
    pub(crate) model: FxHashMap<u32, Term>,
    /// How many snapshots are open.
    depth: usize,
    /// For each of them that had constraints of sizes.
    saved: Vec<Saved>,
}

/// What a rollback goes back to.
#[derive(Clone, Debug)]
struct Saved {
    depth: usize,
    open: Vec<u32>,
    is_decided: bool,
    model: FxHashMap<u32, Term>,
}

impl Saved {
    fn bytes(&self) -> usize {
        self.open.capacity() * 4 + self.model.capacity() * size_of::<(u32, Term)>()
    }
}

impl Sizes {
    /// What is known of the class of a root.
    pub(crate) fn known(&self, root: Term) -> Known {
        match (root.id() as usize) < self.known.len() {
            true => self.known.get(root.id()),
            false => Known::NOTHING,
        }
    }

    /// The same, to be changed.
    pub(crate) fn edit(&mut self, root: Term) -> &mut Known {
        while self.known.len() <= root.id() as usize {
            self.known.push(Known::NOTHING);
        }
        self.known.edit(root.id())
    }

    /// All constraints of sizes.
    pub(crate) fn all(&self) -> &[u32] {
        self.taken.as_slice()
    }

    /// Takes in a constraint.
    pub(crate) fn take(&mut self, constraint: u32) {
        self.is_on = true;
        self.taken.push(constraint);
        self.open.push(constraint);
        self.queue(constraint);
    }

    /// Notes that a constraint mentions the class of a root.
    pub(crate) fn mention(&mut self, root: Term, constraint: u32) {
        let at = self.uses.len() as u32;
        self.uses.push(Use {
            constraint,
            next: at,
        });
        self.join(root, at);
    }

    /// Joins the ring of which this is a part to that of a class.
    pub(crate) fn join(&mut self, root: Term, ring: u32) {
        let own = self.known(root).uses;
        if ring == NONE || own == ring {
            return;
        }
        if own != NONE {
            let (first, second) = (self.uses.at(own).next, self.uses.at(ring).next);
            self.uses.edit(own).next = second;
            self.uses.edit(ring).next = first;
        }
        self.edit(root).uses = ring;
    }

    /// Whether a constraint of sizes mentions the class of a root.
    pub(crate) fn is_used(&self, root: Term) -> bool {
        self.known(root).uses != NONE
    }

    /// Queues every constraint of a ring.
    pub(crate) fn queue_ring(&mut self, last: u32) {
        let mut at = last;
        while at != NONE {
            let Use { constraint, next } = self.uses.get(at);
            self.queue(constraint);
            at = next;
            if at == last {
                return;
            }
        }
    }

    fn queue(&mut self, constraint: u32) {
        let at = constraint as usize;
        if self.is_due.len() <= at {
            self.is_due.resize(at + 1, false);
        }
        if !std::mem::replace(&mut self.is_due[at], true) {
            self.due.push_back(constraint);
        }
        (self.is_decided, self.is_examined) = (false, false);
    }

    /// The next constraint to look at.
    pub(crate) fn next_due(&mut self) -> Option<u32> {
        let constraint = self.due.pop_front()?;
        self.is_due[constraint as usize] = false;
        Some(constraint)
    }

    /// Empties the work list.
    pub(crate) fn forget_work(&mut self) {
        self.due.clear();
        self.is_due.clear();
    }

    /// Remembers the state. While there is no constraint of sizes there is nothing to remember.
    pub(crate) fn snapshot(&mut self) {
        self.depth += 1;
        if self.is_on {
            self.known.snapshot();
            self.uses.snapshot();
            self.taken.snapshot();
            self.saved.push(Saved {
                depth: self.depth,
                open: self.open.clone(),
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
                self.taken.rollback();
                (self.open, self.model) = (saved.open, saved.model);
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

    /// What the last open snapshot has saved; it is closed.
    fn take_saved(&mut self) -> Option<Saved> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        self.saved.pop_if(|saved| saved.depth == depth)
    }

    pub(crate) fn commit(&mut self) {
        if self.take_saved().is_some() {
            self.known.commit();
            self.uses.commit();
            self.taken.commit();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.known.bytes()
            + self.uses.bytes()
            + self.taken.bytes()
            + (self.open.capacity() + self.due.capacity()) * 4
            + self.is_due.capacity()
            + self.model.capacity() * size_of::<(u32, Term)>()
            + self.saved.capacity() * size_of::<Saved>()
            + self.saved.iter().map(Saved::bytes).sum::<usize>()
    }
}
