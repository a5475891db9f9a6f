//! The order of groups, as long as later calls can join them.
//!
//! Calls that belong together need not stand together in a program: other calls that have nothing to do with them may
//! stand between. A call joins a group although others come behind it if all of these on which the call depends can run
//! before the group.

use std::collections::{BTreeSet, VecDeque};

use super::member::{Group, Member};
use crate::memory::BufferId;

/// Groups of earlier calls, in an order that gives the same result as the program.
#[derive(Default)]
pub(super) struct Waiting {
    /// The groups which calls can still join, and those that run behind one of them.
    waiting: VecDeque<Entry>,
    /// The other groups, which run before.
    done: Vec<Group>,
}

/// The most groups that wait, so that the time for a call does not depend on the length of a program.
const MOST: usize = 32;

/// A group with the buffers that its calls touch.
struct Entry {
    group: Group,
    accesses: Buffers,
}

#[derive(Default)]
struct Buffers {
    touched: BTreeSet<BufferId>,
    written: BTreeSet<BufferId>,
}

impl Buffers {
    fn of(member: &Member) -> Buffers {
        let mut own = Buffers::default();
        own.add(member);
        own
    }

    fn add(&mut self, member: &Member) {
        self.touched.extend(&member.buffers);
        self.written.insert(member.buffers[0]);
    }

    /// Tells whether the order of two accesses matters: one writes a buffer that the other touches.
    fn depend(&self, other: &Buffers) -> bool {
        !self.written.is_disjoint(&other.touched) || !other.written.is_disjoint(&self.touched)
    }
}

impl Waiting {
    /// Adds a call to the latest group which it can join, if there is one. `joins` extends a group by the call if the
    /// two fit together, and says whether it did.
    pub fn join(&mut self, member: &Member, joins: impl Fn(&mut Group) -> bool) -> bool {
        let own = Buffers::of(member);
        // The later groups that have to run before the call, from the last one on.
        let mut before: Vec<usize> = Vec::new();
        for place in (0..self.waiting.len()).rev() {
            let entry = &self.waiting[place];
            let holds_back = |later: &usize| self.waiting[*later].accesses.depend(&entry.accesses);
            let is_needed = before.iter().any(holds_back);
            let depends = own.depend(&entry.accesses);
            if !is_needed && joins(&mut self.waiting[place].group) {
                self.waiting[place].accesses.add(member);
                self.run_before(&before, place);
                return true;
            }
            if is_needed || depends {
                before.push(place);
            }
        }
        false
    }

    /// Moves groups, given from the last one on, in front of an earlier one.
    fn run_before(&mut self, groups: &[usize], earlier: usize) {
        let moved: Vec<Entry> = groups
            .iter()
            .filter_map(|place| self.waiting.remove(*place))
            .collect();
        for entry in moved {
            self.waiting.insert(earlier, entry);
        }
    }

    /// Adds a new group that later calls can join.
    pub fn begin(&mut self, member: &Member, group: Group) {
        let accesses = Buffers::of(member);
        self.insert(self.waiting.len(), Entry { group, accesses });
    }

    /// Adds a call that no other call joins. It runs as early as it can.
    pub fn alone(&mut self, member: &Member, group: Group) {
        let accesses = Buffers::of(member);
        let depends = |entry: &Entry| accesses.depend(&entry.accesses);
        match self.waiting.iter().rposition(depends) {
            None => self.done.push(group),
            Some(place) => self.insert(place + 1, Entry { group, accesses }),
        }
    }

    fn insert(&mut self, place: usize, entry: Entry) {
        self.waiting.insert(place, entry);
        if self.waiting.len() > MOST {
            let first = self.waiting.pop_front().map(|entry| entry.group);
            self.done.extend(first);
        }
    }

    /// Returns all groups in their order.
    pub fn ended(self) -> Vec<Group> {
        let waiting = self.waiting.into_iter().map(|entry| entry.group);
        self.done.into_iter().chain(waiting).collect()
    }
}

#[cfg(test)]
#[path = "waiting_tests.rs"]
mod tests;
