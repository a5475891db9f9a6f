//! The work that is left in a solve, and how far it has come.

use std::collections::VecDeque;

use crate::ids::{DeferredId, InequalityId, RowTermId, queue_room, room};
use crate::state::inferences::Reason;
use crate::state::placements::Placements;

/// An equation to look at: its left row, the right one follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equation {
    pub(crate) row: RowTermId,
    pub(crate) reason: Reason,
    /// The deferred equation that it is, if it was deferred before.
    pub(crate) deferred: Option<DeferredId>,
}

/// Deferred equations that are resolved together.
pub(crate) type Group = Vec<DeferredId>;

/// The lists of work. Propagation empties the first four before anything is chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Agenda {
    /// Inequalities whose lengths have to be checked again.
    pub(crate) lengths: Vec<InequalityId>,
    /// The stack of the depth-first search of `repair_lengths`, and a list of `pass_on`; empty between them.
    pub(crate) search: Vec<InequalityId>,
    /// Inequalities whose axes have to be compared.
    pub(crate) axes: Vec<InequalityId>,
    /// Equations to look at, those that were deferred and of which more is known now among them.
    pub(crate) equations: VecDeque<Equation>,
    /// Markers to place; none between solves.
    pub(crate) placements: Placements,
    /// Deferred equations to resolve; none between solves.
    pub(crate) groups: VecDeque<Group>,
    /// The number of equations that were deferred when these groups were found.
    pub(crate) grouped: usize,
}

/// The counts that say how far a solve has come. A snapshot keeps them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// The number of asserted constraints that have been entered.
    pub(crate) entered: usize,
    /// The number of known contents that have been given to placement.
    pub(crate) placed: usize,
    /// The number of deferred equations that are known to have been resolved, from the first.
    pub(crate) resolved: u32,
    /// The number of times that a flank has been extended.
    pub(crate) extensions: u64,
    pub(crate) counters: Counters,
    /// The number of declarations when closing began, once it has.
    pub(crate) declared_when_closed: Option<usize>,
}

/// The choices of policy that a solve has made, in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) placements: u64,
    pub(crate) resolutions: u64,
}

impl Agenda {
    /// Empties the lists.
    pub(crate) fn clear(&mut self) {
        self.lengths.clear();
        self.axes.clear();
        self.equations.clear();
        self.placements.clear();
        self.groups.clear();
    }

    /// Gives back the lists that are used again within a run only.
    pub(crate) fn give_back(&mut self) {
        self.placements.clear();
        if self.groups.is_empty() {
            self.groups = VecDeque::new();
        }
    }

    /// Gives back the memory that only more work would need.
    pub(crate) fn shrink(&mut self) {
        for list in [&mut self.lengths, &mut self.axes, &mut self.search] {
            list.shrink_to_fit();
        }
        self.equations.shrink_to_fit();
    }

    /// Returns the bytes that the lists hold.
    pub(crate) fn bytes(&self) -> usize {
        let lists = [&self.lengths, &self.axes, &self.search].map(room);
        lists.iter().sum::<usize>() + self.placements.bytes() + queue_room(&self.equations)
    }
}
