//! The placements of markers that are still to be made, and what each of them waits for.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::ids::{DeferredId, IdVec, InequalityId, RowVarId, room};
use crate::term::Term;

/// The obstacle for which a placement waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Blocker {
    /// A row whose marker has no place yet.
    Row(RowVarId),
    /// An equation that is still deferred.
    Equation(DeferredId),
}

/// The progress of the search above a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Above {
    #[default]
    Unseen,
    /// Everything before this inequality was out of the way in the search with this number.
    From(Option<InequalityId>, u32),
    /// The same, and the search stopped at something further up.
    Behind(Option<InequalityId>, Blocker),
    /// Everything is.
    Clear,
}

/// The placements of a run that are still to be made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placements {
    /// Variables whose markers are to be placed, unless something is in the way.
    pub(crate) due: VecDeque<RowVarId>,
    /// Variables that wait, by what is in the way.
    pub(crate) waiting: FxHashMap<Blocker, Vec<RowVarId>>,
    /// Rows that wait for each other, those above before those below.
    pub(crate) cycles: VecDeque<Vec<RowVarId>>,
    /// For each variable the rows in whose contents it is, if an inequality asks for axes of them.
    pub(crate) wholes: FxHashMap<RowVarId, Vec<RowVarId>>,
    pub(crate) above: IdVec<RowVarId, Above>,
    pub(crate) searches: u32,
    /// The path of the last search and the list of the last placement, to be written to again.
    pub(crate) path: Vec<RowVarId>,
    pub(crate) chain: Vec<RowVarId>,
    /// The trailing axes of the last row that was written through its aliases, to be written to again.
    pub(crate) trail: Vec<Term>,
}

impl Placements {
    pub(crate) fn clear(&mut self) {
        *self = Placements::default();
    }

    pub(crate) fn wait(&mut self, var: RowVarId, blocker: Blocker) {
        self.waiting.entry(blocker).or_default().push(var);
    }

    /// Lets the markers be placed that waited for something which is out of the way now.
    pub(crate) fn release(&mut self, blocker: Blocker) {
        if !self.waiting.is_empty()
            && let Some(vars) = self.waiting.remove(&blocker)
        {
            self.due.extend(vars);
        }
    }

    /// Says whether no variable is due or waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.due.is_empty() && self.waiting.is_empty() && self.cycles.is_empty()
    }

    /// Returns the variables that are due or wait, each once.
    pub(crate) fn pending(&self) -> Vec<RowVarId> {
        let waiting = self.waiting.values().flatten();
        let mut all: Vec<RowVarId> = waiting.chain(&self.due).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Forgets what each variable waits for.
    pub(crate) fn stop_waiting(&mut self) {
        self.waiting.clear();
    }

    pub(crate) fn is_clear(&self, var: RowVarId) -> bool {
        matches!(self.above.get(var), Some(Above::Clear))
    }

    /// Returns the bytes that the tables take.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.waiting.values().chain(&self.cycles).map(room);
        self.above.bytes() + lists.sum::<usize>()
    }
}
